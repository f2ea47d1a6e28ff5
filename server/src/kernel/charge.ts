import type { Micro } from "../domain/money.ts";
import type { Environment, Plan } from "../ports/identity.ts";
import type { Tool } from "./tool.ts";

/** One call on its way through the kernel, as far as charging needs to know it. */
export interface PendingCall {
  id: string;
  traceId: string;
  surface: string;
  tool: Tool;
  tenantId: string;
  keyId: string;
  subject: string;
  environment: Environment;
  plan: Plan;
  listPrice: Micro;
  discountPercent: number;
  /** List price less the plan's discount. */
  price: Micro;
  startedAt: Temporal.Instant;
  idempotencyKey: string | undefined;
  /** As the caller sent them; the hash of a keyed call is taken from them. */
  args: unknown;
}

/** A final outcome in the words of no surface: what is stored for a replay, and what a surface renders. */
export type Outcome =
  | { ok: true; result: unknown }
  | { ok: false; code: string; detail?: string; issues?: unknown; extra?: unknown; retryAfterSeconds?: number };

export interface Settled {
  usageId: string | undefined;
  /** What was paid for the answer, now or by the earlier call. */
  price: Micro;
  /** True: an earlier call paid for this answer. */
  replayed: boolean;
}

export type Reservation =
  | { kind: "run" }
  /** The same idempotency key had a final outcome: nothing runs. */
  | { kind: "replay"; outcome: Outcome; usageId: string | undefined; price: Micro };

/** How a call is paid for. Kernel knows the order of the steps, billing what they mean. */
export interface Charge {
  /** Before validation: refuses what cannot be paid at all. */
  admit(call: PendingCall): Promise<void> | void;
  /** Before the run: a write or a spend is covered durably from here on. Throws Failure when it cannot be. */
  reserve(call: PendingCall): Promise<Reservation> | Reservation;
  /**
   * After a successful run, before the answer: durable. `result` is what may be kept of it. `firstCallId`: the answer is an earlier
   * call's.
   */
  capture(call: PendingCall, result: unknown, latencyMs: number, firstCallId?: string): Promise<Settled>;
  /** After a failed run: nothing is paid. `final`: the same key would fail the same way, so the failure is stored for it. */
  release(call: PendingCall, outcome: Outcome & { ok: false }, final: boolean): Promise<void>;
}
