import type { Choice, Reading } from "../reading/read-message.ts";
import { findCancelStart, isCancelUnwanted, namesOrder } from "./booking-questions.ts";
import { findChoice, hasSlots, isAboutOrder, isOwned } from "./choose-wishes.ts";
import type { State, Task, Wish } from "./state.ts";

export function forgetTask(state: State, reading: Reading): Wish {
  state.task = "none";
  state.lastShown = undefined;
  state.isStayNext = false;
  return { kind: "forget", reading };
}

/**
 * Changing, cancelling and showing what is booked, conditions of what is shown. `isAside`: the text asks for something else,
 * and so does not go on with what was begun.
 */
export function findOrderWish(state: State, reading: Reading, isAside: boolean): Wish | undefined {
  const { kinds, folded } = reading;
  const choice = findChoice(state, reading);
  const withChoice = choice === undefined ? { reading } : { choice, reading };
  if (
    state.lastShown === "changes" &&
    choice !== undefined &&
    reading.dates.length === 0 &&
    reading.places.length === 0
  ) {
    return { kind: "chooseChange", ...withChoice };
  }
  const isShowing = state.lastShown === "flights" || state.lastShown === "stays";
  const isHypothetical = /\b(?:if|wenn|falls|si)\b/.test(folded) || /\b(?:how much|wie viel|cuanto)\b/.test(folded);
  if (kinds.has("cancel") && isUndone(state, reading)) return forgetTask(state, reading);
  const asksForExtras =
    folded.includes("?") &&
    !seeksOtherStays(reading) &&
    (kinds.has("board") || (kinds.has("bag") && reading.bags === undefined));
  const asksAboutDeed = state.deed !== undefined && kinds.has("refundable") && folded.includes("?");
  const isQuestion =
    asksForExtras ||
    asksAboutDeed ||
    asksForOne(state, reading) ||
    kinds.has("conditions") ||
    (kinds.has("cancel") && isHypothetical) ||
    asksForRefund(reading);
  if (isQuestion && asksForBooked(state, reading)) {
    startOrder(state, "cancel", reading);
    return { kind: "quoteCancel", reading };
  }
  if (isShowing && isQuestion && !kinds.has("order"))
    return { kind: "flightConditions", ...(isNamed(choice) ? withChoice : { reading }) };
  const isOrder = isAboutOrder(state, reading);
  if (kinds.has("cancel") && isOrder && !isCancelUnwanted(reading)) {
    const hasNothing =
      state.orders.length === 0 &&
      !kinds.has("order") &&
      !kinds.has("flight") &&
      !kinds.has("stay") &&
      !hasSlots(reading);
    if (hasNothing && state.task !== "none") return forgetTask(state, reading);
    startOrder(state, "cancel", reading);
    return { kind: isHypothetical ? "quoteCancel" : "cancelOrder", reading };
  }
  const isMoved = kinds.has("change") || (kinds.has("shift") && /\bverschieb/.test(folded));
  if (isMoved && isOrder && !isCorrection(state, reading)) {
    startOrder(state, "change", reading);
    return { kind: "changeOrder", reading };
  }
  if (state.task === "change" && !isAside) return goOnChanging(state, reading);
  const names =
    reading.places.length > 0 ||
    reading.choice !== undefined ||
    reading.ids.length > 0 ||
    namesOrder(state, reading) ||
    kinds.has("flight") !== kinds.has("stay");
  const goesOn =
    (state.question === "order" || names || kinds.has("yes") || kinds.has("it")) &&
    isBrief(reading) &&
    !isAside &&
    !kinds.has("forget") &&
    !kinds.has("want") &&
    !kinds.has("book");
  if (state.task === "cancel" && goesOn && !startsJourney(reading)) {
    startOrder(state, "cancel", reading);
    // "And the flight?" after a question about a refund asks for the other refund.
    const wasAsked = state.wishes.some(({ kind }) => kind === "quoteCancel") && (names || !kinds.has("yes"));
    // Nothing but words of cancelling cancels.
    const isAsking = wasAsked || folded.includes("?");
    return { kind: isAsking ? "quoteCancel" : "cancelOrder", ...withListed(state, reading), reading };
  }
  const isState = kinds.has("order") || kinds.has("ticket") || kinds.has("trip");
  const isOwn = /\b(?:my|our|meine?[nrms]?|unsere?[nrms]?|mis?|nuestr[oa]s?|ich|tengo|i|we|wir)\b/.test(folded);
  const hasRoute = reading.places.some(({ role }) => role === "from") || reading.places.length >= 2;
  const isPlain = isOwn || !(kinds.has("want") || kinds.has("book"));
  if (
    isState &&
    isPlain &&
    !(isShowing && !isOwn) &&
    !startsJourney(reading) &&
    !hasRoute &&
    !kinds.has("business") &&
    !hasPlans(reading)
  )
    return { kind: "showOrders", reading };
  return undefined;
}

