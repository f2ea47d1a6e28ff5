import { isSameCity } from "../reading/city-airports.ts";
import type { Maximum, TimeWindow } from "../reading/limits.ts";
import { toClock } from "../replies/clock-times.ts";
import { sayTimes } from "../replies/say-times.ts";
import { showFlights } from "../replies/show-flights.ts";
import { FlightAnswer } from "../state/results.ts";
import { FLIGHTS_SHOWN, isWithinLimit, shownFlights } from "../state/shown.ts";
import type { FlightSlots, Place, State, Wish } from "../state/state.ts";
import { countAsked, countBags, isEmpty, presentClosest, readOffers, sayParty } from "./closest-flights.ts";
import { hasFlights, sayCheaperDay, searchBothDays } from "./compare-days.ts";
import {
  ask,
  type Call,
  call,
  type Deciding,
  failureCode,
  findResult,
  need,
  type Outcome,
  sayFailure,
  tell,
} from "./outcome.ts";
import { sayStrangers } from "./register-traveler.ts";

const ADULT_AGE = 30;

export function findFlights(deciding: Deciding, wish: Wish): Outcome {
  const missing = askForMissing(deciding);
  if (missing !== undefined) return missing;
  const unresolved = resolvePlaces(deciding);
  if (unresolved !== undefined) return unresolved;
  const { flight, party } = deciding.state;
  const base = baseArgs(flight);
  if (base === undefined) return tell(deciding.speaker.say("unknown"));
  const rate = askForRate(deciding, flight.maximum);
  if (rate !== undefined) return call(rate);
  const filters = listFilters(deciding.state);
  if (flight.otherDeparture !== undefined) return compareDays(deciding, base, { filters, wish });
  if (party.children > 0) {
    const ages = listAges(deciding);
    const search = { name: "search_more_flights", args: { ...base, ages, ...filters, limit: countAsked(filters) } };
    const found = findResult(deciding, search);
    const searchId = FlightAnswer.safeParse(found?.result).data?.searchId;
    if (found !== undefined && searchId != null && Object.keys(filters).length > 0 && isEmpty(deciding, found))
      return presentClosest(deciding, { searchId, filters, tried: found });
    return present(deciding, { search, hasFilters: Object.keys(filters).length > 0, wish });
  }
  const search = {
    name: "search_flights",
    args: { ...base, ...(party.adults > 1 ? { passengers: party.adults } : {}) },
  };
  if (wish.kind !== "moreFlights" && Object.keys(filters).length === 0) {
    return present(deciding, { search, hasFilters: false, wish });
  }
  const first = need(deciding, search);
  if ("outcome" in first) return first.outcome.calls === undefined ? sayNoFlights(deciding, search) : first.outcome;
  const searchId = FlightAnswer.safeParse(first.result).data?.searchId;
  if (searchId == null) return present(deciding, { search, hasFilters: false, wish });
  const narrow = { name: "search_more_flights", args: { searchId, ...filters, limit: countAsked(filters) } };
  const narrowed = findResult(deciding, narrow);
  if (narrowed !== undefined && isEmpty(deciding, narrowed))
    return presentClosest(deciding, { searchId, filters, tried: narrowed });
  return present(deciding, { search: narrow, hasFilters: true, wish });
}

/** Lists the ages of all travelers; adults count as thirty. */
export function listAges(deciding: Deciding): readonly number[] {
  const { party } = deciding.state;
  const adults = Array.from({ length: party.adults }, () => ADULT_AGE);
  return party.children > 0 ? [...adults, ...childAges(deciding)] : adults;
}

/** Searches two days and shows the flights of the cheaper one. */
function compareDays(
  deciding: Deciding,
  base: object,
  { filters, wish }: { filters: Readonly<Record<string, unknown>>; wish: Wish },
): Outcome {
  const ages = listAges(deciding);
  const makeSearch = (departureDate: string): Call => ({
    name: "search_more_flights",
    args: { ...base, departureDate, ages, ...filters, order: "price", limit: FLIGHTS_SHOWN },
  });
  const pending = searchBothDays(deciding, makeSearch);
  if (pending !== undefined) return pending;
  const { departure, otherDeparture } = deciding.state.flight;
  const days = [departure, otherDeparture].flatMap((day) => (day === undefined ? [] : [makeSearch(day.toString())]));
  const search = days.find((one) => hasFlights(deciding, one)) ?? days[0];
  return search === undefined
    ? tell(sayNone(deciding))
    : present(deciding, { search, hasFilters: Object.keys(filters).length > 0, wish });
}

