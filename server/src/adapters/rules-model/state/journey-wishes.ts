import { chooseStay } from "../deciding/choose.ts";
import { isSameCity } from "../reading/city-airports.ts";
import { fold } from "../reading/marks.ts";
import type { PlaceMention } from "../reading/places.ts";
import type { Choice, Reading } from "../reading/read-message.ts";
import { showsAt } from "../replies/clock-times.ts";
import { findChoice, hasSlots, namesStay } from "./choose-wishes.ts";
import type { Companion } from "./companions.ts";
import { fillFlight, fillNextStay, fillStay, movesFlight, startStay, takeStaysSlots } from "./fill-slots.ts";
import { countParty } from "./people.ts";
import type { FlightOffer } from "./results.ts";
import { shownStays } from "./shown.ts";
import { type FlightSlots, newFlight, type State, type Task, type Wish } from "./state.ts";

/** Whether a journey is spoken of beside a topic of information: "a flight to Rome, and how is the weather there?" */
export function wantsJourney(reading: Reading): boolean {
  const { kinds, dates, places } = reading;
  const isNamed = kinds.has("flight") || kinds.has("stay");
  return (
    isNamed &&
    (dates.length > 0 || places.length > 0) &&
    (kinds.has("want") || kinds.has("book") || dates.length > 0) &&
    !kinds.has("visa")
  );
}

/** A search, a correction of one, or a choice among what it showed. */
export function findJourneyWish(state: State, reading: Reading, named: readonly Companion[]): Wish | undefined {
  const { kinds } = reading;
  if (goesBackToEarlier(state, reading)) {
    countParty(state, reading, named);
    return { kind: "bookFlight", choice: reading.choice ?? {}, reading };
  }
  state.dayPrices = new Map();
  const isRestored = reading.isEarlierPlan && restorePlan(state, reading);
  const task = isRestored ? "flight" : findTask(state, reading);
  if (task === "none") return undefined;
  state.order = { isReturn: false };
  // "El mas varato" is one word that was missed.
  const isMore = kinds.has("more") && !kinds.has("book") && !/\bmas [bv]arat/.test(reading.folded);
  const shown = state.lastShown;
  startTask(state, task, reading);
  const before = snapshot(state, task);
  const slots = JSON.stringify(state.flight);
  const terms = readTerms(state, task);
  // Other rates can change the order of the list.
  const meant = shown === "stays" ? chooseFromList(state, reading) : undefined;
  countParty(state, reading, named);
  if (task === "stay") fillStay(state, reading);
  else fillFlight(state, reading);
  if (task === "flight" && state.isStayNext && kinds.has("stay")) fillNextStay(state, reading);
  const choice = findChoice(state, reading);
  const isChanged = before !== snapshot(state, task);
  // Flights are the same for another number of people: those that are named are taken.
  const isSameSearch = task === "flight" && isNamedChoice(choice, kinds) && slots === JSON.stringify(state.flight);
  const isShown = shown === (task === "stay" ? "stays" : "flights");
  const withChoice = choice === undefined ? { reading } : { choice, reading };
  const isOtherFare = terms !== readTerms(state, task) && isOnlyTerms(reading);
  if (isShown && isOtherFare && (choice !== undefined || isAboutDeed(state, task))) {
    const stayId = meant ?? (isAboutDeed(state, task) ? state.pickedStay : undefined);
    return task === "stay"
      ? { kind: "bookStay", ...withChoice, ...(stayId === undefined ? {} : { stayId }) }
      : { kind: "bookFlight", ...withChoice };
  }
  if (
    isShown &&
    choice !== undefined &&
    !isMore &&
    !asksForOthers(reading) &&
    (!isChanged || isSameSearch || isOnlyAChoice(reading))
  ) {
    return { kind: task === "stay" ? "bookStay" : "bookFlight", ...withChoice };
  }
  if (isShown && isMore && !isChanged) return { kind: task === "stay" ? "moreStays" : "moreFlights", ...withChoice };
  const isSearch =
    isRestored ||
    isChanged ||
    kinds.has("flight") ||
    kinds.has("stay") ||
    hasSlots(reading) ||
    kinds.has("want") ||
    reading.isLimitOfStay ||
    reading.requests.wishes.length > 0 ||
    state.question !== undefined;
  if (!isSearch && choice === undefined && reading.sort === undefined) return undefined;
  if (reading.sort !== undefined) {
    if (task === "stay") state.stay.sort = reading.sort;
    else state.flight.sort = reading.sort;
  }
  const isRenumbered = isShown && (choice?.ordinal ?? 0) > 0;
  return { kind: task === "stay" ? "findStays" : "findFlights", reading, ...(isRenumbered ? { isRenumbered } : {}) };
}

/** "Is there anything cheaper?" */
const asksForOthers = ({ folded, choice }: Reading): boolean =>
  choice?.sort !== undefined &&
  choice.ordinal === undefined &&
  /^[^\p{L}]*(?:\p{L}+,? )?(?:is there|are there|do you have|have you|any|gibt es|gibt's|haben sie|hast du|hay|tiene\w*)\b[^.!]*\?/u.test(
    folded,
  );