/** A bare number answers which of the listed bookings is meant. */
function withListed({ question }: State, { choice, numbers, marks }: Reading): { choice?: Choice } {
  if (choice !== undefined) return { choice };
  const [bare] = numbers;
  const isBare = marks.list.filter(({ kind }) => kind !== "skip" && kind !== "sign").length <= 3;
  const isListed = question === "order" && isBare && bare !== undefined && Number.isInteger(bare) && bare >= 1;
  return isListed ? { choice: { ordinal: bare } } : {};
}

const isNamed = (choice: Choice | undefined): boolean => choice !== undefined && Object.keys(choice).length > 0;

/** "Cancel the hotel" when it was about to be booked. */
const isUndone = ({ deed }: State, { kinds, ids }: Reading): boolean =>
  deed !== undefined &&
  ids.length === 0 &&
  !kinds.has("order") &&
  ((deed.name === "book_stay" && !kinds.has("flight")) || (deed.name === "book_flight" && !kinds.has("stay")));

/** "Could you find something four star near the harbour, still with breakfast?" */
const seeksOtherStays = ({ kinds, stars, maximum, places }: Reading): boolean =>
  kinds.has("want") && (stars !== undefined || maximum !== undefined || places.some(({ role }) => role === "near"));

/** "Which one is the cheapest?" asks; it books nothing. */
const asksForOne = ({ lastShown }: State, { kinds, choice, folded }: Reading): boolean =>
  (lastShown === "flights" || lastShown === "stays") &&
  choice !== undefined &&
  !kinds.has("book") &&
  /^[^\p{L}]*(?:and |und |y )?(?:which|what|welche\w*|was|cual\w*|que)\b.*\b(?:is|are|ist|sind|es|son)\b.*\?/u.test(
    folded,
  );

/** "What do I get back", "¿es reembolsable?" */
export const asksForRefund = ({ kinds, folded }: Reading): boolean =>
  (kinds.has("refundable") &&
    /\b(?:is|are|ist|sind|es|son|esta|se puede)\b.*\?/.test(folded) &&
    !/\b(?:anything|something|any|etwas|was|alguno?|alguna|algo|be|sein|sea)\b/.test(folded)) ||
  /\b(?:refund|get back|money back|erstatte\w*|erstattung|(?:bekomme|kriege|krieg|gibt) .*\bzuruck|devuelven|devolver\w*|reembols\w*)\b/.test(
    folded,
  );

/** Whether a booking is meant, and not an offer that is shown: "my flight", or the flight while hotels are shown. */
function asksForBooked(state: State, reading: Reading): boolean {
  const { kinds } = reading;
  const kind = kinds.has("flight") === kinds.has("stay") ? undefined : kinds.has("stay") ? "stay" : "flight";
  if (kind === undefined || reading.choice !== undefined) return false;
  const isKnown = state.orders.some((order) => order.kind === kind && order.status === "confirmed");
  const shown = state.lastShown === "stays" ? "stay" : state.lastShown === "flights" ? "flight" : undefined;
  return shown !== kind ? isKnown || isOwned(reading) : isKnown && isOwned(reading);
}

/** A long text is more than the answer to which booking is meant. */
const isBrief = ({ marks, folded }: Reading): boolean =>
  marks.list.filter(({ kind }) => kind !== "skip" && kind !== "sign").length <= 6 &&
  !/^(?:what|how|when|where|which|who|was|wie|wann|wo|wer|que|como|cuando|cuanto|donde|quien)\b/.test(
    folded.replace(/^[^\p{L}]+/u, ""),
  );

