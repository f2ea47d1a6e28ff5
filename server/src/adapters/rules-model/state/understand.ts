import type { ModelRequest } from "../../../ports/language-model.ts";
import { fold } from "../reading/marks.ts";
import { type Reading, readMessage } from "../reading/read-message.ts";
import { ASIDES, findAgain, findOther, findTotal, withPets } from "./asides.ts";
import { findBeside, withDeed } from "./beside.ts";
import { findBeyond, withAssistance, withHold, withInvoice } from "./beyond.ts";
import { findAboutBooking } from "./booking-questions.ts";
import { findInformation, findSocialWish, hasSlots, INFORMATION, isOpen, namesStay } from "./choose-wishes.ts";
import { type Companion, nameCompanions } from "./companions.ts";
import { dropsWish } from "./drop-wishes.ts";
import { findJourneyWish, wantsJourney } from "./journey-wishes.ts";
import { findDemonym, noteTopic } from "./note-topic.ts";
import { asksForRefund, findOrderWish, forgetTask } from "./order-wishes.ts";
import { countParty, findPersonWish, notePick } from "./people.ts";
import { asksForMeal, asksForOtherTerms, findIsBooked, isStranded, withDeedAgain } from "./questions.ts";
import type { State, Wish } from "./state.ts";
import { startStranded } from "./stranded.ts";

/** One of the two adults who were counted, beside the caller. */
const SPOUSE =
  /(?<!\p{L})(?:my (?:husband|wife|partner)|meine? (?:Mann|Frau|Partnerin|Partner)|mi (?:marido|mujer|esposa|esposo|pareja))(?!\p{L})/iu;

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
    isAccompanied:
      !state.isCallerLeftOut &&
      (state.relatives > 0 || state.question === "companions" || (state.party.adults > 1 && SPOUSE.test(text))),
    people: situation.traveler.companions.map(({ name }) => fold(name).split(" ")[0] ?? ""),
    surnames: situation.traveler.companions.flatMap(({ name }) => fold(name).split(" ").slice(1)),
  });
  state.language = reading.language ?? state.language;
  state.address = reading.address ?? state.address;
  state.deed = state.withdrawn ?? state.deed;
  state.withdrawn = undefined;
  const named = nameCompanions(state, reading, situation.traveler);
  const wishes = findWishes(state, reading, named);
  if (wishes.some(({ kind }) => kind === "stranded")) startStranded(state, reading, situation.today);
  state.wishes = wishes;
  for (const wish of wishes) {
    notePick(state, wish);
    noteChoice(state, wish);
  }
  if (wishes.some(({ kind }) => kind === "findFlights")) state.plans = [...state.plans, { ...state.flight }];
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
  if (
    (wish.kind === "showOrders" || wish.kind === "isBooked") &&
    isOfList &&
    wish.reading.choice?.ordinal !== undefined
  )
    state.spoken = { choice: wish.reading.choice, reading: wish.reading };
  if (/^(?:flightConditions|bookStay)$/.test(wish.kind) && namesStay(state, wish.reading))
    state.spoken = { choice: {}, reading: wish.reading };
  if (!/^(?:bookFlight|bookStay|flightConditions|total)$/.test(wish.kind) || !("choice" in wish)) return;
  const { choice, reading } = wish;
  if (choice !== undefined && Object.keys(choice).length > 0) state.spoken = { choice, reading };
}

function findWishes(state: State, reading: Reading, named: readonly Companion[]): readonly Wish[] {
  const booked = findIsBooked(state, reading);
  if (booked !== undefined) return booked;
  const beside = findBeside(state, reading);
  if (beside !== undefined) return withAssistance(state, reading, beside);
  const wishes = withPets(state, reading, findPlainWishes(state, reading, named));
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
  const social = reading.isEarlierPlan ? undefined : findSocialWish(state, reading);
  if (social !== undefined) return [social];
  const { kinds } = reading;
  if (asksForMeal(reading)) return withDeedAgain(state, { kind: "meals", reading });
  const beyond = findBeyond(reading, named.length > 0);
  if (isStranded(reading, beyond?.kind === "airlineCancelled")) return [{ kind: "stranded", reading }];
  if (beyond !== undefined) return [beyond];
  const dropsOne = state.task === "flight" && dropsWish(reading);
  // "Die Uhrzeit ist egal" asks for no time.
  const information = findInformation(reading).filter(({ kind }) => !dropsOne || kind !== "timeNow");
  if (information.length > 0 && asksForPermission(reading)) return information;
  if (answersPending(state, reading) && state.pending !== undefined) {
    return [{ ...state.pending, reading }];
  }
  if (isDropped(reading) && !choosesAnyway(state, reading) && !dropsOne) return [forgetTask(state, reading)];
  const terms = asksForOtherTerms(state, reading) ? findJourneyWish(state, reading, named) : undefined;
  if (terms !== undefined) return [terms];
  const other = findOther(state, reading);
  const order = findOrderWish(state, reading, information.length > 0 || other !== undefined);
  if (order !== undefined && (other === undefined || kinds.has("cancel") || kinds.has("change")))
    return [...information.filter(({ kind }) => !(kind === "treasury" && asksForRefund(reading))), order];
  const total = findTotal(state, reading, information);
  if (total !== undefined) return [total];
  const isForgotten = kinds.has("forget") && !choosesAnyway(state, reading);
  if (isForgotten && information.length === 0 && !hasSlots(reading) && !dropsOne) return [forgetTask(state, reading)];
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
  // Where somebody is stranded is known; where they fly tomorrow is a search.
  if (pending.kind === "stranded" && question !== "origin") return false;
  if (kinds.has("flight") || kinds.has("stay") || kinds.has("forget")) return false;
  return marks.list.length <= 12;
}
