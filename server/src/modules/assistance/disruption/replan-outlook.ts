import type { AirlineChange } from "./airline-change.ts";
import { type AirlineDuty, airlineDuties } from "./airline-duties.ts";
import type { ReplanInput } from "./replan-input.ts";
import type { Setting } from "./replan-setting.ts";

type Kind = ReplanInput["disruption"]["kind"];

/** How the disruption stands for the traveler, by what the airline did where that is known, else by what the caller says. */
export interface Outlook {
  /** What the message is headed with. */
  headline: Kind | "earlier";
  /** What costs the traveler nothing and so comes before everything that is bought. */
  first: "answer_airline" | "ask_airline" | "keep" | "keep_if_flown";
  /** What the route alone obliges the airline to do after a cancellation. */
  duty: AirlineDuty | undefined;
  /** The flight is moved by less than `SMALL_DELAY_MINUTES`. */
  isSmall: boolean;
}

/** From three hours on, airlines begin to owe something under most laws; below that nobody is served by a new ticket. */
export const SMALL_DELAY_MINUTES = 180;

export function outlookOf(input: ReplanInput, setting: Setting, airlineChange: AirlineChange | null): Outlook {
  const { kind } = input.disruption;
  return {
    headline: headlineOf(kind, airlineChange),
    first: airlineChange === null ? FIRST[kind] : "answer_airline",
    duty: airlineChange === null && kind === "cancellation" ? dutyOf(setting) : undefined,
    isSmall: isSmall(input, setting, airlineChange),
  };
}

const FIRST: Readonly<Record<Kind, Outlook["first"]>> = {
  delay: "keep",
  cancellation: "ask_airline",
  missed_connection: "ask_airline",
  weather: "keep_if_flown",
  other: "keep_if_flown",
};

/** What was missed stays missed, whatever the airline did to the flight. */
function headlineOf(kind: Kind, airlineChange: AirlineChange | null): Outlook["headline"] {
  if (airlineChange === null || kind === "missed_connection") return kind;
  const { becomes, departsLaterMinutes } = airlineChange;
  if (becomes.length === 0) return "cancellation";
  if (departsLaterMinutes !== null && departsLaterMinutes < 0) return "earlier";
  return kind === "cancellation" ? "other" : kind;
}

function dutyOf({ origin, destination }: Setting): AirlineDuty | undefined {
  const duties = airlineDuties({
    from: origin?.countryCode ?? "",
    to: destination?.countryCode ?? "",
    isCancelled: true,
    isElsewhere: false,
    departsLaterMinutes: undefined,
    arrivesLaterMinutes: undefined,
  });
  return duties.find(({ onlyIf }) => onlyIf === null);
}

/** A delay of unknown length is not small. */
function isSmall(
  { disruption: { kind, earliestUsableDepartureIso } }: ReplanInput,
  { scheduled }: Setting,
  airlineChange: AirlineChange | null,
): boolean {
  if (kind === "missed_connection") return false;
  if (airlineChange !== null) {
    const { becomes, departsLaterMinutes } = airlineChange;
    return becomes.length > 0 && departsLaterMinutes !== null && Math.abs(departsLaterMinutes) < SMALL_DELAY_MINUTES;
  }
  if (kind !== "delay" || earliestUsableDepartureIso === undefined) return false;
  const minutes = scheduled.until(earliestUsableDepartureIso).total("minutes");
  return minutes > 0 && minutes < SMALL_DELAY_MINUTES;
}
