import { showBoard, showStays } from "../replies/show-stays.ts";
import {
  BookedStay,
  Order,
  OrderList,
  Quote,
  readList,
  type ShownStay,
  StayAnswer,
  TravelerList,
} from "../state/results.ts";
import { findPickedStay, fitsRateWishes, fitsWishes, shownStays, stayLimit } from "../state/shown.ts";
import type { State, Wish } from "../state/state.ts";
import { askWhich, chooseStay } from "./choose.ts";
import { askForRate } from "./flights.ts";
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

export function findStays(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const missing = askForMissing(deciding);
  if (missing !== undefined) return missing;
  const rate = askForRate(deciding, state.stay.maximum);
  if (rate !== undefined) return call(rate);
  const search = searchCall(state);
  if (search === undefined) return tell(speaker.say("unknown"));
  const first = need(deciding, search);
  if ("outcome" in first) return sayNoPlace(deciding, search) ?? first.outcome;
  const around = lookAlone(deciding, search, first.result);
  if ("outcome" in around) return around.outcome;
  const answer = StayAnswer.safeParse(around.result).data;
  const filters = listFilters(state, wish);
  if (answer?.searchId != null && Object.keys(filters).length > 0) {
    const narrow = { name: "search_more_stays", args: { searchId: answer.searchId, ...filters } };
    if (findResult(deciding, narrow) === undefined) return call(narrow);
  }
  const shown = shownStays(state);
  if (shown.length === 0) return tell(speaker.say("noStays"));
  const { checkIn, checkOut } = state.stay;
  if (checkIn === undefined || checkOut === undefined) return tell(speaker.say("noStays"));
  const place = withoutRepeats(answer?.location?.label ?? sayPlace(state));
  const header = speaker.say("stays", {
    place,
    from: speaker.day(checkIn),
    to: speaker.day(checkOut),
  });
  const unknown = answer?.location?.unknownPart;
  const notes = [
    ...("isRenumbered" in wish && wish.isRenumbered === true ? [speaker.say("renumbered")] : []),
    ...(unknown == null ? [] : [speaker.say("unknownPlace", { place: unknown })]),
    header,
    sayTerms(deciding, checkIn.until(checkOut).days),
    ...sayNightLimit(deciding),
    ...(unknown == null ? [] : [speaker.say("distancesFrom", { place })]),
    ...(hasLimits(state) && !fitsWishes(state, shown) ? [speaker.say("noStayFits")] : []),
    ...sayRateWishes(deciding, shown),
  ];
  const before = sayLastStay(deciding, wish, shown);
  if (typeof before !== "string") return before;
  const wishes = [before, state.stay.requests.length === 0 ? "" : sayRequests(deciding)].filter((text) => text !== "");
  return tell([...notes, showStays(shown, speaker), ...wishes, speaker.say("chooseStay")].join("\n"));
}

const hasLimits = ({ stay: { maximum, stars } }: State): boolean => maximum !== undefined || stars !== undefined;

const ROOM_TEXTS = {
  double: "roomDouble",
  twin: "roomTwin",
  single: "roomSingle",
  suite: "roomSuite",
  family: "roomFamily",
  superior: "roomSuperior",
} as const;

function nameRateWishes({ state: { stay }, speaker }: Deciding): string {
  return speaker.list([
    ...(stay.isBoardWanted ? [speaker.say("breakfast")] : []),
    ...(stay.isRefundable ? [speaker.say("refundFree")] : []),
    ...(stay.room === undefined ? [] : [speaker.say(ROOM_TEXTS[stay.room])]),
  ]);
}

/** Says so where no rate that is shown is as wished. */
function sayRateWishes(deciding: Deciding, shown: readonly ShownStay[]): readonly string[] {
  const { state, speaker } = deciding;
  if (shown.some(({ rate }) => fitsRateWishes(state, rate))) return [];
  const { isRefundable, room } = state.stay;
  const isBoardAlone = !isRefundable && room === undefined;
  return [isBoardAlone ? speaker.say("noBoard") : speaker.say("noSuchRates", { wishes: nameRateWishes(deciding) })];
}

