/** What kinds of things the record of a trip tells. */
export const tripEntryKinds = [
  "claim",
  "search",
  "offer",
  "decision",
  "approval",
  "order",
  "ticket",
  "document",
  "message",
  "money",
  "run",
] as const;
export type TripEntryKind = (typeof tripEntryKinds)[number];

/** What of a call is worth keeping in the record of the trip that it was made for. It names nobody: ids stand for persons. */
export interface TripNote {
  readonly kind: TripEntryKind;
  /** Of what it tells, where the product tells the same elsewhere, too; left out: of the call. */
  readonly key?: string;
  /** A whole sentence. */
  readonly text: string;
  /** Ids, hashes, amounts and states. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Under which an order stands in the record of its trip. What is told of the order later finds the trip by it. */
export const orderKey = (orderId: string): string => `order:${orderId}`;
