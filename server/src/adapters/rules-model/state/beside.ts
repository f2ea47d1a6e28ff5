import type { Reading } from "../reading/read-message.ts";
import { ASIDES } from "./asides.ts";
import { hasSlots } from "./choose-wishes.ts";
import { fillNextStay } from "./fill-slots.ts";
import { asksForRefund } from "./order-wishes.ts";
import type { Deed, State, Wish } from "./state.ts";

const LONGEST_REQUEST = 1_000;

/** "Yes, and …": a yes to what was shown, with more behind it. Only a plain yes runs anything, so all of it is shown again. */
const beginsWithYes = ({ marks, kinds }: Reading): boolean =>
  marks.list.find(({ kind }) => kind !== "sign" && kind !== "skip" && kind !== "greet")?.kind === "yes" &&
  !["no", "not", "forget", "cancel", "instead"].some((kind) => kinds.has(kind));

/** A wish beside what is to be confirmed: the hotel is told it, the airline is not, and a hotel may follow a flight. */
export function findBeside(state: State, reading: Reading): readonly Wish[] | undefined {
  const { deed } = state;
  const { requests, personal, kinds } = reading;
  if (deed === undefined || personal.names.length > 0 || personal.isCallerOut !== undefined) return undefined;
  const isYes = beginsWithYes(reading);
  const again: Wish = { kind: "showAgain", deed, reading };
  // The question shows the refund.
  if (deed.name === "confirm_cancel_order") return asksForRefund(reading) && !hasSlots(reading) ? [again] : undefined;
  if (deed.name === "book_stay") {
    const words = listWords(state, reading, isYes);
    return words.length === 0 ? undefined : [{ ...again, deed: withRequests(state, deed, words) }];
  }
  if (deed.name !== "book_flight" || !isYes || kinds.has("flight")) return undefined;
  if (kinds.has("stay") && reading.dates.length === 0) {
    state.isStayNext = true;
    fillNextStay(state, reading);
    if (reading.maximum !== undefined) state.stay.maximum = reading.maximum;
    if (kinds.has("refundable")) state.stay.isRefundable = true;
    return [{ kind: "stayFollows", reading }, again];
  }
  return requests.asked === undefined ? undefined : [{ kind: "airlineRequest", reading }, again];
}

/** The words for the hotel; none where the text changes the search, too. */
function listWords({ party }: State, reading: Reading, isYes: boolean): readonly string[] {
  const { requests, kinds } = reading;
  if (!isYes && ["stay", "flight", "more", "book", "cancel", "change", "no", "forget"].some((kind) => kinds.has(kind)))
    return [];
  const isKnownChild = (reading.party.children ?? 0) <= party.children;
  const others = isKnownChild ? { ...reading, party: { ...reading.party, children: undefined } } : reading;
  if (requests.asked !== undefined) return isYes || !hasSlots(others) ? [requests.asked] : [];
  return hasSlots(others) ? [] : requests.wishes;
}

function withRequests({ stay }: State, { name, args }: Deed, words: readonly string[]): Deed {
  const { accommodationSpecialRequests: before } = args;
  const asked = [...new Set([...(typeof before === "string" ? [before] : []), ...words])];
  stay.requests = [...new Set([...stay.requests, ...words])];
  return { name, args: { ...args, accommodationSpecialRequests: asked.join(", ").slice(0, LONGEST_REQUEST) } };
}

/** Questions and wishes beside a yes are answered, and then the same is asked again. */
export function withDeed({ deed }: State, reading: Reading, wishes: readonly Wish[]): readonly Wish[] {
  if (deed === undefined || !beginsWithYes(reading)) return wishes;
  const isAside = wishes.every(({ kind }) => ASIDES.has(kind));
  const isShown = wishes.some(({ kind }) => /^(?:showAgain|total|flightConditions|stayFollows)$/.test(kind));
  if (!isAside || isShown) return wishes;
  const told = wishes.map(
    (wish): Wish => (/^(?:unknown|foreign)$/.test(wish.kind) ? { kind: "notTaken", reading } : wish),
  );
  return [...told, { kind: "showAgain", deed, reading }];
}