/** "St. Stephen's Cathedral, Vienna, Vienna, Austria" */
const withoutRepeats = (label: string): string =>
  label
    .split(", ")
    .filter((part, index, parts) => part !== parts[index - 1])
    .join(", ");

function sayTerms({ state: { party, stay }, speaker }: Deciding, nights: number): string {
  const guests = party.adults + party.children;
  return speaker.say("wholeStay", { nights, guests, rooms: Math.min(stay.rooms, party.adults) });
}

function sayNightLimit({ state, speaker }: Deciding): readonly string[] {
  const { maximum } = state.stay;
  if (maximum?.isPerNight !== true) return [];
  return [speaker.say("nightLimit", { maximum: speaker.money(String(maximum.amount), maximum.currency ?? "USD") })];
}

const SAME_HOTEL =
  /\b(?:same|usual) (?:hotel|place)\b|\bhotel (?:as|like|where|from) last time\b|\b(?:dasselbe|selbe|gleiche) hotel\b|\bhotel wie (?:letztes|voriges) mal\b|\bmismo hotel\b/;

/** "The same hotel as last time": which of the numbers it is. */
function sayLastStay(deciding: Deciding, { reading }: Wish, shown: readonly ShownStay[]): string | Outcome {
  if (!SAME_HOTEL.test(reading.folded)) return "";
  const list = need(deciding, { name: "list_orders", args: { kind: "stay", limit: 20 } });
  if ("outcome" in list) return list.outcome;
  const orders = readList(Order, OrderList.safeParse(list.result).data?.orders ?? []).filter(
    ({ kind }) => kind === "stay",
  );
  const names = orders.flatMap(({ what }) => what ?? []);
  const number = shown.findIndex(({ stay }) => names.includes(stay.name)) + 1;
  const { speaker } = deciding;
  if (number > 0) return speaker.say("lastStay", { name: shown[number - 1]?.stay.name ?? "", number });
  return speaker.say("lastStayMissing", {
    names: names.length === 0 ? "–" : speaker.list([...new Set(names)].slice(0, 3)),
  });
}

const sayRequests = ({ state, speaker }: Deciding): string =>
  speaker.say("requestsPassed", { wishes: speaker.list(state.stay.requests) });

/** A name that is no part of the journey's city after all is looked for by itself. */
function lookAlone(
  deciding: Deciding,
  search: Call,
  result: unknown,
): { readonly result: unknown } | { readonly outcome: Outcome } {
  const { near, isDistrict } = deciding.state.stay;
  const { unknownPart } = StayAnswer.safeParse(result).data?.location ?? {};
  if (isDistrict !== true || near === undefined || unknownPart == null) return { result };
  const alone = { name: search.name, args: { ...search.args, location: near } };
  const found = findResult(deciding, alone);
  if (found === undefined) return { outcome: call(alone) };
  return { result: found.outcome === "ok" ? found.result : result };
}

function askForMissing({ state, speaker, today }: Deciding): Outcome | undefined {
  const { stay, party } = state;
  const { say } = speaker;
  if (stay.city === undefined && stay.near === undefined) return ask("place", say("askPlace"));
  if (stay.city?.isCountry === true && stay.near === undefined)
    return ask("place", say("askCity", { country: stay.city.name }));
  if (stay.checkIn === undefined) return ask("checkInDate", say("askCheckIn"));
  if (Temporal.PlainDate.compare(stay.checkIn, today) < 0)
    return ask("checkInDate", say("pastDate", { date: speaker.day(stay.checkIn) }));
  if (stay.checkOut === undefined) return ask("checkOutDate", say("askCheckOut"));
  if (party.children > party.ages.length) return ask("childAges", say("askChildAges"));
  return undefined;
}

