import type { Environment } from "./identity.ts";

/** An event as the supplier sent it: a hint to look at a record again, never the truth about it. */
export interface SupplierEvent {
  /** `wev_…`; the same event can arrive several times and in any order. */
  id: string;
  type: string;
  /** The record that it is about, such as an order's id; undefined: it names none that we know. */
  subjectId: string | undefined;
  /** The order (or stay) behind the record. */
  orderId: string | undefined;
  createdAt: string | undefined;
}

/** Reads what arrives at the webhook route. */
export interface SupplierWebhooks {
  /**
   * Verifies the signature over the raw bytes, within five minutes of the clock, and reads the event. Undefined: not from the
   * supplier, or not now.
   */
  read(
    rawBody: string | Uint8Array,
    headers: { signature: string | undefined },
    secrets: readonly string[],
  ): SupplierEvent | undefined;
  /** Makes the supplier send its events there; the secret is shown only now. Undefined: the supplier has this endpoint already. */
  register(url: string): Promise<{ secret: string } | undefined>;
}

/** Events that have arrived, stored before they are acknowledged and worked on afterwards. */
export interface WebhookInbox {
  /** False: it is there already. */
  receive(network: Environment, event: SupplierEvent, at: Temporal.Instant): Promise<boolean>;
  /** Those that nobody has worked on, oldest first, taken by this worker for a while. */
  take(
    network: Environment,
    workerId: string,
    limit: number,
  ): Promise<readonly (SupplierEvent & { attempts: number })[]>;
  done(network: Environment, id: string, outcome: string): Promise<void>;
  /** Tried again later. */
  putBack(network: Environment, id: string, reason: string): Promise<void>;
}
