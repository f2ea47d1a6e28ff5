import { describe, expect, it } from "vitest";
import { airlineDuties } from "./airline-duties.ts";
import type { DisruptedFlight } from "./airline-duty.ts";

/** A second table, written from the texts of the law: each line names the article that it shows. */
const flight: DisruptedFlight = {
  event: "delay",
  from: "",
  to: "",
  kilometers: undefined,
  departsLaterMinutes: undefined,
  arrivesLaterMinutes: undefined,
  leavesNextDay: false,
  isConnectionLost: false,
  isElsewhere: false,
  noticeDays: 0,
  operatingCarrier: "",
  marketingCarrier: "",
};
type Case = readonly [article: string, route: string, given: Partial<DisruptedFlight>, expected: readonly string[]];

const late = (hours: number, minutes = 0) => ({ departsLaterMinutes: hours * 60 + minutes });
const arrives = (hours: number, minutes = 0) => ({
  departsLaterMinutes: hours * 60 + minutes,
  arrivesLaterMinutes: hours * 60 + minutes,
});
const calledOff = { event: "cancellation", leavesNextDay: undefined } as const;

const say = (route: string, given: Partial<DisruptedFlight>) => {
  const [from = "", to = "", kilometers = ""] = route.split(/[- ]/);
  return airlineDuties({
    ...flight,
    from,
    to,
    kilometers: kilometers === "" ? undefined : Number(kilometers),
    ...given,
  });
};
const short = ({ rule, owes, amount, currency, onlyIf }: ReturnType<typeof say>[number]) =>
  `${rule.split(" ")[0]} ${owes}${amount === null ? "" : ` ${amount} ${currency}`}${onlyIf === null ? "" : ", if"}`;

const DELAYS: readonly Case[] = [
  ["6(1)(a)", "FR-DE 1500", late(1, 59), []],
  ["6(1)(a)", "FR-DE 1500", late(2), ["EU care"]],
  ["6(1)(b)", "FR-GR 1501", late(2, 59), []],
  ["6(1)(b), 7(1)(b)", "FR-GR 1501", late(3), ["EU care", "EU compensation 400 EUR, if"]],
  ["6(1)(b), within the Community", "FR-RE 9000", late(3), ["EU care", "EU compensation 400 EUR, if"]],
  ["6(1)(b), other flights", "FR-MA 3500", late(3), ["EU care", "EU compensation 400 EUR, if"]],
  ["6(1)(c), 7(2)(c)", "FR-JP 9700", late(3, 59), ["EU compensation 300 EUR, if"]],
  ["6(1)(c), 7(1)(c)", "FR-JP 9700", late(4), ["EU care", "EU compensation 600 EUR, if"]],
  ["6(1)(iii)", "FR-JP 9700", late(4, 59), ["EU care", "EU compensation 600 EUR, if"]],
  ["6(1)(iii)", "FR-JP 9700", late(5), ["EU care", "EU refund", "EU compensation 600 EUR, if"]],
  [
    "6(1)(ii)",
    "FR-JP 9700",
    { ...late(14), leavesNextDay: true },
    ["EU care", "EU hotel", "EU refund", "EU compensation 600 EUR, if"],
  ],
  ["6(1)(ii), too short a delay for any assistance", "FR-DE 700", { ...late(1), leavesNextDay: true }, []],
  ["7(1)(a), arrival in time after all", "FR-DE 700", { ...late(3), arrivesLaterMinutes: 179 }, ["EU care"]],
  ["7(1)(a)", "FR-DE 700", arrives(3), ["EU care", "EU compensation 250 EUR, if"]],
  ["6(1)(a), UK", "GB-MA 1400", late(3), ["UK care", "UK compensation 220 GBP, if"]],
  ["6(1)(b), UK", "GB-MA 1600", late(3), ["UK care", "UK compensation 350 GBP, if"]],
  ["7(2)(c), UK", "GB-US 5540", late(3), ["UK compensation 260 GBP, if"]],
  ["7(1)(c), UK", "GB-US 5540", late(5), ["UK care", "UK refund", "UK compensation 520 GBP, if"]],
  ["5(1)(c)(i), a new time announced long before", "FR-MA 2000", { ...late(6), noticeDays: 14 }, ["EU refund"]],
  ["6(1)(iii), a new time announced long before", "FR-MA 2000", { ...late(4, 59), noticeDays: 90 }, []],
  [
    "5(1)(a), announced long before, perhaps as a cancellation",
    "FR-MA 2000",
    { ...late(6), event: "unclear", noticeDays: 90 },
    ["EU refund", "EU flight_or_refund, if"],
  ],
  [
    "5(1)(c)(ii), announced too late",
    "FR-MA 2000",
    { ...late(6), noticeDays: 13 },
    ["EU care", "EU refund", "EU compensation 400 EUR, if"],
  ],
  [
    "7(1)(c), UK: no Community there",
    "GB-CY 3600",
    { ...late(4), operatingCarrier: "BA" },
    ["UK care", "UK compensation 520 GBP, if"],
  ],
];

