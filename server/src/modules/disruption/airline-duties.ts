/** The airline's legal duties to passengers of a flight that it moved or cancelled. General rules, not a decision on a case. */

interface Source {
  title: string;
  url: string;
  /** The date of the text; null if the copy has no date. */
  asOf: string | null;
}

export interface AirlineDuty {
  /** Short, for a message. */
  rule: string;
  owes: "flight_or_refund" | "refund";
  text: string;
  /** Null if the route alone decides that it applies. */
  onlyIf: string | null;
  source: Source;
}

export interface Moved {
  /** ISO 3166-1 alpha-2 of the airports where the flights began and ended. */
  from: string;
  to: string;
  /** There is no replacement flight. */
  isCancelled: boolean;
  /** Negative if earlier. Undefined if unknown. */
  departsLaterMinutes: number | undefined;
  arrivesLaterMinutes: number | undefined;
  /** It leaves or arrives at another airport. */
  isElsewhere: boolean;
}

/** The Union, its outermost regions that ISO 3166 lists separately, and the countries that apply the Regulation by treaty. */
const EU261: ReadonlySet<string> = new Set([
  ...["AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU"],
  ...["LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "AX", "GF", "GP", "MF", "MQ", "RE", "YT"],
  ...["CH", "IS", "NO"],
]);
/** The states, and the territories that 49 U.S.C. 40102 counts among the United States. */
const UNITED_STATES: ReadonlySet<string> = new Set(["US", "AS", "GU", "MP", "PR", "VI"]);

const DOMESTIC_MINUTES = 180;
const INTERNATIONAL_MINUTES = 360;
const REFUND_AFTER_MINUTES = 300;

const EU_SOURCE: Source = {
  title: "Regulation (EC) No 261/2004; a revision was before Parliament and Council in January 2026",
  url: "https://eur-lex.europa.eu/eli/reg/2004/261/oj/eng",
  asOf: "2026-01-22",
};
const UK_SOURCE: Source = {
  title: "UK Civil Aviation Authority: delays and cancellations",
  url: "https://www.caa.co.uk/passengers/resolving-travel-problems/delays-and-cancellations/cancellations/",
  asOf: null,
};
const US_SOURCE: Source = {
  title: "49 U.S.C. 42305 and 14 CFR part 260",
  url: "https://www.govinfo.gov/link/uscode/49/42305",
  asOf: "2026-06-20",
};

/** Duties whose conditions the route and the change meet, most certain first. */
export function airlineDuties(moved: Moved): AirlineDuty[] {
  const duties = [...likeEu261(moved), ...unitedStates(moved)];
  return duties.toSorted((left, right) => Number(left.onlyIf !== null) - Number(right.onlyIf !== null));
}

function likeEu261({ from, to, isCancelled, departsLaterMinutes = 0 }: Moved): AirlineDuty[] {
  if (!isCancelled && departsLaterMinutes < REFUND_AFTER_MINUTES) return [];
  const laws = [
    {
      rule: "EU 261/2004",
      currency: "EUR 250 to 600",
      source: EU_SOURCE,
      leaves: EU261.has(from),
      arrives: EU261.has(to),
      licence: "of a country of the EU, Iceland, Norway or Switzerland",
    },
    {
      rule: "UK 261",
      currency: "a fixed sum in pounds",
      source: UK_SOURCE,
      leaves: from === "GB",
      arrives: to === "GB",
      licence: "of the United Kingdom or of a country of the EU",
    },
  ];
  return laws
    .filter(({ leaves, arrives }) => leaves || arrives)
    .map(({ rule, currency, source, leaves, licence }) => ({
      rule,
      source,
      owes: isCancelled ? "flight_or_refund" : "refund",
      text: isCancelled
        ? `The airline must offer a choice (Articles 5 and 8): the price back within seven days, another flight at the earliest opportunity, or another flight at a later date of the passenger's choice. Compensation of ${currency} comes on top, unless the airline said so at least two weeks before or proves extraordinary circumstances (Articles 5 and 7).`
        : "At five hours or more at departure, passengers who do not fly may have the price back within seven days (Articles 6 and 8).",
      onlyIf: leaves ? null : `The airline that flies holds an operating licence ${licence}, which is not known here.`,
    }));
}

function unitedStates({ from, to, isCancelled, isElsewhere, ...moved }: Moved): AirlineDuty[] {
  const ends = [from, to].filter((country) => UNITED_STATES.has(country)).length;
  if (ends === 0) return [];
  const limit = ends === 2 ? DOMESTIC_MINUTES : INTERNATIONAL_MINUTES;
  const { departsLaterMinutes = 0, arrivesLaterMinutes = 0 } = moved;
  if (!isCancelled && !isElsewhere && departsLaterMinutes > -limit && arrivesLaterMinutes < limit) return [];
  return [
    {
      rule: "US DOT",
      owes: "refund",
      text: "Passengers who take neither the changed flight nor another one that the airline offers get the fare back with taxes and fees, also of a non-refundable ticket: within 7 business days if it was paid by credit card, within 20 days otherwise.",
      onlyIf: null,
      source: US_SOURCE,
    },
  ];
}
