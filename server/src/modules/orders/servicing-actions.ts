import type { Micro } from "../../domain/money.ts";
import type { Environment } from "../../ports/identity.ts";
import type { EffectStore } from "../effects/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "orders.servicingActions": ServicingActions;
  }
}

export type ServicingKind = "flight_cancellation" | "flight_change" | "stay_cancellation";

/**
 * intended: stored, nothing sent yet · paying: the tenant's wallet pays, and the supplier has not been contacted · sent: the
 * supplier may have received it · done · failed: nothing happened at the supplier, and payments and holds are undone.
 */
type ServicingState = "intended" | "paying" | "sent" | "done" | "failed";

interface ServicingIntent {
  /** `act_…` */
  id: string;
  tenantId: string;
  environment: Environment;
  callId: string;
  kind: ServicingKind;
  /** The id of the cancellation, the change or the stay. A tenant has at most one action per subject that is not `failed`. */
  subjectId: string;
  /** Our booking of the changed order. */
  bookingId: string;
  orderId: string;
  /** Undefined: there is nothing to pay. */
  payment: { kind: "balance" | "wallet"; amount: Micro } | undefined;
  /** The expected refund as quoted; copied into the result. */
  expected: Readonly<Record<string, unknown>>;
}

/** One commit at the supplier that changes an order: a cancellation or a change. */
export interface ServicingAction extends ServicingIntent {
  state: ServicingState;
  /** The caller's answer. */
  result: unknown;
  failureCode: string | undefined;
  workerId: string | undefined;
  workerSeenAt: Temporal.Instant | undefined;
  /** A look-up before this time proves nothing if it finds nothing. */
  quietUntil: Temporal.Instant | undefined;
  createdAt: Temporal.Instant;
}

export type NewServicingAction = ServicingIntent & { workerId: string };

export interface ServicingActions extends EffectStore<ServicingAction> {
  /** Undefined: the tenant has a live action of this kind and subject; `findLive` returns it. */
  insert(action: NewServicingAction): Promise<ServicingAction | undefined>;
  findLive(
    tenantId: string,
    environment: Environment,
    kind: ServicingKind,
    subjectId: string,
  ): Promise<ServicingAction | undefined>;
  /** The order's completed actions. */
  listDone(environment: Environment, orderId: string): Promise<readonly ServicingAction[]>;
  /** The order's unfinished actions that the supplier may have received. */
  listSent(environment: Environment, orderId: string): Promise<readonly ServicingAction[]>;
  /** Those that `listSent` returns, and those that were given up with an unknown outcome and not repeated since. */
  listUnclear(environment: Environment, orderId: string): Promise<readonly ServicingAction[]>;
  /**
   * Reopens as `sent` an unpaid action that was given up but took effect, so that it is looked up. False: there is no such
   * action.
   */
  reopen(id: string): Promise<boolean>;
  /** Makes an idle action due for a look-up. False: a worker has it, or it has ended. */
  wake(id: string): Promise<boolean>;
}
