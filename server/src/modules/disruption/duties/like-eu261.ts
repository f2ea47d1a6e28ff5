import { type AirlineDuty, type DisruptedFlight, joinConditions, minutesLate } from "./airline-duty.ts";
import { findLicence, type Licence } from "./operating-licences.ts";

/** Regulation (EC) No 261/2004, as the Union and as the United Kingdom apply it. */

interface Law {
  rule: string;
  source: AirlineDuty["source"];
  currency: string;
  /** Article 7(1): short, middle and long distances. */
  amounts: readonly [number, number, number];
  /** Undefined: the flight does not touch the law's territory. Empty: it applies, whoever flies. */
  licences: readonly Licence[] | undefined;
  licensedBy: string;
  /** Both ends lie in the territory: no flight within it counts as long (Articles 6 and 7). */
  isWithin: boolean;
  /** A later decision of the Court of Justice does not bind the United Kingdom. */
  earlyIsCancelled: boolean;
}

interface Applied extends Law {
  /** Null if the law applies, whoever flies, or the airline is known to be licensed there. */
  condition: string | null;
}

/** The Union, its outermost regions that ISO 3166 lists separately, and the countries that apply the Regulation by treaty. */
const EU261: ReadonlySet<string> = new Set([
  ...["AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU"],
  ...["LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "AX", "GF", "GP", "MF", "MQ", "RE", "YT"],
  ...["CH", "IS", "NO"],
]);

/** Article 6(1): refreshments from these hours on, by distance. Without the distance, the longest is assumed. */
const CARE_HOURS = [2, 3, 4] as const;
/** Article 6(1)(iii). */
const REFUND_HOURS = 5;
/** The Court of Justice treats a delay of three hours at the final destination as a cancellation (C-402/07). */
const COMPENSATION_HOURS = 3;
/** Article 7(2)(c): until then the airline may halve the compensation of long flights. */
const HALVED_UNTIL_HOURS = 4;
const SHORT_KILOMETERS = 1_500;
const MIDDLE_KILOMETERS = 3_500;
/** Article 5(1)(c). */
const NOTICE_DAYS = 14;
const LATE_NOTICE_DAYS = 7;
/** The Court of Justice treats a flight that leaves more than an hour early as cancelled. */
const EARLY_MINUTES = 60;
const EARLY_CASE = "Court of Justice C-146/20";
const CALLED_OFF_ARTICLES = "Articles 5(1)(a) and 8";

const EU_SOURCE: AirlineDuty["source"] = {
  title: "Regulation (EC) No 261/2004; a revision was before Parliament and Council in January 2026",
  url: "https://eur-lex.europa.eu/eli/reg/2004/261/oj/eng",
  asOf: "2026-01-22",
};
const UK_SOURCE: AirlineDuty["source"] = {
  title: "Regulation (EC) No 261/2004 as it applies in the United Kingdom, amended by SI 2019/278",
  url: "https://www.legislation.gov.uk/eur/2004/261",
  asOf: null,
};

export const likeEu261 = (flight: DisruptedFlight): AirlineDuty[] =>
  findLaws(flight).flatMap((law) => {
    const isCalledOff =
      flight.event === "cancellation" || (law.earlyIsCancelled && (flight.departsLaterMinutes ?? 0) < -EARLY_MINUTES);
    return isCalledOff ? cancelled(flight, law) : disrupted(flight, law);
  });

export const listRules = (flight: DisruptedFlight): string[] => findLaws(flight).map(({ rule }) => rule);

/** Article 3(1). */
function findLaws({ from, to, operatingCarrier, marketingCarrier }: DisruptedFlight): Applied[] {
  const laws: readonly Law[] = [
    {
      rule: "EU 261/2004",
      source: EU_SOURCE,
      currency: "EUR",
      amounts: [250, 400, 600],
      licences: EU261.has(from) ? [] : EU261.has(to) ? ["european_union"] : undefined,
      licensedBy: "of a country of the EU, Iceland, Norway or Switzerland",
      isWithin: EU261.has(from) && EU261.has(to),
      earlyIsCancelled: true,
    },
    {
      rule: "UK 261",
      source: UK_SOURCE,
      currency: "GBP",
      amounts: [220, 350, 520],
      licences: findUkLicences(from, to, operatingCarrier || marketingCarrier),
      licensedBy: to === "GB" ? "of the United Kingdom or of a country of the EU" : "of the United Kingdom",
      isWithin: false,
      earlyIsCancelled: false,
    },
  ];
  return laws.flatMap((law): Applied[] => {
    const { licences, licensedBy } = law;
    if (licences === undefined) return [];
    if (licences.length === 0) return [{ ...law, condition: null }];
    const isLicensed = (carrier: string) => licences.includes(findLicence(carrier));
    if (isLicensed(operatingCarrier)) return [{ ...law, condition: null }];
    if (findLicence(operatingCarrier) !== "unknown") return [];
    const condition =
      operatingCarrier === "" && isLicensed(marketingCarrier)
        ? `${marketingCarrier} operates the flight itself, not a partner.`
        : `The airline that flies holds an operating licence ${licensedBy}, which is not known here.`;
    return [{ ...law, condition }];
  });
}

function findUkLicences(from: string, to: string, carrier: string): Law["licences"] {
  if (from === "GB") return [];
  if (to === "GB") return ["united_kingdom", "european_union"];
  // Elsewhere the law follows British airlines to the Union only; from the Union its own Regulation applies anyway.
  const follows = EU261.has(to) && !EU261.has(from) && findLicence(carrier) === "united_kingdom";
  return follows ? ["united_kingdom"] : undefined;
}

const CHOICE =
  "a refund within seven days, another flight at the earliest opportunity, or another flight at a later date of the passenger's choice";
const REFUND =
  "a refund within seven days for the flights not taken, and for flights already taken if the journey no longer serves its purpose, in that case with a flight back to the first point of departure";
const CARE = "meals and refreshments in reasonable relation to the waiting time, and two telephone calls or e-mails";
const HOTEL = "a hotel for the nights of waiting and the transfer between airport and hotel";
const EXTRAORDINARY =
  "The airline cannot prove extraordinary circumstances that it could not have avoided, such as dangerous weather or a strike of air traffic control.";
const CALLED_OFF = "The airline cancels the flight.";
const DENIED = "The airline refuses boarding against the passenger's will, for example because it sold too many seats.";
const MISSED =
  "One booking covers the whole journey, and the delay of an earlier flight made the passenger miss this one.";

const NO_COMPENSATION = `No compensation is due, because the airline announced it at least ${NOTICE_DAYS} days ahead (Article 5(1)(c)).`;
const sayLate = (hours: number): string => `The flight leaves at least ${hours} hours late.`;

/** Article 5. */
function cancelled(flight: DisruptedFlight, law: Applied): AirlineDuty[] {
  const { condition } = law;
  const { noticeDays } = flight;
  const isEarlyNotice = noticeDays >= NOTICE_DAYS;
  return [
    duty(law, {
      owes: "flight_or_refund",
      article: flight.event === "cancellation" ? CALLED_OFF_ARTICLES : `${CALLED_OFF_ARTICLES}, with ${EARLY_CASE}`,
      text: `The passenger chooses: ${CHOICE}.${isEarlyNotice ? ` ${NO_COMPENSATION}` : ""}`,
      onlyIf: condition,
    }),
    duty(law, {
      owes: "care",
      article: "Articles 5(1)(b) and 9",
      text: `While passengers wait for another flight: ${CARE}.`,
      onlyIf: condition,
    }),
    duty(law, {
      owes: "hotel",
      article: "Articles 5(1)(b) and 9(1)",
      text: `The airline pays for ${HOTEL}.`,
      onlyIf: joinConditions([
        condition,
        flight.leavesNextDay === true ? null : "The other flight leaves a day later or more.",
      ]),
    }),
    ...(isEarlyNotice ? [] : [compensationForCancellation(flight, law)]),
  ];
}

function compensationForCancellation(flight: DisruptedFlight, law: Applied): AirlineDuty {
  const { amount, said, isLong } = findAmount(flight, law);
  const [early, late] = flight.noticeDays >= LATE_NOTICE_DAYS ? ["two hours", "four hours"] : ["one hour", "two hours"];
  const halved = isLong === undefined ? "two to four hours, by distance" : `${isLong ? "four" : "two or three"} hours`;
  return duty(law, {
    owes: "compensation",
    article: "Articles 5(1)(c) and 7",
    amount,
    text: `${said} for each passenger, in addition to the refund or the other flight. The airline may halve it if another flight arrives at most ${halved} late (Article 7(2)).`,
    onlyIf: joinConditions([
      law.condition,
      `The airline announced it less than ${NOTICE_DAYS} days ahead and offered no other flight that leaves at most ${early} earlier and arrives less than ${late} later.`,
      EXTRAORDINARY,
    ]),
  });
}

/** Article 6: a new time that was announced long before makes nobody wait at the airport, and costs the airline nothing. */
function rescheduled(flight: DisruptedFlight, law: Applied): AirlineDuty[] {
  const { departsLaterMinutes: minutes } = flight;
  const isShort = minutes !== undefined && minutes < REFUND_HOURS * 60;
  const refund = () =>
    duty(law, {
      owes: "refund",
      article: "Articles 6(1)(iii) and 8(1)(a)",
      text: `At a delay of ${REFUND_HOURS} hours or more, passengers who do not fly get ${REFUND}. ${NO_COMPENSATION}`,
      onlyIf: joinConditions([law.condition, minutes === undefined && sayLate(REFUND_HOURS)]),
    });
  return [...(isShort ? [] : [refund()]), ...(flight.event === "unclear" ? [choice(law, CALLED_OFF)] : [])];
}

/** Articles 4, 6 and 7. */
function disrupted(flight: DisruptedFlight, law: Applied): AirlineDuty[] {
  if (flight.event !== "missed_connection" && flight.noticeDays >= NOTICE_DAYS) return rescheduled(flight, law);
  const missed = flight.event === "missed_connection" && MISSED;
  const { departsLaterMinutes: minutes, leavesNextDay, isConnectionLost } = flight;
  const careHours = CARE_HOURS[findBracket(flight, law) ?? 2];
  const from = (hours: number, owed: Omit<Owed, "onlyIf">): AirlineDuty[] => {
    if (minutes !== undefined && minutes < hours * 60) return [];
    const late = minutes === undefined && sayLate(hours);
    return [duty(law, { ...owed, onlyIf: joinConditions([law.condition, missed, late]) })];
  };
  return [
    ...from(careHours, {
      owes: "care",
      article: "Articles 6(1) and 9",
      text: `While passengers wait: ${CARE}.`,
    }),
    ...(!isConnectionLost && (leavesNextDay === false || (minutes !== undefined && minutes < careHours * 60))
      ? []
      : [
          duty(law, {
            owes: "hotel",
            article: "Articles 6(1)(ii) and 9(1)",
            text: `The airline pays for ${HOTEL}.`,
            onlyIf: joinConditions([
              law.condition,
              missed,
              isConnectionLost &&
                leavesNextDay !== true &&
                "The flight that takes the passengers on leaves on the next day or later.",
              !isConnectionLost &&
                leavesNextDay === undefined &&
                "The flight is expected to leave on the next day or later.",
            ]),
          }),
        ]),
    ...from(REFUND_HOURS, {
      owes: "refund",
      article: "Articles 6(1)(iii) and 8(1)(a)",
      text: `At a delay of ${REFUND_HOURS} hours or more, passengers who do not fly get ${REFUND}.`,
    }),
    ...compensationForDelay(flight, law, missed),
    ...(flight.event === "unclear" ? unclear(flight, law) : []),
  ];
}

function compensationForDelay(flight: DisruptedFlight, law: Applied, missed: string | false): AirlineDuty[] {
  const { arrivesLaterMinutes } = flight;
  const minutes = minutesLate(flight);
  if (minutes !== undefined && minutes < COMPENSATION_HOURS * 60) return [];
  const { amount, said, half, isLong } = findAmount(flight, law);
  const isHalved = isLong === true && minutes !== undefined && minutes < HALVED_UNTIL_HOURS * 60;
  const halved =
    isLong === false
      ? ""
      : ` On long flights the airline may halve it, here to ${half}, if the delay at arrival is under ${HALVED_UNTIL_HOURS} hours (Article 7(2)(c)).`;
  return [
    duty(law, {
      owes: "compensation",
      article: "Article 7, with Court of Justice C-402/07 and C-11/11",
      amount: isHalved ? half.replace(/^\D+/, "") : amount,
      text: `${said} for each passenger who reaches the final destination ${COMPENSATION_HOURS} hours late or more.${halved}`,
      onlyIf: joinConditions([
        law.condition,
        missed,
        arrivesLaterMinutes === undefined &&
          `The arrival at the final destination is at least ${COMPENSATION_HOURS} hours late.`,
        EXTRAORDINARY,
      ]),
    }),
  ];
}

function unclear(flight: DisruptedFlight, law: Applied): AirlineDuty[] {
  const { amount, said } = findAmount(flight, law);
  return [
    choice(law, `${CALLED_OFF} Or: ${DENIED}`),
    duty(law, {
      owes: "compensation",
      article: "Articles 4(3) and 7",
      amount,
      text: `${said} for each passenger who is denied boarding, payable at once, in addition to the refund or the other flight and the care.`,
      onlyIf: joinConditions([law.condition, DENIED]),
    }),
  ];
}

const choice = (law: Applied, onlyIf: string): AirlineDuty =>
  duty(law, {
    owes: "flight_or_refund",
    article: "Articles 4(3), 5(1)(a) and 8",
    text: `The passenger chooses: ${CHOICE}.`,
    onlyIf: joinConditions([law.condition, onlyIf]),
  });

type Owed = Pick<AirlineDuty, "owes" | "article" | "text" | "onlyIf"> & { amount?: string | null };

const duty = ({ rule, currency, source }: Applied, { amount = null, ...owed }: Owed): AirlineDuty => ({
  ...owed,
  rule,
  amount,
  currency: amount === null ? null : currency,
  source,
});

/** 0 short, 1 middle, 2 long; undefined if the distance is not known. */
function findBracket({ kilometers }: DisruptedFlight, { isWithin }: Law): 0 | 1 | 2 | undefined {
  if (kilometers === undefined) return undefined;
  if (kilometers <= SHORT_KILOMETERS) return 0;
  return kilometers <= MIDDLE_KILOMETERS || isWithin ? 1 : 2;
}

function findAmount(flight: DisruptedFlight, law: Applied) {
  const { amounts, currency } = law;
  const bracket = findBracket(flight, law);
  const [least, , most] = amounts;
  const half = `${currency} ${most / 2}`;
  if (bracket === undefined) {
    return { amount: null, said: `${currency} ${least} to ${most}, by distance,`, half, isLong: undefined };
  }
  return { amount: `${amounts[bracket]}`, said: `${currency} ${amounts[bracket]}`, half, isLong: bracket === 2 };
}
