/** An event as the supplier sent it: a hint to read a record again, never the truth about it. */
export interface SupplierEvent {
  /** `wev_…`; an event can arrive several times and in any order. */
  id: string;
  type: string;
  /** The record that it is about, such as an order's id; undefined: it names none that we know. */
  subjectId: string | undefined;
  /** The order (or stay) behind the record. */
  orderId: string | undefined;
  /** Our id, from the metadata of the booking or its attempt. */
  bookingId: string | undefined;
  createdAt: string | undefined;
}

/** An endpoint for the supplier's events. */
export interface WebhookEndpoint {
  endpointId: string;
  url: string;
  secret: string;
}

/** Reads requests to the webhook route. */
export interface SupplierWebhooks {
  /** Whether the header has the form of a signature, within five minutes of the clock; otherwise the body need not be read. */
  mayBeSigned(signature: string): boolean;
  /**
   * Verifies the signature over the raw bytes, within five minutes of the clock, and reads the event. Undefined: not from the
   * supplier, or outdated.
   */
  read(
    rawBody: string | Uint8Array,
    headers: { signature: string | undefined },
    secrets: readonly string[],
  ): SupplierEvent | undefined;
  /**
   * Makes the supplier send its events to `url`. Undefined: the `known` endpoint does so, possibly after an update. Otherwise a
   * new endpoint is created, whose secret is shown only now. All other endpoints are removed, as there is only one; so this is
   * for a supplier of this deployment's own.
   */
  register(url: string, known?: string): Promise<WebhookEndpoint | undefined>;
}
