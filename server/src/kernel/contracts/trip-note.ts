/** The kinds of entries in the record of a trip. */
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

/** The entry of a call in the record of its trip. It names no person, only ids. */
export interface TripNote {
  readonly kind: TripEntryKind;
  /** Identifies the subject, so that it is not told twice; left out for the call itself. */
  readonly key?: string;
  /** A whole sentence. */
  readonly text: string;
  /** Ids, hashes, amounts and states. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The key of an order in the record of its trip. Later news about the order finds the trip by it. */
export const orderKey = (orderId: string): string => `order:${orderId}`;
