import type { ModelRequest } from "../../../ports/language-model.ts";
import { isSameCity } from "../reading/city-airports.ts";
import { fold } from "../reading/marks.ts";
import { type Choice, type Reading, readMessage } from "../reading/read-message.ts";
import { ASIDES, findAgain, findOther, findTotal } from "./asides.ts";
import { findBeside, withDeed } from "./beside.ts";
import { findBeyond, withAssistance, withHold, withInvoice } from "./beyond.ts";
import { findAboutBooking } from "./booking-questions.ts";
import {
  findChoice,
  findInformation,
  findSocialWish,
  hasSlots,
  INFORMATION,
  isOpen,
  namesStay,
} from "./choose-wishes.ts";
import { fillFlight, fillNextStay, fillStay, movesFlight, startStay, takeStaysSlots } from "./fill-slots.ts";
import { findDemonym, noteTopic } from "./note-topic.ts";
import { asksForRefund, findOrderWish, forgetTask } from "./order-wishes.ts";
import { countParty, findPersonWish, keepPeople, notePick } from "./people.ts";
import { newFlight, type State, type Task, type Wish } from "./state.ts";

export interface Situation {
  readonly today: Temporal.PlainDate;
  readonly traveler: ModelRequest["traveler"];
  readonly language: "en" | "de" | "es";
}

/** Changes the state by the user's message, and finds what it asks for. */
export function understand(state: State, text: string, situation: Situation): void {
  const base =
    state.task === "stay" ? state.stay.checkIn : state.task === "change" ? state.order.date : state.flight.departure;
  const reading = readMessage(text, {
    today: situation.today,
    base,
    language: state.language ?? situation.language,
    known: [...state.strangers],
    isNameAsked: state.question === "companions" || state.question === "traveler",
    isAccompanied: !state.isCallerLeftOut && (state.relatives > 0 || state.question === "companions"),
    people: situation.traveler.companions.map(({ name }) => fold(name).split(" ")[0] ?? ""),
  });
  state.language = reading.language ?? state.language;
  state.address = reading.address ?? state.address;
  state.deed = state.withdrawn ?? state.deed;
  state.withdrawn = undefined;
  const named = nameCompanions(state, reading, situation);
  const wishes = findWishes(state, reading, named);
  state.wishes = wishes;
  for (const wish of wishes) {
    notePick(state, wish);
    noteChoice(state, wish);
  }
  if (!wishes.every(({ kind }) => ASIDES.has(kind))) state.deed = undefined;
  for (const wish of wishes) noteTopic(state, wish);
  const topic = wishes.findLast(({ kind }) => INFORMATION.some((one) => one === kind));
  state.topic = topic ?? (wishes.some(({ kind }) => /Flight|Stay|Order|Change/.test(kind)) ? undefined : state.topic);
  state.results = [];
  const place = reading.places.findLast(({ isNegated, isCountry }) => !isNegated && !isCountry);
  if (place !== undefined) state.lastPlace = place;
  state.question = undefined;
}

function noteChoice(state: State, wish: Wish): void {
  const isOfList = state.lastShown === "flights" || state.lastShown === "stays";
  // "The fifth one sounds good, but is our flight booked?"
  if (wish.kind === "showOrders" && isOfList && wish.reading.choice?.ordinal !== undefined)
    state.spoken = { choice: wish.reading.choice, reading: wish.reading };
  if (wish.kind === "flightConditions" && namesStay(state, wish.reading))
    state.spoken = { choice: {}, reading: wish.reading };
  if (!/^(?:bookFlight|bookStay|flightConditions|total)$/.test(wish.kind) || !("choice" in wish)) return;
  const { choice, reading } = wish;
  if (choice !== undefined && Object.keys(choice).length > 0) state.spoken = { choice, reading };
}

interface Companion {
  readonly userId: string;
  readonly name: string;
  readonly bornOn?: string;
}

const SELF = /^(?:me|myself|us|mich|mir|uns|mi|nosotr[oa]s)$/;
/** The words after "for" that can be people's names, or join them. */
const FOR_PEOPLE = /\b(?:for|fur|para) ([\p{L}'-]+(?:(?:,? (?:and|und|y) |, | )[\p{L}'-]+)*)/gu;
const ENDS_NAMES =
  /^(?:from|to|on|in|at|until|next|tomorrow|von|nach|am|im|vom|ab|bis|de|desde|a|el|la|en|hasta|with|mit|con)$/;

