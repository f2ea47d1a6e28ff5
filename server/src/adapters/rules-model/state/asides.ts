import type { Reading } from "../reading/read-message.ts";
import { BEYOND } from "./beyond.ts";
import { findChoice, hasSlots, INFORMATION } from "./choose-wishes.ts";
import { asksForRefund } from "./order-wishes.ts";
import { OTHER_KINDS, type OtherKind, type State, type Wish } from "./state.ts";

/** Wishes that leave what was about to be done as it was. */
export const ASIDES: ReadonlySet<string> = new Set([
  ...INFORMATION,
  ...BEYOND,
  ...["total", "cannot", "help", "greet", "unknown", "flightConditions", "showOrders", "showAgain", "bookingFacts"],
  ...["airlineRequest", "notTaken", "stayFollows", "isBooked", "meals"],
]);

/** A yes, or "book it", to what was about to be done before the traveler asked something else: it is shown again. */
export function findAgain({ deed }: State, reading: Reading): Wish | undefined {
  const { kinds, folded, choice, numbers } = reading;
  if ([...INFORMATION, "other"].some((kind) => kinds.has(kind))) return undefined;
  // "Yes, and the kitchen sink": more than the yes was said.
  if (/\b(?:and|but|und|aber|y|pero)\b/.test(folded) && kinds.has("word") && !kinds.has("thanks")) return undefined;
  if (deed === undefined || hasSlots(reading) || choice !== undefined || numbers.length > 0) return undefined;
  const isYes = kinds.has("yes") || kinds.has("book") || (kinds.has("cancel") && deed.name.includes("cancel"));
  const isPlain = !kinds.has("no") && !kinds.has("not") && !kinds.has("forget") && folded.length <= 60;
  const isOther = ["flight", "stay", "change", "order", "want"].some((kind) => kinds.has(kind)) && !kinds.has("it");
  return isYes && isPlain && !isOther && !folded.includes("?") ? { kind: "showAgain", deed, reading } : undefined;
}

/** "How much is that in total?", of what is about to be done, of what is shown, or of what was booked. */
export function findTotal(state: State, reading: Reading, information: readonly Wish[]): Wish | undefined {
  const { kinds, folded } = reading;
  const isAsked =
    kinds.has("total") && /\?|\b(?:how much|what|wie ?viel|wieviel|was|cuant\w*|que|total)\b/.test(folded);
  if (!isAsked || information.length > 0 || hasSlots(reading) || asksForRefund(reading)) return undefined;
  if (["cancel", "change", "policy", "more"].some((kind) => kinds.has(kind))) return undefined;
  const { deed } = state;
  if (deed !== undefined && reading.choice === undefined) return { kind: "showAgain", deed, reading };
  if (state.lastShown === undefined && state.orders.length === 0) return undefined;
  const choice = reading.choice ?? (kinds.has("book") ? undefined : withoutBooking(state, reading));
  return { kind: "total", ...(choice === undefined ? {} : { choice }), reading };
}

function withoutBooking(state: State, reading: Reading) {
  const choice = findChoice(state, reading);
  return choice === undefined || Object.keys(choice).length === 0 ? undefined : choice;
}

/** Trains and other things that cannot be booked here, unless they are ways from an airport. */
export function findOther(
  { topic, lastShown }: State,
  reading: Reading,
): Extract<Wish, { kind: "cannot" }> | undefined {
  const { kinds, marks } = reading;
  if (kinds.has("transfer") || (topic?.kind === "transfer" && !kinds.has("want"))) return undefined;
  const what = marks.list.flatMap(({ kind, value, folded }, index): OtherKind[] => {
    if (marks.isNegated(index)) return [];
    // A pet beside a journey is told of with it.
    if (value === "pet" && isBesideJourney(lastShown, reading)) return [];
    const name = kind === "other" ? value : kind === "mode" && value === "transit" ? nameVehicle(folded) : undefined;
    return OTHER_KINDS.filter((known) => known === name);
  });
  return what.length === 0 ? undefined : { kind: "cannot", what: [...new Set(what)], reading };
}

const isBesideJourney = (lastShown: State["lastShown"], reading: Reading): boolean =>
  hasSlots(reading) || (lastShown !== undefined && (reading.choice !== undefined || reading.kinds.has("book")));

/** "My mother takes the dog, so could we leave on Friday?": what is wanted is done, and pets are spoken of once. */
export function withPets(state: State, reading: Reading, wishes: readonly Wish[]): readonly Wish[] {
  const { marks } = reading;
  const isPet = marks.list.some(({ kind, value }, index) => {
    const before = marks.kind(marks.pass(index - 1, ["skip"], -1));
    return kind === "other" && value === "pet" && before !== "no" && !marks.isNegated(index);
  });
  const isToldHere = wishes.some((wish) => wish.kind === "cannot" && wish.what.includes("pet"));
  const isTold = state.arePetsTold || isToldHere;
  if (isPet || isToldHere) state.arePetsTold = true;
  return isPet && !isTold && isBesideJourney(state.lastShown, reading)
    ? [...wishes, { kind: "cannot", what: ["pet"], reading }]
    : wishes;
}

const nameVehicle = (folded: string): OtherKind | undefined =>
  /train|zug|bahn|tren\b/.test(folded) && !/[us]-bahn/.test(folded)
    ? "train"
    : /\bbus|autobus/.test(folded)
      ? "bus"
      : undefined;
