import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Aggregates, Stores } from "../../kernel/stores.ts";
import type { ChainSubmission } from "../../ports/chain-transactions.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OrderRecord } from "../orders/orders.ts";
import { atMost, paidFor } from "../orders/paid-for.ts";
import { collect } from "../treasury/collect.ts";
import { refund } from "../treasury/refund.ts";
import type { ServicingAction, ServicingKind, ServicingState } from "./servicing-actions.ts";

/**
 * How a cancellation or a change of an order moves. One worker has it at a time: the call that made it, or the reconciler after
 * that worker has been silent. Every move is guarded by the state it leaves and by the worker; who loses that guard stops at once.
 *
 * | state    | what the supplier may have done  | how it is left                                                     |
 * |----------|----------------------------------|--------------------------------------------------------------------|
 * | intended | nothing: no request was sent     | → sent by its worker; → failed by the reconciler                   |
 * | paying   | nothing: the wallet's transfer   | transfer confirmed → sent, by who has it; reverted → failed        |
 * |          | is under way                     |                                                                    |
 * | sent     | all of it                        | answer: → done, → failed; no answer: lookup after the quiet time:  |
 * |          |                                  | it happened → done, else → failed                                  |
 * | done     | all of it                        | final: what was held is collected, what is given back is on its way |
 * | failed   | nothing                          | final: what was held or paid is given back                         |
 *
 * The state is stored before the request is sent, and the request is sent within SEND_WITHIN of that, once. The quiet time counts
 * from the last moment at which it can have been sent or its worker was alive. Money: a payment from the balance is held with the
 * intent; one from the wallet is stored with the intent as a transfer, and the supplier is told after its confirmation. What ends
 * the action settles both, in the same transaction.
 */
const SEND_WITHIN_MILLISECONDS = 5_000;
/** A worker says that it lives this often, and is given up after so long a silence. */
export const HEARTBEAT_MILLISECONDS = 2_000;
export const STALE_SECONDS = 15;
/** When the end is known and cannot be stored, or a transfer is under way: nothing has to be proved by waiting. */
const AGAIN_MILLISECONDS = 500;
/** The longer that lasts, the rarer it is tried: what the collection wallet lacks may come in after days. */
const LATEST_AGAIN_MILLISECONDS = 300_000;

export const SERVICING_PURPOSE = "servicing";

export interface OrderHappening {
  kind: string;
  key: string;
  details: Readonly<Record<string, unknown>>;
}

/** What the supplier did, and what follows from it. */
export interface ServicingEffect {
  /** The caller's answer but for what was charged and refunded. */
  result: Readonly<Record<string, unknown>>;
  /**
   * What the supplier gave back to the operator's balance. The tenant gets it up to what it has paid in money: the supplier does not
   * always say how much of it is an airline credit, and may give back what a change has cost that was given up and made after all.
   */
  refund: Micro;
  order: Partial<Pick<OrderRecord, "status" | "totalAmount" | "totalCurrency">>;
  /** The first says what was done, and so does the event of the refund. */
  events: readonly [OrderHappening, ...OrderHappening[]];
}

/** How one kind of action is carried out at its supplier. */
export interface ServicingCommit {
  /** After an unknown outcome, how long to wait before a lookup proves that nothing happened. */
  readonly quietMilliseconds: number;
  /** Sent once. Throws a Failure when nothing happened; `outcome_unknown`, or anything else, when that is not known. */
  send(action: ServicingAction): Promise<ServicingEffect>;
  /** Undefined: it has not happened. */
  lookUp(action: ServicingAction): Promise<ServicingEffect | undefined>;
}

export type ServicingCommits = Readonly<Record<ServicingKind, ServicingCommit>>;

export interface ServicingPorts {
  stores: Stores;
  submission: ChainSubmission;
  clock: Clock;
  commits: ServicingCommits;
}

export type ServicingEnd =
  | { kind: "done"; result: unknown }
  | { kind: "failed"; failure: Failure }
  /** A commit was sent and its outcome is open; the reconciler decides. */
  | { kind: "unknown"; cause?: unknown }
  /** The outcome is known or nothing was sent yet; the reconciler goes on in a moment. */
  | { kind: "soon"; cause?: unknown }
  /** Another worker has the action. */
  | { kind: "lost" };

