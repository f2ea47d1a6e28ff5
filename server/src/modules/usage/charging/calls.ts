import type { Micro } from "../../../domain/money.ts";
import type { PaymentReceipt } from "../../../kernel/contracts/charge.ts";
import type { Environment } from "../../../ports/identity.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "usage.callReservations": CallReservations;
  }
}

/** What every charge and reservation carries. */
export interface ChargeLine {
  /** The usage record's id (the meter id) for a charge, the call's id for a reservation. */
  id: string;
  /** The call, when it has claimed an idempotency key; else null. */
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
  latencyMs: number;
  at: Temporal.Instant;
  /** Of the tenant's rules, where the call was judged by what was remembered of them; else null. It is refused when they have changed. */
  rulesVersion: number | null;
}

export interface Settlement {
  callId: string;
  /** Null: the reservation is released, nothing is paid. */
  usageId: string | null;
  latencyMs: number;
  at: Temporal.Instant;
  /** What becomes of the call's idempotency key: its outcome is stored, or it is free again. */
  idempotency: "none" | "store" | "forget";
  outcomeText: string | null;
  /** An earlier call paid for the answer: what a replay of this call's key says. */
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

/** `isPending`: paid by a signed payment that is not settled yet, and may turn out not to be good. `payment`: one that is settled. */
type TakenOver =
  | { paid: true; usageId: string | null; price: Micro; isPending: boolean; payment: PaymentReceipt | undefined }
  | { paid: false };

/** Reservations in a caller's transaction, for calls for which something else is reserved together with them. */
export interface CallReservations {
  /** Cap and reservation: false where refused, as for `Calls.reserve`. */
  reserve(line: ChargeLine, processId: string): Promise<boolean>;
}

/** Durable books of calls. The batch methods answer in the order of their items and are safe to send again after a lost answer. */
export interface Calls {
  /** Cap, usage record and the end of the claim in one statement: true where granted. Refused is also who lost its claim, or was judged by other rules than hold. */
  charge(lines: readonly ChargeLine[]): Promise<readonly boolean[]>;
  /** Cap and reservation in one statement: true where granted. Refused is also who lost its claim, or was judged by other rules than hold. */
  reserve(lines: readonly ChargeLine[], processId: string): Promise<readonly boolean[]>;
  /**
   * A release of a call whose effect is open or done changes nothing but that a sweep settles it, by how its effect ends; its key
   * stays taken until then. Answers with the usage record under which each call is paid: another one than was asked for when a sweep was quicker;
   * null when it is not paid, also because another call pays for the same answer.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly (string | null)[]>;
  /** Takes an idempotency key for a call, or says what holds it. Keys are free again after 24 h. */
  claim(
    identity: KeyIdentity,
    requestHash: string,
    callId: string,
    processId: string,
    at: Temporal.Instant,
  ): Promise<Claim>;
  /** What `claim` would say of a key that is taken; undefined: it is free. It takes nothing. */
  look(identity: KeyIdentity, requestHash: string, at: Temporal.Instant): Promise<HeldClaim | undefined>;
  /** Puts another outcome in place of `stored`, and gives the one that is kept: the first of several. Null: the key is free by now. */
  keepOutcome(identity: KeyIdentity, stored: string, outcomeText: string): Promise<string | null>;
  /** Counts one more run of the read that a key was used for. False: it was run again as often as it may be. */
  countRerun(identity: KeyIdentity): Promise<boolean>;
  /** What a tenant's cap leaves in a calendar month. */
  room(line: Pick<ChargeLine, "tenantId" | "environment" | "period">): Promise<Micro>;
  /** Ends a call's claim: done when the call has a usage record, so that the same key is not charged again; else the key is free. False: it was ended before. */
  closeClaim(callId: string): Promise<boolean>;
  /**
   * Whether an answer first given by `firstCallId` was paid for. `unpaid` is said once only: the asker pays for it.
   */
  takeOver(firstCallId: string): Promise<TakenOver>;
  heartbeat(processId: string): Promise<void>;
  /** Settles what dead processes and failed calls left: see sweep-calls.ts. Returns how many calls and keys it settled. */
  sweep(options: {
    processId: string;
    staleSeconds: number;
    limit: number;
    at: Temporal.Instant;
    newUsageId: () => string;
    /** What a replay of the call's key says; undefined: the key is free, and the tool is asked again what it did. */
    outcomeText: (result: unknown) => string | undefined;
  }): Promise<{ captured: number; released: number; keys: number }>;
  prune(at: Temporal.Instant): Promise<void>;
}
