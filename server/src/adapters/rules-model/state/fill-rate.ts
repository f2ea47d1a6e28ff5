import type { Reading } from "../reading/read-message.ts";
import type { RoomType, State } from "./state.ts";

const ROOMS: readonly (readonly [RoomType, RegExp])[] = [
  ["twin", /\b(?:twin|zweibett\w*|zwei (?:einzel)?betten|dos camas|camas separadas)\b/],
  ["double", /\b(?:double (?:room|bed)|doppel(?:zimmer|bett)\w*|(?:habitacion|cama) (?:doble|de matrimonio))\b/],
  ["single", /\b(?:single room|einzelzimmer|habitacion (?:individual|sencilla))\b/],
  ["suite", /\bsuites?\b/],
  ["family", /\b(?:family room|familienzimmer|habitacion familiar)\b/],
  ["superior", /\b(?:superior|deluxe|better room|besseres zimmer|mejor habitacion)\b/],
];
const CENTRAL =
  /\b(?:central|centrally|(?:in|near|close to|in the middle of) the (?:city )?(?:centre|center|middle of town)|downtown|zentral\w*|zentrumsnah\w*|im zentrum|in der (?:innenstadt|stadtmitte)|centric[oa]s?|en el centro|cerca del centro|ma?s ce(?:rca|ntric)\w* (?:del|al) centro)\b/;

/** Keeps which things a rate is to include, and how near the hotel is to be. */
export function fillRate({ stay }: State, reading: Reading): void {
  const { kinds, folded } = reading;
  if (isWishOfPart(reading, "refundable", "stay")) stay.isRefundable = true;
  if (kinds.has("board")) stay.isBoardWanted = !isBoardUnwanted(reading);
  const room = ROOMS.find(([, words]) => words.test(folded))?.[0];
  if (room !== undefined) stay.room = room;
  if (CENTRAL.test(folded)) stay.isCentral = true;
}

const isBoardUnwanted = ({ marks }: Reading): boolean =>
  marks.isNegated(marks.list.findIndex(({ kind }) => kind === "board"));

/** "A flexible flight, and a hotel with free cancellation": whether the wish is for that part. Without both, it is for either. */
export function isWishOfPart({ marks, kinds }: Reading, wish: string, part: "flight" | "stay"): boolean {
  const places = marks.list.flatMap(({ kind }, index) => (kind === wish ? [index] : []));
  if (places.length === 0) return false;
  if (!kinds.has("flight") || !kinds.has("stay")) return true;
  const isPart = ({ kind }: { kind: string }): boolean => kind === "flight" || kind === "stay";
  return places.some((index) => {
    // "A refundable hotel": the word comes right before it.
    const named =
      marks.list.slice(index, index + 3).find(isPart) ??
      marks.list.slice(0, index).findLast(isPart) ??
      marks.list.slice(index).find(isPart);
    return named?.kind === part;
  });
}
