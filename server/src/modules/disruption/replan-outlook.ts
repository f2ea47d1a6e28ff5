import type { AirlineChange } from "./airline-change.ts";
import type { Connection } from "./connection.ts";
import { type AirlineDuty, owesInstead } from "./duties/airline-duty.ts";
import type { ReplanInput } from "./replan-input.ts";
import type { Setting } from "./replan-setting.ts";

type Kind = ReplanInput["disruption"]["kind"];

/** The disruption from the traveler's view, by the airline's change if known, else by the caller's account. */
export interface Outlook {
  /** The heading of the message. */
  headline: Kind | "earlier";
  /** The free option, which comes before any purchase. */
  first: "answer_airline" | "ask_airline" | "ask_for_connection" | "keep" | "keep_if_connects" | "keep_if_flown";
  /** The order goes on with it after the disrupted flight. */
  connection: Connection | undefined;
  /** The surest first. */
  duties: readonly AirlineDuty[];
  /** The rules that apply to the route, even if they owe nothing for this disruption. */
  rules: readonly string[];
  /** Another flight or the money back, if what is known decides that the airline owes it. */
  instead: AirlineDuty | undefined;
  /** The delay is under `SMALL_DELAY_MINUTES`. */
  isSmall: boolean;
}

/** Most laws give passengers rights from three hours on; below that a new ticket is no help. */
export const SMALL_DELAY_MINUTES = 180;

interface Judged {
  airlineChange: AirlineChange | null;
  duties: readonly AirlineDuty[];
  rules: readonly string[];
}

export function judgeOutlook(input: ReplanInput, setting: Setting, { airlineChange, duties, rules }: Judged): Outlook {
  const { kind } = input.disruption;
  return {
    headline: chooseHeadline(kind, airlineChange),
    first: airlineChange === null ? chooseFirst(kind, setting.connection) : "answer_airline",
    connection: setting.connection,
    duties,
    rules,
    instead: duties.find((duty) => owesInstead(duty) && duty.onlyIf === null),
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

/** A flight that still flies is no reason to keep it if it arrives too late for the next one. */
function chooseFirst(kind: Kind, connection: Connection | undefined): Outlook["first"] {
  if (connection?.state === "lost" || connection?.state === "tight") return "ask_for_connection";
  return kind === "delay" && connection?.state === "unknown" ? "keep_if_connects" : FIRST[kind];
}

/** A missed connection stays missed, whatever the airline did to the flight. */
function chooseHeadline(kind: Kind, airlineChange: AirlineChange | null): Outlook["headline"] {
  if (airlineChange === null || kind === "missed_connection") return kind;
  const { becomes, departsLaterMinutes } = airlineChange;
  if (becomes.length === 0) return "cancellation";
  if (departsLaterMinutes !== null && departsLaterMinutes < 0) return "earlier";
  return kind === "cancellation" ? "other" : kind;
}

/** A delay of unknown length is not small. */
function isSmall(
  { disruption: { kind, earliestUsableDepartureIso } }: ReplanInput,
  { scheduled, connection }: Setting,
  airlineChange: AirlineChange | null,
): boolean {
  if (kind === "missed_connection") return false;
  if (airlineChange === null && (connection?.state === "lost" || connection?.state === "tight")) return false;
  if (airlineChange !== null) {
    const { becomes, departsLaterMinutes } = airlineChange;
    return becomes.length > 0 && departsLaterMinutes !== null && Math.abs(departsLaterMinutes) < SMALL_DELAY_MINUTES;
  }
  if (kind !== "delay" || earliestUsableDepartureIso === undefined) return false;
  const minutes = scheduled.until(earliestUsableDepartureIso).total("minutes");
  return minutes > 0 && minutes < SMALL_DELAY_MINUTES;
}
