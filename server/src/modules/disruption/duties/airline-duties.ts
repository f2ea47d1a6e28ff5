import { type AirlineDuty, type DisruptedFlight, joinConditions, minutesLate } from "./airline-duty.ts";
import { likeEu261, listRules } from "./like-eu261.ts";

/** The states, and the territories that 49 U.S.C. 40102 counts among the United States. */
const UNITED_STATES: ReadonlySet<string> = new Set(["US", "AS", "GU", "MP", "PR", "VI"]);
/** 14 CFR 260.2: when a change is significant. */
const DOMESTIC_HOURS = 3;
const INTERNATIONAL_HOURS = 6;
const US_SOURCE: AirlineDuty["source"] = {
  title: "49 U.S.C. 42305 and 14 CFR part 260",
  url: "https://www.govinfo.gov/link/uscode/49/42305",
  asOf: "2026-06-20",
};

const CANADA_HOURS = 3;
const CANADA_CARE_HOURS = 2;
const CANADA_NOTICE_DAYS = 14;
const CANADA_SOURCE: AirlineDuty["source"] = {
  title: "Air Passenger Protection Regulations, SOR/2019-150",
  url: "https://laws-lois.justice.gc.ca/eng/regulations/SOR-2019-150/",
  asOf: "2026-03-17",
};
const IN_CONTROL = "The cause is within the airline's control";

/** Duties whose conditions the route and the disruption meet, most certain first. */
export function airlineDuties(flight: DisruptedFlight): AirlineDuty[] {
  const duties = [...likeEu261(flight), ...unitedStates(flight), ...canada(flight)];
  return duties.toSorted((left, right) => Number(left.onlyIf !== null) - Number(right.onlyIf !== null));
}

/** The rules that apply, or may apply, to flights of this route, even if they owe nothing for this disruption. */
export const rulesOfRoute = (flight: DisruptedFlight): string[] => [
  ...listRules(flight),
  ...([flight.from, flight.to].some((country) => UNITED_STATES.has(country)) ? ["US DOT"] : []),
  ...([flight.from, flight.to].includes("CA") ? ["Canada APPR"] : []),
];

function unitedStates({ from, to, event, isElsewhere, ...flight }: DisruptedFlight): AirlineDuty[] {
  const ends = [from, to].filter((country) => UNITED_STATES.has(country)).length;
  if (ends === 0 || event === "missed_connection") return [];
  const hours = ends === 2 ? DOMESTIC_HOURS : INTERNATIONAL_HOURS;
  const { departsLaterMinutes, arrivesLaterMinutes } = flight;
  const isOpen = minutesLate(flight) === undefined;
  const isSignificant =
    event === "cancellation" ||
    isElsewhere ||
    (departsLaterMinutes ?? 0) <= -hours * 60 ||
    (arrivesLaterMinutes ?? departsLaterMinutes ?? 0) >= hours * 60;
  if (!isSignificant && !isOpen) return [];
  return [
    {
      rule: "US DOT",
      owes: "refund",
      article: "14 CFR 260.2 and 260.6",
      amount: null,
      currency: null,
      text: "Passengers who take neither the changed flight nor another one that the airline offers get a refund of the fare with taxes and fees, even for a non-refundable ticket: within 7 business days if it was paid by credit card, within 20 days otherwise.",
      onlyIf: isSignificant
        ? null
        : `The airline cancels the flight, or it leaves or arrives ${hours} hours or more from its scheduled time.`,
      source: US_SOURCE,
    },
  ];
}

/** The main duties of the Regulations, in short. */
function canada({ from, to, event, noticeDays, ...flight }: DisruptedFlight): AirlineDuty[] {
  if (from !== "CA" && to !== "CA") return [];
  const minutes = minutesLate(flight);
  const isCalledOff = event === "cancellation";
  const isLong = minutes === undefined || minutes >= CANADA_HOURS * 60 || isCalledOff;
  const missing = (hours: number) => !isCalledOff && minutes === undefined && `The delay is ${hours} hours or more.`;
  const common = { rule: "Canada APPR", amount: null, currency: null, source: CANADA_SOURCE };
  const isCared = noticeDays < 1 && (isCalledOff || minutes === undefined || minutes >= CANADA_CARE_HOURS * 60);
  return [
    ...(isLong
      ? [
          {
            ...common,
            owes: "flight_or_refund" as const,
            article: "Sections 17 and 18",
            text: "The airline books another flight free of charge. Passengers whose needs it does not meet, or who get no seat within 48 hours if the cause is outside the airline's control, get a refund.",
            onlyIf: joinConditions([missing(CANADA_HOURS)]),
          },
        ]
      : []),
    ...(isCared
      ? [
          {
            ...common,
            owes: "care" as const,
            article: "Section 14",
            text: "After two hours of waiting: food, drink and a means of communication; for a night also a hotel and the transfer.",
            onlyIf: joinConditions([
              missing(CANADA_CARE_HOURS),
              `${IN_CONTROL}, and the passenger learned of it less than 12 hours before the departure.`,
            ]),
          },
        ]
      : []),
    ...(isLong && noticeDays < CANADA_NOTICE_DAYS ? [canadianCompensation(common)] : []),
  ];
}

const canadianCompensation = (common: Pick<AirlineDuty, "rule" | "amount" | "currency" | "source">): AirlineDuty => ({
  ...common,
  owes: "compensation",
  article: "Section 19",
  text: "CAD 400, 700 or 1,000 for an arrival 3, 6 or 9 hours late or more; with small airlines CAD 125, 250 or 500. CAD 400 (small airlines: 125) to passengers who take the refund. It must be claimed within a year.",
  onlyIf: `${IN_CONTROL} and not required for safety, and the passenger learned of it less than ${CANADA_NOTICE_DAYS} days before.`,
});