function sayPlace({ stay: { near, city } }: State): string {
  return [near, city?.name].filter((part) => part !== undefined).join(", ");
}

function searchCall(state: State): Call | undefined {
  const { stay, party } = state;
  const { checkIn, checkOut, rooms } = stay;
  if (checkIn === undefined || checkOut === undefined) return undefined;
  const base = {
    location: sayPlace(state),
    checkInDate: checkIn.toString(),
    checkOutDate: checkOut.toString(),
    ...(rooms > 1 ? { rooms: Math.min(rooms, party.adults) } : {}),
  };
  return party.children > 0
    ? { name: "search_family_hotels", args: { ...base, adults: party.adults, childAges: party.ages } }
    : { name: "search_hotels", args: { ...base, ...(party.adults > 1 ? { guests: party.adults } : {}) } };
}

const MOST_STAYS = 10;
const ORDERS: Readonly<Record<string, string>> = { price: "price", distance: "distance", best: "review" };

function listFilters(state: State, { kind }: Wish): Record<string, unknown> {
  const { stay } = state;
  const limit = stayLimit(state);
  const isNearFirst = stay.isCentral || stay.near !== undefined;
  const order =
    (stay.sort === undefined ? undefined : ORDERS[stay.sort]) ??
    (isNearFirst ? "distance" : limit === undefined ? undefined : "price");
  return {
    ...(limit === undefined ? {} : { maxTotalUsdc: limit.toFixed(2) }),
    ...(stay.stars === undefined ? {} : { minStars: stay.stars }),
    ...(stay.isRefundable ? { refundable: true } : {}),
    ...(order === undefined ? {} : { order }),
    ...(kind === "moreStays" || stay.isBoardWanted || stay.room !== undefined ? { limit: MOST_STAYS } : {}),
  };
}

/** A sight that is known by another name only is looked for in its city. */
function sayNoPlace(deciding: Deciding, search: Call): Outcome | undefined {
  const found = findResult(deciding, search);
  const code = failureCode(found);
  if (found === undefined || code === undefined) return undefined;
  const { speaker, state } = deciding;
  if (code === "location_not_found" || code === "place_not_found") {
    return ask("place", `${speaker.say("unknownPlace", { place: sayPlace(state) })} ${speaker.say("askPlace")}`);
  }
  return tell(code === "no_rates" || code === "no_stays" ? speaker.say("noStays") : sayFailure(found, speaker));
}

/** Quote, then book: the loop shows the price and asks in between. */
export function bookStay(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const booked = state.results.findLast(
    ({ result }) => result.name === "book_stay" && result.outcome !== "withdrawn",
  )?.result;
  if (booked?.outcome === "ok") return sayBooked(deciding, booked.result);
  if (booked !== undefined) return tell(sayFailure(booked, speaker));
  const shown = shownStays(state);
  const chosen =
    findPickedStay(state) ??
    chooseStay(shown, { choice: "choice" in wish ? wish.choice : undefined, reading: wish.reading }) ??
    (state.spoken === undefined ? undefined : chooseStay(shown, state.spoken));
  if (chosen === undefined) return askWhich(deciding, wish, shown.length);
  const quoteCall = { name: "quote_stay", args: { rateId: chosen.rate.id } };
  const peopleCall = { name: "list_travelers", args: {} };
  const pending = [quoteCall, peopleCall].filter((one) => findResult(deciding, one) === undefined);
  if (pending.length > 0) return call(...pending);
  const quote = need(deciding, quoteCall);
  if ("outcome" in quote) return quote.outcome;
  const people = need(deciding, peopleCall);
  if ("outcome" in people) return people.outcome;
  const quoteId = Quote.safeParse(quote.result).data?.id;
  const guests = listGuests(deciding, people.result);
  if (quoteId === undefined || guests === undefined) return tell(speaker.say("incomplete"));
  const { requests } = state.stay;
  const asked = requests.length === 0 ? {} : { accommodationSpecialRequests: requests.join(", ") };
  const name = chosen.stay.name;
  const missed = fitsRateWishes(state, chosen.rate)
    ? []
    : [speaker.say("noSuchRate", { name, wishes: nameRateWishes(deciding) })];
  const quoted = sayQuoted(deciding, chosen, quote.result);
  const text = [...missed, ...(quoted === undefined ? [] : [quoted])].join("\n");
  return {
    ...(text === "" ? {} : { text }),
    calls: [{ name: "book_stay", args: { quoteId, ...guests, ...asked } }],
  };
}

