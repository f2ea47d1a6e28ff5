import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";
import type { MailState } from "../trips/index.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "escrow.guestMails": GuestMails;
  }
}

/** A mail that its taker is to send, and nobody else until it is put back or the time it was taken for is over. */
export interface TakenMail {
  environment: Environment;
  tripId: Hex;
  /** This one included. */
  attempts: number;
  /** Of the call that made the trip. */
  traceId: string | null;
}

/** What is still to be written to guests: the trips whose `mail` is pending. */
export interface GuestMails {
  /** Those that are due, of trips whose budget has arrived, oldest first. */
  take(limit: number, until: Temporal.Instant): Promise<readonly TakenMail[]>;
  /** Undefined: it is not pending, its time has not come, or somebody else has taken it. */
  takeOne(environment: Environment, tripId: Hex, until: Temporal.Instant): Promise<TakenMail | undefined>;
  /** Undefined: there is no such trip. */
  stateOf(environment: Environment, tripId: Hex): Promise<MailState | undefined>;
  /** A mail that is not pending any more stays as it is. */
  finish(environment: Environment, tripId: Hex, state: "sent" | "failed" | "kept"): Promise<void>;
  putBack(environment: Environment, tripId: Hex, due: Temporal.Instant): Promise<void>;
}
