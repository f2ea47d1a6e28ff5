/** An event as the supplier sent it: a hint to look at a record again, never the truth about it. */
export interface SupplierEvent {
  /** `wev_…`; the same event can arrive several times and in any order. */
  id: string;
  type: string;
  /** The record that it is about, such as an order's id; undefined: it names none that we know. */
  subjectId: string | undefined;
  /** The order (or stay) behind the record. */
  orderId: string | undefined;
  /** Ours, from the metadata of what was or was to be booked. */
  bookingId: string | undefined;
  createdAt: string | undefined;
}

/** Where the supplier sends its events. */
export interface WebhookEndpoint {
  endpointId: string;
  url: string;
  secret: string;
}

/** Reads what arrives at the webhook route. */
export interface SupplierWebhooks {
  /** Whether the header has the form of a signature, within five minutes of the clock: else the body need not be read. */
  mayBeSigned(signature: string): boolean;
  /**
   * Verifies the signature over the raw bytes, within five minutes of the clock, and reads the event. Undefined: not from the
   * supplier, or not now.
   */
  read(
    rawBody: string | Uint8Array,
    headers: { signature: string | undefined },
    secrets: readonly string[],
  ): SupplierEvent | undefined;
  /**
   * Makes the supplier send its events to `url`. Undefined: the `known` endpoint does so, from now on if it did not. Otherwise a
   * new one does, whose secret is shown only now. Whatever else the supplier sends events to is removed for it, as there is one
   * endpoint only; so this is for a supplier of this deployment's own.
   */
  register(url: string, known?: string): Promise<WebhookEndpoint | undefined>;
}