const SCOPE: readonly Case[] = [
  ["3(1)(b), who flies is unknown", "JP-FR 9700", late(4), ["EU care, if", "EU compensation 600 EUR, if"]],
  [
    "3(1)(b), a Community carrier",
    "JP-FR 9700",
    { ...late(4), operatingCarrier: "AF" },
    ["EU care", "EU compensation 600 EUR, if"],
  ],
  [
    "3(1)(b), sold by one",
    "JP-FR 9700",
    { ...late(4), marketingCarrier: "AF" },
    ["EU care, if", "EU compensation 600 EUR, if"],
  ],
  [
    "3(1)(b), flown by a UK carrier",
    "JP-FR 9700",
    { ...late(4), operatingCarrier: "BA" },
    ["UK care", "UK compensation 520 GBP, if"],
  ],
  ["3(1)(b)(i), UK", "JP-GB 9600", { ...late(4), operatingCarrier: "LH" }, ["UK care", "UK compensation 520 GBP, if"]],
  ["3(1)(a)", "CH-JP 9500", { ...late(4), operatingCarrier: "JL" }, ["EU care", "EU compensation 600 EUR, if"]],
  ["3(1), elsewhere", "JP-TH 4600", late(9), []],
];

const CANCELLATIONS: readonly Case[] = [
  ["5(1)(c)(i)", "FR-DE 700", { ...calledOff, noticeDays: 14 }, ["EU flight_or_refund", "EU care", "EU hotel, if"]],
  [
    "5(1)(c)(ii)",
    "FR-DE 700",
    { ...calledOff, noticeDays: 13 },
    ["EU flight_or_refund", "EU care", "EU hotel, if", "EU compensation 250 EUR, if"],
  ],
  [
    "5(1)(b), 9(1)(b)",
    "GB-US 5540",
    { ...calledOff, leavesNextDay: true },
    ["UK flight_or_refund", "UK care", "UK hotel", "US refund", "UK compensation 520 GBP, if"],
  ],
  [
    "C-146/20: more than an hour early",
    "FR-DE 700",
    { ...arrives(-2), noticeDays: 20 },
    ["EU flight_or_refund", "EU care", "EU hotel, if"],
  ],
  ["C-146/20: an hour early", "FR-DE 700", arrives(-1), []],
];