/** "I need tickets for Rome" plans something, "show my tickets for Rome" does not. */
const hasPlans = ({ kinds, dates, nights, party }: Reading): boolean =>
  (dates.length > 0 && (kinds.has("want") || kinds.has("book"))) ||
  nights !== undefined ||
  party.adults !== undefined ||
  party.isAlone;

/** "Change it to Tuesday" while nothing is booked changes the search. */
function isCorrection(state: State, { kinds, folded }: Reading): boolean {
  const isSearching =
    (state.task === "flight" || state.task === "stay") && state.orders.every(({ status }) => status === "cancelled");
  const isOwn = kinds.has("order") || /\b(?:my|mein\w*|unser\w*|mi|nuestr[oa])\b/.test(folded);
  return isSearching && !isOwn;
}

const startsJourney = ({ kinds, places, dates }: Reading): boolean =>
  (kinds.has("flight") || kinds.has("stay")) &&
  (places.some(({ role }) => role === "from" || role === "to") || dates.length > 0 || kinds.has("sameDates")) &&
  (kinds.has("want") || kinds.has("from") || kinds.has("sameDates") || (kinds.has("stay") && dates.length > 0));

function startOrder(state: State, task: Task, reading: Reading): void {
  const { kinds, places, dates, ids, cabin } = reading;
  if (state.task !== task) state.order = { isReturn: false };
  state.task = task;
  state.lastShown = undefined;
  const { order } = state;
  const [id] = ids;
  if (id !== undefined)
    order.orderId = state.orders.find(({ orderId, pnr }) => orderId === id || pnr === id)?.orderId ?? id;
  const from = task === "cancel" ? findCancelStart(reading) : 0;
  const kind = findOrderKind(reading, from);
  if (id === undefined && (places.length > 0 || kind !== undefined || namesOrder(state, reading))) delete order.orderId;
  if (kind !== undefined) order.kind = kind;
  else if (task === "change") order.kind ??= "flight";
  // The one that is kept comes last: "the one to Madrid, I keep the one to London".
  const meant = places.filter(({ isNegated, start }) => !isNegated && start >= from);
  const place = kinds.has("keep") ? meant[0] : (meant.find(({ role }) => role === "to") ?? meant.at(-1));
  if (place !== undefined) order.place = place;
  if (cabin !== undefined) order.cabin = cabin;
  if (kinds.has("back")) order.isReturn = true;
  const date = dates.at(-1);
  // "My flight on the 12th, is the 14th possible?"
  const [named] = dates;
  if (task === "change" && dates.length > 1 && named?.date !== undefined) order.before = named.date;
  if (date?.date !== undefined) order.date = date.date;
  else if (date?.offset !== undefined && order.date !== undefined) order.date = order.date.add({ days: date.offset });
  else if (date?.offset !== undefined) order.shift = date.offset;
}

/** The kind that is named, or the one that is not to be kept. */
function findOrderKind({ marks, kinds }: Reading, from: number): "flight" | "stay" | undefined {
  const isMeant = (kind: string): boolean => {
    const index = marks.list.findIndex((mark) => mark.kind === kind && mark.start >= from);
    return index >= 0 && !marks.isNegated(index) && marks.kind(marks.pass(index - 1, ["skip"], -1)) !== "keep";
  };
  const [flight, stay] = [isMeant("flight"), isMeant("stay")];
  if (flight === stay || !(kinds.has("flight") || kinds.has("stay"))) return undefined;
  return stay ? "stay" : "flight";
}

function goOnChanging(state: State, reading: Reading): Wish | undefined {
  if (reading.kinds.has("forget")) return undefined;
  if (startsJourney(reading) && !reading.kinds.has("instead")) return undefined;
  const choice = findChoice(state, reading);
  if (
    reading.dates.length > 0 ||
    state.question !== undefined ||
    (reading.places.length > 0 && state.lastShown !== "changes")
  ) {
    startOrder(state, "change", reading);
    return { kind: "changeOrder", ...withListed(state, reading), reading };
  }
  return choice !== undefined && state.lastShown === "changes" ? { kind: "chooseChange", choice, reading } : undefined;
}