const isNamedChoice = (choice: Choice | undefined, kinds: ReadonlySet<string>): boolean =>
  choice?.ordinal !== undefined || choice?.flightNumber !== undefined || (choice !== undefined && kinds.has("book"));

/** "The one at 9" and "die mit Lufthansa" choose, though they could narrow a search. */
function isOnlyAChoice({
  bags,
  strangers,
  personal,
  dates,
  places,
  cabin,
  maximum,
  nights,
  times,
  party,
  kinds,
}: Reading): boolean {
  const isPlain =
    dates.length === 0 && places.length === 0 && cabin === undefined && maximum === undefined && nights === undefined;
  const hasWindow = Object.values(times).some((window) => window.exact === undefined);
  return (
    isPlain &&
    !hasWindow &&
    bags === undefined &&
    strangers.length === personal.names.length &&
    !kinds.has("nonStop") &&
    party.children === undefined &&
    (kinds.has("book") || party.adults === undefined) &&
    !kinds.has("want")
  );
}

function chooseFromList(state: State, reading: Reading): string | undefined {
  const choice = findChoice(state, reading);
  return choice === undefined ? undefined : chooseStay(shownStays(state), { choice, reading })?.stay.id;
}

/** "Back to the original plan", or to the one whose place is named. */
function restorePlan(state: State, { folded }: Reading): boolean {
  const isThere = ({ destination }: FlightSlots): boolean =>
    destination !== undefined && folded.includes(fold(destination.name));
  const plan = state.plans.find(isThere) ?? state.plans[0];
  if (plan === undefined) return false;
  state.flight = { ...plan };
  if (state.isStayNext) delete state.stay.city;
  return true;
}

/** The terms in which fares of the same flights, or rates of the same hotel, differ. */
const readTerms = ({ flight, stay }: State, task: Task): string =>
  JSON.stringify(
    task === "stay" ? [stay.isRefundable, stay.isBoardWanted, stay.room] : [flight.isRefundable, flight.isChangeable],
  );

/** Nothing but the terms is said, or which one of the list is meant. */
const isOnlyTerms = ({ dates, places, cabin, maximum, nights, party, bags, kinds, times }: Reading): boolean =>
  ![...dates, ...places].length &&
  [cabin, maximum, nights, party.adults, party.children, bags].every((slot) => slot === undefined) &&
  Object.values(times).every((window) => window.exact !== undefined) &&
  !kinds.has("nonStop");

/** One of the list was to be booked just now, and is meant. */
const isAboutDeed = ({ deed }: State, task: Task): boolean =>
  deed?.name === (task === "stay" ? "book_stay" : "book_flight");

/** "The easyJet one that we chose", after hotels were shown, or of an earlier list: that list is the one of now again. */
function goesBackToEarlier(state: State, reading: Reading): boolean {
  const { airlines, times, choice, kinds, dates, folded } = reading;
  const isFlight = airlines.length > 0 || times.departs?.exact !== undefined || choice?.flightNumber !== undefined;
  const isChosen = kinds.has("book") || kinds.has("it") || CHOSEN.test(folded);
  if (isFlight && isChosen && dates.length === 0 && !kinds.has("want")) {
    const lists = [...state.earlierFlights, ...(state.flights === undefined ? [] : [state.flights.offers])];
    const offers = lists.findLast((one) => one.some((offer) => isNamed(offer, reading) && isOnDays(offer, state)));
    if (offers === undefined || (offers === state.flights?.offers && state.lastShown === "flights")) return false;
    state.flights = { offers, searchId: undefined };
    delete state.flight.maximum;
    Object.assign(state, { task: "flight", lastShown: "flights", spoken: undefined, picked: undefined });
    return true;
  }
  if (state.lastShown === "flights" && state.stays !== undefined && kinds.has("book")) {
    const isStay = namesStay({ ...state, lastShown: "stays" }, reading);
    if (isStay) Object.assign(state, { task: "stay", lastShown: "stays" });
  }
  return false;
}

const CHOSEN =
  /\b(?:we|i) (?:chose|picked|liked|wanted|saw)|\b(?:from|of) (?:before|earlier)|\bearlier\b|\b(?:den|die|das) (?:wir|ich)\b|\bvon (?:vorhin|eben|zuvor)\b|\b(?:el|la) (?:de|que)\b|\b(?:antes|al principio)\b/;

/** Whether everything that is said of the flight fits this one. */
function isNamed({ slices }: FlightOffer, { airlines, times, choice }: Reading): boolean {
  const [exact, number] = [times.departs?.exact, choice?.flightNumber];
  const segments = slices.flatMap((slice) => slice.segments);
  return (
    (airlines.length === 0 || segments.some(({ flightNumber }) => airlines.includes(flightNumber.slice(0, 2)))) &&
    (exact === undefined || slices.some((slice) => showsAt(slice.segments[0]?.departingAt, exact))) &&
    (number === undefined || segments.some(({ flightNumber }) => flightNumber === number))
  );
}

