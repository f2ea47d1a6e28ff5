import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";
import type { LazyPlan } from "./plan.ts";
import type { Transaction } from "./stores.ts";
import type { Tool } from "./tool.ts";

/** One call on its way through the kernel, as far as charging needs to know it. */
export interface PendingCall {
  id: string;
  traceId: string;
  surface: string;
  tool: Tool;
  tenantId: string;
  keyId: string;
  /** Who asks: as whom the key acts. */
  subject: string;
  /** The user whom the call names. Undefined: none. It is not the subject where only that person's own key may act as the person. */
  namedUserId?: string | undefined;
  /** Whose traveler profile the caller's own trips use. */
  travelerId: string;
  environment: Environment;
  paidBy: PaidBy;
  listPrice: Micro;
  discountPercent: number;
  /** List price less the plan's discount. */
  price: Micro;
  startedAt: Temporal.Instant;
  idempotencyKey: string | undefined;
  /** Judges what the call buys, beside the policy that the tenant enforces. */
  policyId?: string | undefined;
  /** Plans the later call that this one prepares, as setting money aside prepares a booking. */
  purpose?: LazyPlan | undefined;
  /**
   * Set by a gate that judges by what it remembers of the tenant's rules: which version of them that is. The call is reserved only
   * if they are the same then. Null: nothing that is remembered counts, as they were not, or nothing will be reserved.
   */
  rulesVersion?: number | null | undefined;
  /** As the caller sent them; the hash of a keyed call is taken from them. */
  args: unknown;
}

/** A final outcome in the words of no surface: what is stored for a replay, and what a surface renders. */
export type Outcome =
  | { ok: true; result: unknown }
  | { ok: false; code: string; detail?: string; issues?: unknown; extra?: unknown; retryAfterSeconds?: number };

/** `tenant`: on its monthly bill, under its cap. `payment`: by a payment that came with the call. */
type PaidBy = "tenant" | "payment";

/** A payment that was signed for one call, as the chain has it. */
export interface PaymentReceipt {
  payer: Hex;
  amount: Micro;
  /** CAIP-2. */
  network: string;
  transactionHash: Hex;
}

/** What a surface shows of the charge. */
export interface Receipt {
  /** Of the usage record. Undefined: there is none. */
  usageId: string | undefined;
  /** What was paid for the answer, now or by an earlier call. */
  price: Micro;
  /** The signed payment that paid for the answer, of this call or of an earlier one. Undefined: none did. */
  payment?: PaymentReceipt | undefined;
}

export const NOTHING_PAID: Receipt = { usageId: undefined, price: 0n };

export interface Settled extends Receipt {
  /** True: an earlier call paid for this answer. */
  replayed: boolean;
}

/** `rules_changed`: nothing is reserved, as the gates have judged by rules that do not hold any more (`PendingCall.rulesVersion`). */
export type Reservation = { kind: "run" } | { kind: "rules_changed" } | Replay;

/** The same call had a final outcome: nothing runs. */
export interface Replay {
  kind: "replay";
  outcome: Outcome;
  receipt: Receipt;
  /**
   * For a stored result that lacks what the tool adds: puts the whole one in its place, so that every repetition gets the same. It
   * gives the one that is kept, which may be that of another call of the same moment.
   */
  keep(whole: unknown): Promise<unknown>;
}

/** What the gates use up (gate.ts), written into the transaction that it is given. */
export type GateReservations = (transaction: Transaction) => Promise<void>;

/** How a call is paid for. The kernel knows the order of the steps, a charge what they mean. */
export interface Charge {
  readonly paidBy: PaidBy;
  /**
   * For a call that a gate refuses: what the same call ended with when it was made before. A gate has no say over what is done, and
   * what it would ask for may have been used up by that. Throws while that call is still running, as `reserve` does. It takes nothing.
   */
  recall?(call: PendingCall): Promise<Replay | undefined>;
  /** After the gates: refuses a payment that is not good. Only here and later is anybody outside asked about one. */
  admit?(call: PendingCall): Promise<void> | void;
  /**
   * Before the run: a write or a spend is covered durably from here on. Throws Failure when it cannot be. `alsoReserve`: what gates
   * use up, for the same transaction; what it throws leaves nothing behind.
   */
  reserve(call: PendingCall, alsoReserve?: GateReservations): Promise<Reservation> | Reservation;
  /**
   * After a successful run, before the answer: durable. `result` is what may be kept of it. `firstCallId`: the answer is an earlier
   * call's.
   */
  capture(call: PendingCall, result: unknown, latencyMs: number, firstCallId?: string): Promise<Settled>;
  /** After a failed run: nothing is paid. `final`: the same key would fail the same way, so the failure is stored for it. */
  release(call: PendingCall, outcome: Outcome & { ok: false }, final: boolean): Promise<void>;
}
