import type { Micro } from "../../domain/money.ts";
import type { PaymentReceipt } from "../../kernel/contracts/charge.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "charging.callReservations": CallReservations;
  }
}

/** The common fields of charges and reservations. */
export interface ChargeLine {
  /** The usage record's id (the meter id) for a charge; the call's id for a reservation. */
  id: string;
  /** The call, if it holds an idempotency key; else null. */
  callId: string | null;
  tenantId: string;
  environment: Environment;
  keyId: string;
  subject: string;
  tool: string;
  surface: string;
  /** Calendar month in UTC, YYYY-MM. */
  period: string;
  listPrice: Micro;
  discountPercent: number;
  price: Micro;
  usageStatus: "sandbox" | "unsettled";
  traceId: string;
  idempotencyKey: string | null;
  /** Set if the call takes its idempotency key now; null if it holds it already or has none. */
  requestHash: string | null;
  latencyMs: number;
  at: Temporal.Instant;
  /**
   * The version of the tenant's rules that the call was judged by from the cache; else null. The call is refused if they have
   * changed.
   */
  rulesVersion: number | null;
}

export interface Settlement {
  callId: string;
  /** Null: the reservation is released and nothing is paid. */
  usageId: string | null;
  latencyMs: number;
  at: Temporal.Instant;
  /** Whether the call's idempotency key stores the outcome or is released. */
  idempotency: "none" | "store" | "forget";
  outcomeText: string | null;
  /** An earlier call paid for the answer; replays of this call's key refer to it. */
  paidBefore?: { usageId: string | null; price: Micro };
}

interface KeyIdentity {
  tenantId: string;
  environment: Environment;
  subject: string;
  tool: string;
  key: string;
}

type Claim = { kind: "claimed" } | HeldClaim;

export type HeldClaim =
  | { kind: "running" }
  | { kind: "mismatch" }
  | { kind: "done"; outcomeText: string | null; usageId: string | null; price: Micro; freeAt: Temporal.Instant };

/** `isPending`: paid by a signed payment that is not settled yet and may fail. `payment`: a settled one. */
type TakenOver =
  | { paid: true; usageId: string | null; price: Micro; isPending: boolean; payment: PaymentReceipt | undefined }
  | { paid: false };

/** Reserves in a caller's transaction, for calls with further reservations. */
export interface CallReservations {
  /** Checks the cap and reserves. False: refused, as for `Calls.reserve`. */
  reserve(line: ChargeLine, processId: string): Promise<boolean>;
}

/**
 * The durable records of calls. Batch methods answer in the order of their items and are safe to repeat after a lost answer.
 */
export interface Calls {
  /**
   * Checks the cap, takes the key if the call does not hold it yet, writes the usage record and ends the claim in one
   * statement; true where granted. Also refuses calls whose key another call holds, that lost their claim or that were judged
   * by outdated rules. A refused call takes no key.
   */
  charge(lines: readonly ChargeLine[], processId: string): Promise<readonly boolean[]>;
  /** Checks the cap, takes the key and reserves in one statement; true where granted. Refuses as `charge` does. */
  reserve(lines: readonly ChargeLine[], processId: string): Promise<readonly boolean[]>;
  /**
   * Captures or releases. Releasing a call whose effect is open or done only leaves it to a sweep, which settles it by the
   * effect's outcome; its key stays held until then. Returns the usage record that pays for each call: a different one if a
   * sweep was first; null if it is not paid, or another call pays for the same answer.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly (string | null)[]>;
  /** Takes an idempotency key for a call, or returns its current holder. Keys expire after 24 h. */
  claim(
    identity: KeyIdentity,
    requestHash: string,
    callId: string,
    processId: string,
    at: Temporal.Instant,
  ): Promise<Claim>;
  /** Returns what `claim` would for a held key, without taking it; undefined: it is free. */
  look(identity: KeyIdentity, requestHash: string, at: Temporal.Instant): Promise<HeldClaim | undefined>;
  /** Replaces the outcome `stored` and returns the one that is kept: the first to arrive. Null: the key is free by now. */
  keepOutcome(identity: KeyIdentity, stored: string, outcomeText: string): Promise<string | null>;
  /** Counts another run of a read with this key. False: the limit is reached. */
  countRerun(identity: KeyIdentity): Promise<boolean>;
  /** The rest of a tenant's cap in a calendar month. */
  room(line: Pick<ChargeLine, "tenantId" | "environment" | "period">): Promise<Micro>;
  /**
   * Ends a call's claim: done if the call has a usage record, so that the key is not charged again; else the key is released.
   * False: it had ended before.
   */
  closeClaim(callId: string): Promise<boolean>;
  /** Whether the answer that `firstCallId` gave first was paid for. `unpaid` is returned only once: that caller pays. */
  takeOver(firstCallId: string): Promise<TakenOver>;
  heartbeat(processId: string): Promise<void>;
  /**
   * Settles what dead processes and failed calls left behind (see sweep-calls.ts). Returns how many calls and keys it settled.
   */
  sweep(options: {
    processId: string;
    staleSeconds: number;
    limit: number;
    at: Temporal.Instant;
    newUsageId: () => string;
    /** The outcome to store for the call's key; undefined: the key is released, and a repetition asks the tool again. */
    outcomeText: (result: unknown) => string | undefined;
  }): Promise<{ captured: number; released: number; keys: number }>;
  prune(at: Temporal.Instant): Promise<void>;
}