/** Rolls a transaction back when the guard of a move fails. */
class LostAction extends Error {}

export function paymentReference({ id }: Pick<ServicingAction, "id">): string {
  return `servicing:${id}`;
}

const purseOf = ({ tenantId, network }: ServicingAction) => ({ tenantId, network, token: "USDC" }) as const;

/** The steps of one worker. All of them return how the action stands afterwards; none of them throws for that. */
export function servicingSteps(
  { stores, submission, clock, commits }: ServicingPorts,
  workerId: string,
  source: "call" | "reconciliation",
) {
  async function move(
    action: ServicingAction,
    to: ServicingState,
    change: { quietUntil?: Temporal.Instant } = {},
  ): Promise<ServicingAction> {
    const moved = await stores.servicingActions.advance(action.id, { from: action.state, workerId }, to, change);
    if (!moved) throw new LostAction();
    return { ...action, ...change, state: to };
  }

  /** Lets go of the action until it makes sense to look again. */
  async function leave(action: ServicingAction, kind: "unknown" | "soon", cause: unknown): Promise<ServicingEnd> {
    const now = clock.now();
    const milliseconds = kind === "soon" ? againAfter(action, now) : commits[action.kind].quietMilliseconds;
    const left = await stores.servicingActions.leave(action.id, workerId, now.add({ milliseconds }));
    return left ? { kind, cause } : { kind: "lost" };
  }

  /** The collection wallet may lack what is refunded until a transfer to it is confirmed: then it is tried again. */
  async function ending(action: ServicingAction, store: () => Promise<ServicingEnd>): Promise<ServicingEnd> {
    try {
      return await store();
    } catch (cause) {
      if (cause instanceof LostAction) throw cause;
      return leave(action, "soon", cause);
    }
  }

  const complete = (action: ServicingAction, effect: ServicingEffect): Promise<ServicingEnd> =>
    ending(action, async () => {
      const { id, network, orderId, callId, payment, state } = action;
      const back = atMost(effect.refund, await paidFor(stores, action));
      const refundedUsdc = formatDecimal(back);
      const result = { ...effect.result, chargedUsdc: formatDecimal(payment?.amount ?? 0n), refundedUsdc };
      const [{ details }] = effect.events;
      const refunded = { kind: "refunded", key: action.subjectId, details: { ...details, refundedUsdc } };
      await stores.transaction(async (aggregates) => {
        const { servicingActions, orders, effects } = aggregates;
        if (!(await servicingActions.advance(id, { from: state, workerId }, "done", { result })))
          throw new LostAction();
        await orders.update(network, orderId, effect.order);
        for (const event of back > 0n ? [...effect.events, refunded] : effect.events) {
          await orders.record(network, orderId, { ...event, at: clock.now(), source });
        }
        const reference = paymentReference(action);
        if (payment?.kind === "balance") await collect(aggregates, purseOf(action), reference, payment.amount);
        await refund(aggregates, purseOf(action), reference, back);
        await effects.done(callId, result);
      });
      submission.wake();
      return { kind: "done", result };
    });

  /** `paid`: whether the wallet's transfer took place. */
  const fail = (action: ServicingAction, failure: Failure, paid: boolean): Promise<ServicingEnd> =>
    ending(action, async () => {
      const { id, callId, state } = action;
      await stores.transaction(async (aggregates) => {
        const { servicingActions, effects } = aggregates;
        const change = { failureCode: failure.code };
        if (!(await servicingActions.advance(id, { from: state, workerId }, "failed", change))) throw new LostAction();
        await giveBack(aggregates, action, paid);
        await effects.failed(callId);
      });
      submission.wake();
      return { kind: "failed", failure };
    });

  async function giveBack(aggregates: Aggregates, action: ServicingAction, paid: boolean): Promise<void> {
    const { payment } = action;
    const reference = paymentReference(action);
    if (payment?.kind === "balance") await aggregates.ledger.release(purseOf(action), reference);
    if (payment?.kind === "wallet" && paid) await refund(aggregates, purseOf(action), reference, payment.amount);
  }

  /** Stores that the request may be on its way, then sends it, once. */
  async function send(action: ServicingAction): Promise<ServicingEnd> {
    const commit = commits[action.kind];
    const storedAt = clock.now();
    const quietUntil = storedAt.add({ milliseconds: SEND_WITHIN_MILLISECONDS + commit.quietMilliseconds });
    const sent = await move(action, "sent", { quietUntil });
    if (clock.now().since(storedAt).total("milliseconds") > SEND_WITHIN_MILLISECONDS) {
      return fail(sent, neverSent(), true);
    }
    let effect: ServicingEffect;
    try {
      effect = await commit.send(sent);
    } catch (cause) {
      if (!(cause instanceof Failure) || cause.code === "outcome_unknown") return leave(sent, "unknown", cause);
      return refused(sent, cause);
    }
    return complete(sent, effect);
  }

  /** What was done before may be our own doing: an earlier action that was given up, and took effect after all. */
  async function refused(sent: ServicingAction, failure: Failure): Promise<ServicingEnd> {
    if (!DONE_BEFORE.has(failure.code)) return fail(sent, failure, true);
    let found: ServicingEffect | undefined;
    try {
      found = await commits[sent.kind].lookUp(sent);
    } catch (cause) {
      return leave(sent, "unknown", cause);
    }
    return found === undefined ? fail(sent, failure, true) : complete(sent, found);
  }

  async function pay(action: ServicingAction, waitMilliseconds: number): Promise<ServicingEnd> {
    const key = paymentReference(action);
    const stored = await stores.chainTransactions.findByKey(action.network, key);
    if (stored === undefined) throw new Error(`servicing action ${action.id} is paying without a transfer`);
    submission.wake();
    const transfer =
      waitMilliseconds === 0 ? stored : ((await submission.waitForEnd(stored.id, waitMilliseconds)) ?? stored);
    if (transfer.state === "reverted") return fail(action, transferReverted(transfer.failure), false);
    if (transfer.state !== "confirmed") return leave(action, "soon", new Error("the transfer is not confirmed yet"));
    return send(action);
  }

  async function resolve(action: ServicingAction): Promise<ServicingEnd> {
    if (action.state === "intended") return fail(action, neverSent(), false);
    if (action.state === "paying") return pay(action, 0);
    let found: ServicingEffect | undefined;
    try {
      found = await commits[action.kind].lookUp(action);
    } catch (cause) {
      return leave(action, "unknown", cause);
    }
    return found === undefined ? fail(action, neverHappened(), true) : complete(action, found);
  }

  async function unlessLost(work: Promise<ServicingEnd>): Promise<ServicingEnd> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof LostAction) return { kind: "lost" };
      throw error;
    }
  }

  return {
    /** Carries out a stored intent, after its payment when that is the wallet's. */
    carryOut: (action: ServicingAction, waitMilliseconds: number) =>
      unlessLost(action.state === "paying" ? pay(action, waitMilliseconds) : send(action)),
    /** Finds out what became of an action that another worker left, and finishes it. */
    resolve: (action: ServicingAction) => unlessLost(resolve(action)),
    /** Says every few seconds that the worker lives, until the returned function is called. */
    beat({ id, kind }: ServicingAction): () => void {
      const timer = setInterval(() => {
        const milliseconds = HEARTBEAT_MILLISECONDS + commits[kind].quietMilliseconds;
        stores.servicingActions.touch(id, workerId, clock.now().add({ milliseconds })).catch(() => undefined);
      }, HEARTBEAT_MILLISECONDS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

function againAfter({ createdAt }: ServicingAction, now: Temporal.Instant): number {
  const tenth = Math.round(now.since(createdAt).total("milliseconds") / 10);
  return Math.min(Math.max(AGAIN_MILLISECONDS, tenth), LATEST_AGAIN_MILLISECONDS);
}

const DONE_BEFORE: ReadonlySet<string> = new Set(["already_cancelled", "already_confirmed"]);

function neverSent(): Failure {
  return new Failure("provider_unavailable", {
    detail: "It was interrupted before anything was sent. Nothing happened and nothing is owed; call again.",
  });
}

function neverHappened(): Failure {
  return new Failure("provider_timeout", {
    detail: "The supplier did not do it in time. Nothing happened and nothing is owed; call again.",
  });
}

function transferReverted(failure: string | undefined): Failure {
  return new Failure("transfer_reverted", {
    detail: "The network refused the transfer from the wallet. Nothing happened; the money is available again.",
    cause: new Error(failure ?? "reverted"),
  });
}