/** The profile of a child who is named tells the age on the day of the last journey. */
function childAges({ state, request }: Deciding): readonly number[] {
  const { party, flight } = state;
  const day = flight.return ?? flight.departure;
  if (day === undefined) return party.ages;
  const known = request.traveler.companions.flatMap(({ userId, bornOn }) => {
    if (bornOn === undefined || !state.companions.has(userId)) return [];
    const age = Temporal.PlainDate.from(bornOn).until(day, { largestUnit: "years" }).years;
    return age < 18 ? [age] : [];
  });
  return known.length === party.children ? known : party.ages;
}

const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");

/** One question at a time, for what a search cannot do without. */
function askForMissing({ state, speaker, today }: Deciding): Outcome | undefined {
  const { flight, party } = state;
  const { say } = speaker;
  if (flight.destination === undefined) return ask("destination", say("askDestination"));
  if (flight.destination.isCountry) return ask("destination", say("askCity", { country: flight.destination.name }));
  if (flight.origin === undefined) return ask("origin", say("askOrigin"));
  if (flight.origin.isCountry) return ask("origin", say("askCity", { country: flight.origin.name }));
  if (isSamePlace(flight.origin, flight.destination)) return ask("destination", say("askDestination"));
  if (flight.departure === undefined) return ask("departureDate", say("askDeparture"));
  if (Temporal.PlainDate.compare(flight.departure, today) < 0) {
    return ask("departureDate", say("pastDate", { date: speaker.day(flight.departure) }));
  }
  const isEarly = flight.return !== undefined && Temporal.PlainDate.compare(flight.return, flight.departure) < 0;
  if (flight.isRoundTrip && (flight.return === undefined || isEarly)) return ask("returnDate", say("askReturn"));
  if (party.children > party.ages.length) return ask("childAges", say("askChildAges"));
  return undefined;
}

const isSamePlace = (one: Place, other: Place): boolean => isSameCity(one.code, other.code);

/** Codes of places that are not known here are looked up. */
function resolvePlaces(deciding: Deciding): Outcome | undefined {
  const { flight } = deciding.state;
  const calls: Call[] = [];
  for (const [slot, place] of [
    ["origin", flight.origin],
    ["destination", flight.destination],
  ] as const) {
    if (place === undefined || place.code !== undefined) continue;
    const lookUp = { name: "find_airports_nearby", args: { query: place.name } };
    const found = findResult(deciding, lookUp);
    if (found === undefined) calls.push(lookUp);
    else return ask(slot, sayUnknown(deciding, place, slot));
  }
  return calls.length > 0 ? call(...calls) : undefined;
}

function sayUnknown({ speaker: { say } }: Deciding, { name }: Place, slot: "origin" | "destination"): string {
  return `${say("unknownPlace", { place: name })} ${say(slot === "origin" ? "askOrigin" : "askDestination")}`;
}

function baseArgs({ origin, destination, departure, return: back, isRoundTrip, cabin }: FlightSlots) {
  if (origin?.code === undefined || destination?.code === undefined || departure === undefined) return undefined;
  return {
    origin: origin.code,
    destination: destination.code,
    departureDate: departure.toString(),
    ...(isRoundTrip && back !== undefined ? { returnDate: back.toString() } : {}),
    ...(cabin === undefined ? {} : { cabinClass: cabin }),
  };
}

const asWindow = ({ from, until }: TimeWindow) => ({
  ...(from === undefined ? {} : { from: toClock(from) }),
  ...(until === undefined ? {} : { until: toClock(until) }),
});

const ORDERS: Readonly<Record<string, string>> = { price: "price", duration: "duration", earliest: "departure" };

