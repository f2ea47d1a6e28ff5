import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";
import type { LazyPlan } from "./call-plan.ts";
import type { Transaction } from "./stores.ts";
import type { Tool } from "./tool.ts";

/** Set where the person at the caller's client can be asked before a call runs. */
export interface Confirming {
  /** The hash of the plan to which the person said yes. */
  readonly confirmedPlan?: string | undefined;
  /** True: the person's answer came too late. */
  readonly isExpired?: boolean;
  /** True: this is a preview, which asks nobody. */
  readonly isPreview?: boolean;
}

/** A call in progress, as far as charging needs to know it. */
export interface PendingCall {
  id: string;
  traceId: string;
  surface: string;
  tool: Tool;
  tenantId: string;
  keyId: string;
  /** The user or service account as whom the key acts. */
  subject: string;
  /** The user whom the call names, if any. Differs from the subject where only a person's own key may act as that person. */
  namedUserId?: string | undefined;
  /** The traveler profile used for the caller's own trips. */
  travelerId: string;
  environment: Environment;
  paidBy: PaidBy;
  listPrice: Micro;
  discountPercent: number;
  /** List price less the plan's discount. */
  price: Micro;
  startedAt: Temporal.Instant;
  idempotencyKey: string | undefined;
  /** True: nobody can have used the key before, so that a read may take it together with its charge. */
  isKeyNew?: boolean | undefined;
  /** A policy that judges the purchase in addition to the one that the tenant enforces. */
  policyId?: string | undefined;
  /** Set where the person at the caller's client can be asked first. */
  confirming?: Confirming | undefined;
  /** Plans the later call that this one prepares, such as the booking for which money is set aside. */
  purpose?: LazyPlan | undefined;
  /**
   * Set by a gate that judges from memory: the version of the tenant's rules that it remembers. The call is reserved
   * only if that version is still in force. Null disables the memory, either because the version was out of date or
   * because nothing will be reserved.
   */
  rulesVersion?: number | null | undefined;
  /** As the caller sent them; the hash of an idempotent call is computed from them. */
  args: unknown;
}

/** A final outcome, independent of the surface: stored for replays and rendered by surfaces. */
export type Outcome =
  | { ok: true; result: unknown }
  | { ok: false; code: string; detail?: string; issues?: unknown; extra?: unknown; retryAfterSeconds?: number };

/** `tenant`: on the tenant's monthly bill, under its cap. `payment`: by a payment sent with the call. */
type PaidBy = "tenant" | "payment";

/** A settled payment for one call. */
export interface PaymentReceipt {
  payer: Hex;
  amount: Micro;
  /** CAIP-2. */
  network: string;
  transactionHash: Hex;
}

/** The charge as a surface shows it. */
export interface Receipt {
  /** The usage record, if there is one. */
  usageId: string | undefined;
  /** The amount paid for the answer, by this call or an earlier one. */
  price: Micro;
  /** The signed payment for the answer, of this call or an earlier one, if any. */
  payment?: PaymentReceipt | undefined;
}

export const NOTHING_PAID: Receipt = { usageId: undefined, price: 0n };

export interface Settled extends Receipt {
  /** True: an earlier call paid for this answer. */
  replayed: boolean;
}

/** `rules_changed`: nothing is reserved, as the gates judged by rules that are no longer in force (`PendingCall.rulesVersion`). */
export type Reservation = { kind: "run" } | { kind: "rules_changed" } | Replay;

/** The same call already has a final outcome: nothing runs. */
export interface Replay {
  kind: "replay";
  outcome: Outcome;
  receipt: Receipt;
  /**
   * Replaces a stored result that lacks the tool's additions by the whole one, so that every repetition gets the same.
   * Returns the kept one, which may be that of a concurrent call.
   */
  keep(whole: unknown): Promise<unknown>;
}

/** Writes the gates' reservations (gate.ts) into the given transaction. */
export type GateReservations = (transaction: Transaction) => Promise<void>;

/** How a call is paid for. The kernel knows the order of the steps; a charge defines what they do. */
export interface Charge {
  readonly paidBy: PaidBy;
  /**
   * For a call that a gate refuses: returns the outcome of the same call if it was made before. A gate cannot undo a
   * finished call, and that call may have used up what the gate asks for. Throws while the call is still running, as
   * `reserve` does. Reserves nothing.
   */
  recall?(call: PendingCall): Promise<Replay | undefined>;
  /** After the gates: refuses an invalid payment. No outside system is asked about a payment before this. */
  admit?(call: PendingCall): Promise<void> | void;
  /**
   * Before the run: makes a write or a spend durable. Throws a Failure if it cannot. `alsoReserve` writes the gates'
   * reservations in the same transaction; if it throws, nothing is stored.
   */
  reserve(call: PendingCall, alsoReserve?: GateReservations): Promise<Reservation> | Reservation;
  /**
   * After a successful run, before the answer; durable. `result` is the part that may be stored. `firstCallId` is set
   * if the answer belongs to an earlier call.
   */
  capture(call: PendingCall, result: unknown, latencyMs: number, firstCallId?: string): Promise<Settled>;
  /** After a failed run: nothing is paid. `final`: the same key would fail the same way, so the failure is stored for it. */
  release(call: PendingCall, outcome: Outcome & { ok: false }, final: boolean): Promise<void>;
}