/** "For Ada and Ben", without the caller; undefined: the text does not say for whom. */
function leavesCallerOut(folded: string, firstNames: readonly string[]): boolean | undefined {
  for (const [, list = ""] of folded.matchAll(FOR_PEOPLE)) {
    const words = list.split(/[ ,]+/);
    const end = words.findIndex((word) => ENDS_NAMES.test(word));
    const own = /^(?:my|our|mein\w*|unser\w*|mi|nuestr\w+)$/.test(words[0] ?? "") ? 2 : 0;
    const people = words.slice(own, end === -1 ? undefined : end);
    if (people.some((word) => SELF.test(word))) return false;
    if (firstNames.includes(people[0] ?? "")) return true;
  }
  return undefined;
}

function nameCompanions(state: State, reading: Reading, { traveler }: Situation): Companion[] {
  const { folded, party, personal } = reading;
  const firstNames = traveler.companions.map(({ name }) => fold(name).split(" ")[0] ?? "");
  state.isCallerLeftOut =
    personal.isCallerOut ?? leavesCallerOut(folded, firstNames) ?? (state.isCallerLeftOut && !party.isAlone);
  const words = new Set(folded.replaceAll("'s", "").split(/[^\p{L}'-]+/u));
  const named = traveler.companions.filter(({ name }) => {
    const [first = ""] = fold(name).split(" ");
    return first.length >= 2 && words.has(first);
  });
  for (const { userId } of named) state.companions.add(userId);
  keepPeople(state, reading);
  if (party.isAlone) {
    state.companions.clear();
    state.strangers.clear();
  }
  return party.isAlone ? [] : named;
}

function findWishes(state: State, reading: Reading, named: readonly Companion[]): readonly Wish[] {
  const beside = findBeside(state, reading);
  if (beside !== undefined) return withAssistance(state, reading, beside);
  const wishes = findPlainWishes(state, reading, named);
  return withDeed(state, reading, withInvoice(reading, withHold(reading, withAssistance(state, reading, wishes))));
}

function findPlainWishes(state: State, reading: Reading, named: readonly Companion[]): readonly Wish[] {
  const again = findAboutBooking(state, reading) ?? findAgain(state, reading);
  if (again !== undefined) return [again];
  const forPerson = findPersonWish(state, reading);
  if (forPerson !== undefined) {
    countParty(state, reading, named);
    const isOtherParty = state.seatsSearched !== state.party.adults + state.party.children;
    return [forPerson.kind === "noted" && isOtherParty ? { kind: "findFlights", reading } : forPerson];
  }
  const social = findSocialWish(state, reading);
  if (social !== undefined) return [social];
  const { kinds } = reading;
  const beyond = findBeyond(reading, named.length > 0);
  if (beyond !== undefined) return [beyond];
  const information = findInformation(reading);
  if (information.length > 0 && asksForPermission(reading)) return information;
  if (answersPending(state, reading) && state.pending !== undefined) {
    return [{ ...state.pending, reading }];
  }
  if (isDropped(reading) && !choosesAnyway(state, reading)) return [forgetTask(state, reading)];
  const other = findOther(state, reading);
  const order = findOrderWish(state, reading, information.length > 0 || other !== undefined);
  if (order !== undefined && (other === undefined || kinds.has("cancel") || kinds.has("change")))
    return [...information.filter(({ kind }) => !(kind === "treasury" && asksForRefund(reading))), order];
  const total = findTotal(state, reading, information);
  if (total !== undefined) return [total];
  const isForgotten = kinds.has("forget") && !choosesAnyway(state, reading);
  if (isForgotten && information.length === 0 && !hasSlots(reading)) return [forgetTask(state, reading)];
  const isOnlyOther = other !== undefined && !kinds.has("flight") && !kinds.has("stay");
  if (isOnlyOther) return [...information, other];
  const followUp = findFollowUp(state, reading, information);
  if (followUp !== undefined) return [followUp];
  if (information.length > 0 && !wantsJourney(reading)) return information;
  const journey = findJourneyWish(state, reading, named);
  if (journey !== undefined) return [journey, ...information, ...(other === undefined ? [] : [other])];
  if (information.length > 0) return information;
  if (other !== undefined) return [other];
  if (kinds.has("greet")) return [{ kind: "greet", reading }];
  if (kinds.has("help")) return [{ kind: "help", reading }];
  if (kinds.has("thanks")) return [{ kind: "thanks", reading }];
  if (kinds.has("order") || kinds.has("ticket")) return [{ kind: "showOrders", reading }];
  if (kinds.has("no")) return [{ kind: isOpen(state) ? "refuse" : "done", reading }];
  return [{ kind: reading.isForeign ? "foreign" : "unknown", reading }];
}

/** "May Carla fly business under the policy?" and "can Dev travel to Zurich?" ask, and search nothing. */
const asksForPermission = ({ folded, kinds, marks }: Reading): boolean =>
  folded.includes("?") &&
  !marks.list.some((mark) => mark.kind === "want" && !/^(?:travel|reise|viaj)/.test(mark.folded)) &&
  !kinds.has("book") &&
  /^[^\p{L}]*(?:may|can|could|is|are|am|darf|durfen|kann|konnen|puede\w*|puedo|podemos)\b(?! (?:you|we|i) (?:find|book|search|show|get))/u.test(
    folded,
  );

/** "Never mind, the second one" */
const choosesAnyway = ({ lastShown }: State, { folded, choice }: Reading): boolean =>
  lastShown !== undefined &&
  choice !== undefined &&
  /\b(?:never ?mind|egal|da igual|no importa)\b[\s,.;:-]+\S/.test(folded);

/** "Cancel it... no, leave it": what is dropped after it was asked for. */
function isDropped({ kinds, marks }: Reading): boolean {
  const last = (kind: string) => marks.list.findLastIndex((mark) => mark.kind === kind);
  const deed = Math.max(last("cancel"), last("change"), last("book"));
  return (
    kinds.has("forget") &&
    deed >= 0 &&
    last("forget") > deed &&
    !kinds.has("stay") &&
    last("forget") >= marks.list.length - 6
  );
}

/** "I meant Lisbon": the last question about the world again, with what is new. */
function findFollowUp({ topic, question }: State, reading: Reading, information: readonly Wish[]): Wish | undefined {
  const { kinds, places, dates } = reading;
  if (
    topic === undefined ||
    information.length > 0 ||
    (question !== undefined && !INFORMATION.some((kind) => kind === topic.kind))
  )
    return undefined;
  if (["flight", "stay", "order", "book", "cancel", "change", "nonStop", "forget"].some((kind) => kinds.has(kind)))
    return undefined;
  const isRoute = places.some(({ role }) => role === "from") && topic.kind !== "transfer";
  const isNew =
    places.length > 0 ||
    dates.length > 0 ||
    (topic.kind === "visa" && findDemonym(reading) !== undefined) ||
    ["business", "leisure", "mode", "cuisine"].some((kind) => kinds.has(kind));
  return isNew && !isRoute ? { ...topic, reading } : undefined;
}

/** An answer to what a question about the weather, entry or a way needs, such as "Tokyo". */
function answersPending({ pending, question }: State, { kinds, marks }: Reading): boolean {
  if (pending === undefined || question === undefined) return false;
  if (kinds.has("flight") || kinds.has("stay") || kinds.has("forget")) return false;
  return marks.list.length <= 12;
}

/** Whether a journey is spoken of beside a topic of information: "a flight to Rome, and how is the weather there?" */
function wantsJourney(reading: Reading): boolean {
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
function findJourneyWish(state: State, reading: Reading, named: readonly Companion[]): Wish | undefined {
  const { kinds } = reading;
  const task = findTask(state, reading);
  if (task === "none") return undefined;
  state.order = { isReturn: false };
  // "El mas varato" is one word that was missed.
  const isMore = kinds.has("more") && !kinds.has("book") && !/\bmas [bv]arat/.test(reading.folded);
  const shown = state.lastShown;
  startTask(state, task, reading);
  const before = snapshot(state, task);
  const slots = JSON.stringify(state.flight);
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
  const isJourney = places.some(({ role }) => role === "from") && places.some(({ role }) => role === "to");
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
  }
  if (task === "stay" && isOther && kinds.has("stay") && places.length > 0) state.stay = startStay(state);
  if (task === "flight" && state.task === "stay" && state.flight.origin === undefined) takeStaysSlots(state, reading);
  if (isOther) state.lastShown = undefined;
  state.task = task;
}