function listFilters(state: State): Record<string, unknown> {
  const { flight } = state;
  const { times, sort, maximum } = flight;
  const order = maximum !== undefined ? "price" : sort === undefined ? undefined : ORDERS[sort];
  return {
    ...(flight.isNonStop ? { directOnly: true } : {}),
    ...(flight.isRefundable ? { refundable: true } : {}),
    ...(flight.isChangeable ? { changeable: true } : {}),
    ...(flight.bags > 0 ? { checkedBags: countBags(state) } : {}),
    ...(flight.airlines.length > 0 ? { airlines: flight.airlines } : {}),
    ...(times.departs === undefined ? {} : { departs: asWindow(times.departs) }),
    ...(times.arrives === undefined ? {} : { arrives: asWindow(times.arrives) }),
    ...(times.returnDeparts === undefined || flight.return === undefined
      ? {}
      : { returnDeparts: asWindow(times.returnDeparts) }),
    ...(times.returnArrives === undefined || flight.return === undefined
      ? {}
      : { returnArrives: asWindow(times.returnArrives) }),
    ...(order === undefined ? {} : { order }),
  };
}

/** A rate for a limit in another currency, where it is not known yet. */
export function askForRate(deciding: Deciding, maximum: Maximum | undefined): Call | undefined {
  const currency = maximum?.currency ?? "USD";
  if (maximum === undefined || currency === "USD" || deciding.state.rates.has(currency)) return undefined;
  const quote = { name: "quote_fx", args: { fromCurrency: currency, toCurrency: "USD", amount: maximum.amount } };
  return findResult(deciding, quote) === undefined ? quote : undefined;
}

interface Presented {
  readonly search: Call;
  readonly hasFilters: boolean;
  readonly wish: Wish;
}

function present(deciding: Deciding, { search, hasFilters, wish }: Presented): Outcome {
  const { speaker, state } = deciding;
  const found = need(deciding, search);
  if ("outcome" in found) return found.outcome.calls === undefined ? sayNoFlights(deciding, search) : found.outcome;
  const offers = readOffers(found.result);
  if (offers.length === 0) return tell(sayNone(deciding));
  const header = speaker.say("flights", { route: sayRoute(state), date: sayDates(state.flight, deciding) });
  const bags = hasFilters && state.flight.bags > 0 ? speaker.say("bags", { count: countBags(state) }) : "";
  const shown = shownFlights(state);
  const isWithin = isWithinLimit(state, shown);
  const { maximum } = state.flight;
  const note =
    isWithin || maximum === undefined
      ? ""
      : speaker.say("noneBelow", { maximum: speaker.money(String(maximum.amount), maximum.currency ?? "USD") });
  const choose = speaker.say("chooseFlight");
  const stay = state.isStayNext ? speaker.say("stayFollows") : "";
  const renumbered = "isRenumbered" in wish && wish.isRenumbered === true ? speaker.say("renumbered") : "";
  return tell(
    lines(
      renumbered,
      sayCheaperDay(deciding),
      header,
      sayParty(deciding),
      note,
      sayTimes(state.flight.times, state.flight.return !== undefined, speaker),
      bags,
      showFlights(shown, speaker),
      sayStrangers(deciding),
      choose,
      stay,
    ),
  );
}

function sayNoFlights(deciding: Deciding, search: Call): Outcome {
  const found = findResult(deciding, search);
  if (found === undefined) return call(search);
  return tell(failureCode(found) === "no_offers" ? sayNone(deciding) : sayFailure(found, deciding.speaker));
}

const sayNone = ({ speaker, state }: Deciding): string =>
  speaker.say("noFlights", {
    route: sayRoute(state),
    date: state.flight.departure === undefined ? "" : speaker.day(state.flight.departure),
  });

const sayRoute = ({ flight: { origin, destination } }: State): string =>
  `${origin?.name ?? ""} → ${destination?.name ?? ""}`;

function sayDates({ departure, return: back, isRoundTrip }: FlightSlots, { speaker }: Deciding): string {
  const days = [departure, isRoundTrip ? back : undefined].flatMap((day) =>
    day === undefined ? [] : [speaker.day(day)],
  );
  return days.join(" – ");
}
