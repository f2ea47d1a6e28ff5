import type { Reading } from "../reading/read-message.ts";
import { plainName } from "./choose-wishes.ts";
import type { BookingFact, State, Wish } from "./state.ts";

const FACTS: readonly (readonly [BookingFact, (reading: Reading) => boolean])[] = [
  ["bags", ({ kinds }) => kinds.has("bag") || kinds.has("handBag")],
  ["board", ({ kinds }) => kinds.has("board")],
  ["terminal", ({ folded }) => /\bterminals?\b/.test(folded)],
  [
    "times",
    ({ folded, kinds }) =>
      /\b(?:what time|when (?:does|do|is|are|will)|wann|um wie ?viel uhr|a que hora|cuando)\b/.test(folded) &&
      ["flight", "leave", "arrive", "checkOut", "back"].some((kind) => kinds.has(kind)),
  ],
];

const ASKS =
  /\?|\b(?:i asked|i meant|i(?:'d| would) like to know|i wonder|whether|ich (?:fragte|wollte wissen|habe gefragt)|ob|pregunte|pregunto|queria saber|quiero saber)\b/;
const ASKS_FOR_ALL =
  /\b(?:which of (?:my|our)|which (?:flights|bookings)|all (?:my|our)|welche[rns]? (?:meiner|unserer)|alle meine|cuales? de (?:mis|nuestr[oa]s)|todos mis)\b/;
const OWN =
  /\b(?:my|our|mein\w*|unser\w*|mis?|nuestr[oa]s?|booked|gebucht\w*|reservad[oa]s?|booking|buchung|reserva)\b/;
const WANTS =
  /\b(?:i need|i want|i'd like|we need|find|search|add|ich brauche|ich mochte|such\w*|necesito|quiero|busco|anad\w*)\b/;

/** The order whose name is in the text. */
export const namesOrder = ({ orders }: Pick<State, "orders">, { folded }: Reading): boolean =>
  orders.some(({ kind, what }) => kind === "stay" && what != null && folded.includes(plainName(what)));

/** "Which of my flights include a checked bag?", "ist da Frühstück dabei?", of something that is booked. */
function findBookingQuestion(state: State, reading: Reading): Wish | undefined {
  const { folded } = reading;
  const facts = FACTS.flatMap(([fact, isAsked]) => (isAsked(reading) ? [fact] : []));
  const { pending } = state;
  if (pending?.kind === "bookingFacts" && state.question === "order" && isAnswer(reading)) {
    const all = facts.length > 0 && ASKS.test(folded) ? facts : pending.facts;
    startFacts(state, reading);
    return { kind: "bookingFacts", facts: all, isOfAll: false, ...withOrdinal(reading), reading };
  }
  if (facts.length === 0 || !ASKS.test(folded) || isAboutSearch(state, reading)) return undefined;
  startFacts(state, reading);
  return { kind: "bookingFacts", facts, isOfAll: ASKS_FOR_ALL.test(folded), ...withOrdinal(reading), reading };
}

/** Names one of the listed bookings, and nothing that is to be done. */
const isAnswer = ({ kinds, marks, folded }: Reading): boolean =>
  !["cancel", "change", "forget", "want", "book"].some((kind) => kinds.has(kind)) &&
  (marks.list.length <= 12 || ASKS.test(folded));

/** "The one to Lima" and "a bag" have no number of a list. */
function withOrdinal({ choice, marks, places }: Reading) {
  const bare = marks.list.find(
    ({ kind, folded }) => kind === "number" && !/^(?:an?|one|un|una|uno|ein\w*)$/.test(folded),
  );
  const ordinal = choice?.ordinal ?? (places.length > 0 ? undefined : bare?.number);
  const isOfList = ordinal !== undefined && Number.isInteger(ordinal) && ordinal !== 0;
  return isOfList ? { choice: { ordinal } } : {};
}

/** Offers that are shown, or a journey that is still looked for, are meant instead. */
function isAboutSearch(state: State, reading: Reading): boolean {
  const { kinds, folded, dates, places } = reading;
  if (namesOrder(state, reading) || reading.ids.length > 0) return false;
  const isOwn = OWN.test(folded) || (state.order.orderId !== undefined && state.lastShown === undefined);
  if (state.deed !== undefined || state.lastShown === "changes") return !OWN.test(folded) || dates.length > 0;
  if (state.lastShown !== undefined) return !isOwn || !(kinds.has("flight") || kinds.has("stay") || kinds.has("order"));
  if (isOwn && !(WANTS.test(folded) && dates.length > 0)) return false;
  // "Is breakfast included at Beacon Quarters in Prague?"
  return (
    !(kinds.has("board") && /\b(?:at|im|in|en)\b/.test(folded) && places.length > 0) ||
    WANTS.test(folded) ||
    dates.length > 0
  );
}

function startFacts(state: State, reading: Reading): void {
  const { kinds, places, ids } = reading;
  const hasKind = kinds.has("flight") !== kinds.has("stay");
  const isOfFlight = kinds.has("bag") || kinds.has("handBag") || /\bterminals?\b/.test(reading.folded);
  const named = hasKind
    ? kinds.has("stay")
      ? "stay"
      : "flight"
    : kinds.has("board")
      ? "stay"
      : isOfFlight
        ? "flight"
        : undefined;
  const kind = named ?? state.order.kind;
  const place = places.findLast(({ isNegated }) => !isNegated);
  const [id] = ids;
  if (state.task === "cancel" || state.task === "change") state.task = "none";
  state.order = {
    isReturn: false,
    ...(kind === undefined ? {} : { kind }),
    ...(place === undefined ? {} : { place }),
    ...(id === undefined ? {} : { orderId: state.orders.find(({ pnr }) => pnr === id)?.orderId ?? id }),
  };
}

/** The question of a text about something booked, or that nothing is to be cancelled. */
export function findAboutBooking(state: State, reading: Reading): Wish | undefined {
  const asked = findBookingQuestion(state, reading);
  if (asked !== undefined) return asked;
  return isCancelUnwanted(reading) && !isOtherWish(reading) ? { kind: "nothingCancelled", reading } : undefined;
}

/** "No, don't cancel anything", "bitte nichts stornieren", "no canceles nada". */
const UNWANTED =
  /(?<!why )\b(?:don't|do not|never|nothing|not|without|didn't|wasn't) (?!forget)(?:(?!(?:but|and)\b)[\p{L}']+ ){0,3}?cancel|\b(?:nicht|nichts|kein\w*|nie) (?:(?!(?:sondern|aber|und)\b)\p{L}+ ){0,3}?(?:storn|absag|kundig|cancel)|\b(?:storn|cancel|kundig)\w* (?:(?:sie|bitte|mir|das|den|die|es) ){0,2}(?:nicht|nichts|kein\w*)\b|\b(?:no|nunca|sin) (?:(?!(?:pero|sino|y)\b)\p{L}+ ){0,2}?(?:cancel|anul)|\bcancel\w+ nothing\b/u;

/** "Don't cancel the flight, but cancel the hotel" wants the other one cancelled. */
const WANTED_TOO = /\b(?:but|sondern|aber|pero|sino)\b[^.!?]*\b(?:cancel|storn|anul)/;

/** Where the part of the text begins that says what to cancel. */
export function findCancelStart({ folded, kinds, marks }: Reading): number {
  if (!kinds.has("cancel") || !UNWANTED.test(folded) || !WANTED_TOO.test(folded)) return 0;
  return marks.list.find(({ folded: word }) => /^(?:but|sondern|aber|pero|sino)$/.test(word))?.start ?? 0;
}

export const isCancelUnwanted = ({ folded, kinds }: Reading): boolean =>
  kinds.has("cancel") && UNWANTED.test(folded) && !WANTED_TOO.test(folded);

/** Something else is asked for beside it: "don't cancel, move it to Tuesday". */
const isOtherWish = ({ kinds, dates, places }: Reading): boolean =>
  dates.length > 0 ||
  places.length > 0 ||
  ["change", "book", "want", "refundable", "order"].some((kind) => kinds.has(kind));
