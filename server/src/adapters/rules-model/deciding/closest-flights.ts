import type { ModelToolResult } from "../../../ports/language-model.ts";
import { sayTime } from "../replies/say-times.ts";
import { showFlights } from "../replies/show-flights.ts";
import { landsInTime } from "../state/landing-days.ts";
import { FlightAnswer, FlightOffer, readList } from "../state/results.ts";
import { FLIGHTS_SHOWN, shownFlights } from "../state/shown.ts";
import type { State } from "../state/state.ts";
import { call, type Deciding, failureCode, findResult, type Outcome, tell } from "./outcome.ts";

type Filters = Readonly<Record<string, unknown>>;
type Entry = readonly [name: string, value: unknown];

const OUT: ReadonlySet<string> = new Set(["departs", "arrives"]);
const BACK: ReadonlySet<string> = new Set(["returnDeparts", "returnArrives"]);
/** Wishes in the order in which they are given up, where one of them is enough. */
const GIVEN_UP = [
  ...["airlines", "checkedBags", "changeable", "refundable", "directOnly"],
  ...["returnDeparts", "departs", "returnArrives", "arrives"],
];
/** A page of the tool: among those that land in time by the clock, some land a day too late. */
const PAGE = 10;

const hasArrival = ({ arrives, returnArrives }: Filters): boolean =>
  arrives !== undefined || returnArrives !== undefined;

export const countAsked = (filters: Filters): number => (hasArrival(filters) ? PAGE : FLIGHTS_SHOWN);

export const readOffers = (result: unknown): FlightOffer[] =>
  readList(FlightOffer, FlightAnswer.safeParse(result).data?.offers ?? []);

/** Whether the answer has no flights as they were wished, on the day that was meant. */
export function isEmpty({ state: { flight } }: Deciding, found: ModelToolResult): boolean {
  if (found.outcome !== "ok") return failureCode(found) !== undefined;
  return landsInTime(readOffers(found.result), flight.times).length === 0;
}

/** Bags are counted together and searched for each traveler. */
export const countBags = ({ flight, party }: State): number => Math.ceil(flight.bags / (party.adults + party.children));

export function sayParty({ speaker, state: { party } }: Deciding): string {
  const count = party.adults + party.children;
  return count > 1 ? speaker.say("forAll", { count }) : "";
}

interface Tried {
  readonly searchId: string;
  readonly filters: Filters;
  /** The answer to all wishes together. */
  readonly tried: ModelToolResult;
}

/** Where nothing fits all wishes: without the one that excludes all, or the times alone, or all but the times, or one way's times, or anything. */
export function presentClosest(deciding: Deciding, { searchId, filters, tried }: Tried): Outcome {
  const entries = Object.entries(filters).filter(([name]) => name !== "order");
  const parts = listParts(deciding, entries, tried);
  let kept: readonly Entry[] | undefined;
  for (const part of parts) {
    const args = { searchId, ...Object.fromEntries(part), order: filters.order ?? "price", limit: countAsked(filters) };
    const search = { name: "search_more_flights", args };
    const others = entries.filter(([name]) => !part.some(([one]) => one === name)).map(([name]) => name);
    const found = findResult(deciding, search, others);
    if (found === undefined) return call(search);
    if (failureCode(found) !== undefined || readOffers(found.result).length === 0) continue;
    kept = part;
    break;
  }
  const { speaker, state } = deciding;
  const dropped = entries.filter((one) => kept !== undefined && !kept.includes(one));
  const closest =
    dropped.length === 0
      ? speaker.say("closest")
      : speaker.say("closestWithout", { dropped: sayWishes(deciding, dropped) });
  const stay = state.isStayNext ? speaker.say("stayFollows") : "";
  const lines = [
    speaker.say("noneFits", { wishes: sayWishes(deciding, entries) }),
    closest,
    sayParty(deciding),
    showFlights(shownFlights(state), speaker),
    speaker.say("chooseFlight"),
    stay,
  ];
  return tell(lines.filter((line) => line !== "").join("\n"));
}

function listParts(
  { state: { party } }: Deciding,
  entries: readonly Entry[],
  tried: ModelToolResult,
): readonly (readonly Entry[])[] {
  const keep = (fits: (name: string) => boolean) => entries.filter(([name]) => fits(name));
  const answer = FlightAnswer.safeParse(tried.result).data;
  // All that was found lands a day too late.
  const isLate = failureCode(tried) === undefined && (answer?.offers.length ?? 0) > 0;
  const emptying = isLate ? ["returnArrives", "arrives"] : (answer?.emptiedBy ?? []);
  const culprits = GIVEN_UP.filter((one) => emptying.includes(one) && entries.some(([name]) => name === one));
  const some = [
    keep((name) => OUT.has(name) || BACK.has(name)),
    keep((name) => !OUT.has(name) && !BACK.has(name)),
    keep((name) => OUT.has(name)),
    keep((name) => BACK.has(name)),
  ].filter((part) => part.length > 0 && part.length < entries.length);
  // Grown-ups alone have been searched without any wish before.
  const all = isLate || party.children > 0 ? [[]] : [];
  return [...culprits.map((one) => keep((name) => name !== one)), ...some, ...all];
}

function sayWishes({ speaker, state }: Deciding, entries: readonly Entry[]): string {
  const { flight } = state;
  const said: Readonly<Record<string, () => readonly string[]>> = {
    directOnly: () => [speaker.say("direct")],
    refundable: () => [speaker.say("refundable")],
    changeable: () => [speaker.say("changeable")],
    checkedBags: () => [speaker.say("checkedBags", { count: countBags(state) })],
    airlines: () => [speaker.say("onlyWith", { airlines: speaker.list(flight.airlines) })],
    departs: () => sayTime(flight.times, "departs", speaker),
    arrives: () => sayTime(flight.times, "arrives", speaker),
    returnDeparts: () => sayTime(flight.times, "returnDeparts", speaker),
    returnArrives: () => sayTime(flight.times, "returnArrives", speaker),
  };
  return entries.flatMap(([name]) => said[name]?.() ?? []).join("; ");
}