const OTHERS: readonly Case[] = [
  ["14 CFR 260.2, domestic", "US-US 4000", arrives(3), ["US refund"]],
  ["14 CFR 260.2, domestic", "US-US 4000", arrives(2, 59), []],
  ["14 CFR 260.2, international", "US-JP 10000", arrives(5), []],
  ["14 CFR 260.2, international", "US-JP 10000", arrives(6), ["US refund"]],
  ["14 CFR 260.2, earlier", "JP-PR 13000", arrives(-6), ["US refund"]],
  ["14 CFR 260.2, another airport", "US-JP 10000", { ...arrives(0), isElsewhere: true }, ["US refund"]],
  ["SOR/2019-150, 14", "CA-JP 7500", late(2), ["Canada care, if"]],
  [
    "SOR/2019-150, 17 and 19",
    "CA-JP 7500",
    late(3),
    ["Canada flight_or_refund", "Canada care, if", "Canada compensation, if"],
  ],
  [
    "SOR/2019-150, 12: told two weeks before",
    "CA-JP 7500",
    { ...calledOff, noticeDays: 14 },
    ["Canada flight_or_refund"],
  ],
  [
    "SOR/2019-150, 14 and 19: told the day before",
    "CA-JP 7500",
    { ...calledOff, noticeDays: 1 },
    ["Canada flight_or_refund", "Canada compensation, if"],
  ],
];

const UNKNOWN: readonly Case[] = [
  [
    "a delay of unknown length",
    "FR-JP 9700",
    { leavesNextDay: undefined },
    ["EU care, if", "EU hotel, if", "EU refund, if", "EU compensation 600 EUR, if"],
  ],
  [
    "C-11/11: a delay of an hour that loses a connection",
    "FR-JP 9700",
    { ...late(1), isConnectionLost: true },
    ["EU hotel, if", "EU compensation 600 EUR, if"],
  ],
  ["14 CFR 260.2, a lost connection", "US-JP 10000", { ...late(5), isConnectionLost: true }, ["US refund, if"]],
  [
    "SOR/2019-150, a lost connection",
    "CA-JP 7500",
    { ...late(1), isConnectionLost: true },
    ["Canada flight_or_refund, if", "Canada care, if", "Canada compensation, if"],
  ],
  ["an unknown distance", "FR-JP", late(5), ["EU care", "EU refund", "EU compensation, if"]],
  [
    "4: denied boarding",
    "FR-DE 700",
    { ...late(0), event: "unclear" },
    ["EU flight_or_refund, if", "EU compensation 250 EUR, if"],
  ],
  [
    "C-11/11: a missed connection",
    "FR-JP 9700",
    { ...late(6), event: "missed_connection" },
    ["EU care, if", "EU refund, if", "EU compensation 600 EUR, if"],
  ],
];

describe.each([
  ["delays", DELAYS],
  ["where they apply", SCOPE],
  ["cancellations", CANCELLATIONS],
  ["other laws", OTHERS],
  ["what is not known", UNKNOWN],
] as const)("duties of airlines: %s", (_, cases) => {
  it.each(cases)("%s: %s", (_article, route, given, expected) => {
    const duties = say(route, given);
    expect(duties.map(short)).toEqual(expected);
    for (const { source, article } of duties) {
      expect(source.url).toMatch(/^https:/);
      expect(article).toMatch(/\d/);
    }
  });
});

it("says what the law says of a refund, of care and of another flight", () => {
  const [care, hotel, refund] = say("FR-JP 9700", { ...late(14), leavesNextDay: true });
  expect(care?.text).toMatch(/meals and refreshments.*two telephone calls/);
  expect(hotel?.text).toMatch(/hotel.*transfer/);
  expect(refund?.text).toMatch(/within seven days.*no longer serves its purpose.*flight back to the first point/);
  const [choice, , , compensation] = say("FR-DE 700", { ...calledOff, noticeDays: 10 });
  expect(choice?.text).toMatch(/refund within seven days, another flight at the earliest.*later date/);
  expect(compensation?.onlyIf).toMatch(/less than 14 days.*two hours earlier.*four hours later.*extraordinary/);
  const [last] = say("FR-DE 700", { ...calledOff, noticeDays: 6 }).slice(-1);
  expect(last?.onlyIf).toMatch(/one hour earlier.*two hours later/);
});
