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
 * intended: stored, nothing sent yet · paying: the tenant's wallet pays by a transaction of its own, and nothing was sent to the
 * supplier yet · sent: the supplier was or may have been told · done · failed: nothing happened at the supplier, and what was paid
 * or held is given back.
 */
type ServicingState = "intended" | "paying" | "sent" | "done" | "failed";

/** One commit at the supplier that changes an order: a cancellation or a change. */
export interface ServicingAction {
  /** `act_…` */
  id: string;
  tenantId: string;
  environment: Environment;
  callId: string;
  kind: ServicingKind;
  /** The id of the cancellation, the change or the stay: at most one action of a tenant with it is not `failed`. */
  subjectId: string;
  /** Our booking of the order that it changes. */
  bookingId: string;
  orderId: string;
  state: ServicingState;
  /** How the tenant pays: undefined when there is nothing to pay. */
  payment: { kind: "balance" | "wallet"; amount: Micro } | undefined;
  /** What is expected back, in the words of the quote; facts for the result. */
  expected: Readonly<Record<string, unknown>>;
  /** What the caller got. */
  result: unknown;
  failureCode: string | undefined;
  workerId: string | undefined;
  workerSeenAt: Temporal.Instant | undefined;
  /** Before this a lookup that finds nothing proves nothing. */
  quietUntil: Temporal.Instant | undefined;
  createdAt: Temporal.Instant;
}

export type NewServicingAction = Pick<
  ServicingAction,
  "id" | "tenantId" | "environment" | "callId" | "kind" | "subjectId" | "bookingId" | "orderId" | "payment" | "expected"
> & { workerId: string };

export interface ServicingActions extends EffectStore<ServicingAction> {
  /** Undefined when the tenant has a live action of this kind and subject; `findLive` returns that one. */
  insert(action: NewServicingAction): Promise<ServicingAction | undefined>;
  findLive(
    tenantId: string,
    environment: Environment,
    kind: ServicingKind,
    subjectId: string,
  ): Promise<ServicingAction | undefined>;
  /** Those of an order that are done. */
  listDone(environment: Environment, orderId: string): Promise<readonly ServicingAction[]>;
  /** Those of an order that the supplier was or may have been told of, and that are not over. */
  listSent(environment: Environment, orderId: string): Promise<readonly ServicingAction[]>;
  /** Those of an order whose outcome stayed unknown until they were given up, and that nobody has repeated since. */
  listGivenUp(environment: Environment, orderId: string): Promise<readonly ServicingAction[]>;
  /** One that was given up without a payment took effect after all: it is `sent` again, to be looked up; false: it is not so. */
  reopen(id: string): Promise<boolean>;
  /** An action that no worker has may be looked up now; false: it is somebody's, or over. */
  wake(id: string): Promise<boolean>;
}