/** Beside the question of the loop, which knows neither the address nor the hotel's own price. */
function sayQuoted({ speaker }: Deciding, { stay, rate }: ShownStay, result: unknown): string | undefined {
  const { address, ...quote } = Quote.safeParse(result).data?.accommodation ?? {};
  if (address == null) return undefined;
  const facts = [rate.roomName ?? "", showBoard(rate, speaker)].filter((fact) => fact !== "");
  const price = speaker.price(rate.totalAmount, rate.totalCurrency, rate.totalUsdc);
  return speaker.say("staysPriced", { name: quote.name ?? stay.name, address, facts: facts.join(", "), price });
}

function listGuests({ state }: Deciding, result: unknown) {
  const travelers = TravelerList.safeParse(result).data?.travelers ?? [];
  const caller =
    travelers.find(({ isCaller }) => isCaller === true) ?? (travelers.length === 1 ? travelers[0] : undefined);
  const strangers = [...state.strangers].filter((name) => name.includes(" "));
  const named = strangers.map((name) => ({
    givenName: name.split(" ").slice(0, -1).join(" "),
    familyName: name.split(" ").at(-1) ?? "",
  }));
  // Guests of a hotel need no profile.
  const own = strangers.map((name) => state.details.get(name)?.email).find((one) => one !== undefined);
  if (caller === undefined) return undefined;
  const others = travelers.filter(({ userId }) => state.companions.has(userId) && userId !== caller.userId);
  const count = others.length + named.filter((one) => !others.some(({ profile }) => isSameName(one, profile))).length;
  // Where one more guest was said to come than was named, the caller comes along.
  const isOut = state.isCallerLeftOut && count > 0 && count >= state.party.adults + state.party.children;
  const [first, second] = isOut ? [own, caller.profile.email] : [caller.profile.email, own];
  const email = first ?? second;
  if (email == null) return undefined;
  const staying = isOut ? others : [caller, ...others];
  const profiles = staying.flatMap(({ profile: { givenName, familyName } }) =>
    givenName == null || familyName == null ? [] : [{ givenName, familyName }],
  );
  const guests = [...profiles, ...named.filter((one) => !profiles.some((other) => isSame(one, other)))];
  return guests.length === 0 ? undefined : { email, guests };
}

function sayBooked({ speaker, state }: Deciding, result: unknown): Outcome {
  const booked = BookedStay.safeParse(result).data;
  if (booked === undefined) return tell(speaker.say("uncertain"));
  state.isStayNext = false;
  return tell(
    speaker.say("bookedStay", {
      name: booked.accommodationName ?? "",
      from: speaker.day(booked.checkInDate),
      to: speaker.day(booked.checkOutDate),
      price: speaker.price(booked.totalAmount, booked.totalCurrency, booked.chargedUsdc),
      reference: booked.reference ?? booked.orderId,
    }),
  );
}

const isSameName = (
  { givenName, familyName }: Guest,
  profile: { givenName?: string | null | undefined; familyName?: string | null | undefined },
): boolean => givenName === profile.givenName && familyName === profile.familyName;

interface Guest {
  readonly givenName: string;
  readonly familyName: string;
}
const isSame = (one: Guest, other: Guest): boolean =>
  one.givenName === other.givenName && one.familyName === other.familyName;