/** A list from before the journey was moved to other days is over. */
function isOnDays({ slices: [out, back] }: FlightOffer, { flight }: State): boolean {
  const day = (slice: typeof out): string | undefined => slice?.segments[0]?.departingAt.slice(0, 10);
  return day(out) === flight.departure?.toString() && day(back) === flight.return?.toString();
}

/** Everything that a search depends on: the same text means the same search. */
function snapshot({ flight, stay, party }: State, task: Task): string {
  // The hotel is asked for the other wishes, whichever search found it.
  return JSON.stringify(task === "stay" ? [{ ...stay, requests: [] }, party] : [flight, party]);
}

function findTask(state: State, reading: Reading): Task {
  const { kinds, places, nights, dates, choice } = reading;
  const hasRoute = places.some(({ role }) => role === "from" || role === "to");
  const isFlight =
    kinds.has("flight") ||
    kinds.has("cabin") ||
    kinds.has("nonStop") ||
    kinds.has("roundTrip") ||
    kinds.has("oneWay") ||
    kinds.has("airline");
  const from = places.find(({ role }) => role === "from");
  // "A few days in Prague: we'd go from Dublin, and come home on Sunday".
  const isTo = ({ role, code }: PlaceMention): boolean =>
    role === "to" || (kinds.has("back") && (role === "in" || role === "bare") && code !== undefined);
  const isJourney = from !== undefined && places.some((place) => place !== from && isTo(place));
  const isBoth = kinds.has("stay") && (kinds.has("flight") || isJourney || (kinds.has("nonStop") && hasRoute));
  if (isBoth && isDroppedKind(reading, "flight")) return "stay";
  if (isBoth && isDroppedKind(reading, "stay")) return "flight";
  if (movesFlight(state, reading) || (isBoth && state.task !== "stay" && (isJourney || !kinds.has("it")))) {
    state.isStayNext = true;
    return "flight";
  }
  if (kinds.has("stay") && !kinds.has("flight")) return choosesFlight(state, reading) ? "flight" : "stay";
  const isRoomThere = places.some(({ role }) => role === "near" || role === "in") || kinds.has("board");
  if (kinds.has("room") && isRoomThere && !isFlight && choice === undefined) return "stay";
  if (isFlight && !(state.task === "stay" && !kinds.has("flight"))) return "flight";
  // "To Vienna": the flight tomorrow of whoever is stranded.
  if (state.question === "destination" && places.length > 0 && choice === undefined) return "flight";
  if (state.task === "flight" || state.task === "stay") {
    const isAnswer =
      state.question !== undefined || state.lastShown !== undefined || hasSlots(reading) || choice !== undefined;
    return isAnswer || reading.kinds.has("book") || reading.kinds.has("more") ? state.task : "none";
  }
  if (nights !== undefined || (kinds.has("room") && places.length > 0)) return "stay";
  if (hasRoute || (places.length > 0 && dates.length > 0) || places.length >= 2) return "flight";
  return "none";
}

/** "I take the 12:55 one, and book the hotel next to the center, too" */
function choosesFlight(state: State, { airlines, times, kinds }: Reading): boolean {
  const isChoice = state.lastShown === "flights" && (airlines.length > 0 || times.departs?.exact !== undefined);
  if (isChoice && kinds.has("book")) state.isStayNext = true;
  return isChoice && kinds.has("book");
}

/** "Forget the flight", "statt eines Flugs". */
function isDroppedKind({ marks }: Reading, kind: string): boolean {
  const index = marks.list.findIndex((mark) => mark.kind === kind);
  const before = marks.pass(index - 1, ["skip", "number", "order", "it", "trip"], -1);
  return marks.kind(before) === "forget" || marks.isNegated(index);
}

function startTask(state: State, task: Task, reading: Reading): void {
  const { kinds, places } = reading;
  const isOther = state.task !== task;
  const from = places.find(({ role }) => role === "from");
  const to = places.find(({ role, code }) => role === "to" && !isSameCity(code, from?.code));
  const { origin, destination } = state.flight;
  const isSame = isSameCity(from?.code, origin?.code) && isSameCity(to?.code, destination?.code);
  const hasRoute = from !== undefined && to !== undefined && !isSame;
  const isNewRoute = hasRoute && !kinds.has("instead") && !kinds.has("no") && state.flights !== undefined;
  const isBooked = state.lastShown === undefined && state.flights === undefined && state.orders.length > 0;
  if (task === "flight" && (isNewRoute || (kinds.has("flight") && isBooked && places.length > 0))) {
    state.flight = newFlight();
    state.earlierFlights = [];
  }
  if (task === "stay" && isOther && kinds.has("stay") && places.length > 0) state.stay = startStay(state);
  if (task === "flight" && state.task === "stay" && state.flight.origin === undefined) takeStaysSlots(state, reading);
  if (isOther) state.lastShown = undefined;
  state.task = task;
}
