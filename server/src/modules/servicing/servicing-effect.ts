import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { newTransferId } from "../../domain/ids.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import { DecimalAmount } from "../../domain/schemas.ts";
import type { EffectUse } from "../../kernel/contracts/effect-use.ts";
import type { ChainSubmission, ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { ChargeTransferId } from "../bookings/index.ts";
import {
  defineEffectUse,
  type EffectDefinition,
  type EffectResult,
  failed,
  type Move,
  type Next,
  send,
  unknown,
  Waiting,
} from "../effects/index.ts";
import { atMost, type OrderRecord, paidFor, type ServicingAction, type ServicingKind } from "../orders/index.ts";
import { collect, findHomePurse, refund } from "../treasury/index.ts";
import type { Aggregates, Stores } from "./context.ts";
import { splitRefund } from "./split-refund.ts";

/**
 * The states of a cancellation or a change of an order; `modules/effects/effect.ts` describes what all effects share.
 *
 * | state    | effect at the supplier           | transitions                                                         |
 * |----------|----------------------------------|---------------------------------------------------------------------|
 * | intended | none: no request was sent        | → sent by its worker; → failed by the reconciler                    |
 * | paying   | none: the wallet's transfer      | transfer confirmed → sent by its worker; reverted → failed          |
 * |          | is pending                       |                                                                     |
 * | sent     | possible                         | answer: → done, → failed; no answer: look-up after the quiet time:  |
 * |          |                                  | it happened → done, else → failed                                   |
 * | done     | complete                         | final: held money is collected, and refunds are on their way        |
 * | failed   | none                             | final: held or paid money is returned                               |
 *
 * Money: a payment from the balance is held with the intent; one from the wallet is stored with the intent as a transfer, and the
 * supplier is told after its confirmation. Ending the action settles both, in the same transaction.
 */
export const SERVICING_PURPOSE = "servicing";

/** Part of the answers that charge and refund. */
export const ServicingTransfers = z.object({
  chargeTransferId: ChargeTransferId,
  refundTransferId: z.string().nullable().default(null).describe("The same for the refund"),
  releasedUsdc: DecimalAmount.default("0.00").describe(
    "The supplier's refund for the part that a reservation in escrow was to pay: it no longer owes that",
  ),
});

interface NewOrderEvent {
  kind: string;
  key: string;
  details: Readonly<Record<string, unknown>>;
}

/** The supplier's outcome and its consequences. */
export interface ServicingOutcome {
  /** The caller's answer without charges and refunds. */
  result: Readonly<Record<string, unknown>>;
  /**
   * The supplier's refund to the operator's balance. The tenant gets at most what it has paid in money: the supplier does not
   * always say how much is an airline credit, and may return the cost of a change that was given up and made after all.
   */
  refund: Micro;
  order: Partial<Pick<OrderRecord, "status" | "totalAmount" | "totalCurrency">>;
  /** The flights of a change as the supplier returned them, until the order is read back. Undefined: not returned. */
  flights?: { add: OrderRecord["slices"]; remove: readonly string[] } | undefined;
  /** The first event is the action; the refund has an event as well. */
  events: readonly [NewOrderEvent, ...NewOrderEvent[]];
}

/** How a kind of action is executed at its supplier. */
export interface ServicingCommit {
  /** How long to wait after an unknown outcome before a look-up proves that nothing happened. */
  readonly quietMilliseconds: number;
  /** Sent once. Throws a Failure when nothing happened; `outcome_unknown`, or any other error, when that is not known. */
  send(action: ServicingAction): Promise<ServicingOutcome>;
  /** Undefined: it has not happened. */
  lookUp(action: ServicingAction): Promise<ServicingOutcome | undefined>;
}

export type ServicingCommits = Readonly<Record<ServicingKind, ServicingCommit>>;

export interface ServicingPorts {
  stores: Stores;
  submission: ChainSubmission;
  clock: Clock;
  commits: ServicingCommits;
}

type ServicingMove = Move<ServicingAction, Aggregates>;

export function paymentReference({ id }: Pick<ServicingAction, "id">): string {
  return `servicing:${id}`;
}

/** The wallet's own transfer, where the wallet pays before the supplier is asked. */
async function findPayment(
  { boundChains, chainTransactions }: Pick<Stores, "boundChains" | "chainTransactions">,
  action: ServicingAction,
): Promise<ChainTransaction | undefined> {
  const home = await boundChains.requireHome(action.environment);
  return await chainTransactions.findByKey(home, paymentReference(action));
}

export class ServicingSteps {
  readonly #ports: ServicingPorts;
  readonly #source: "call" | "reconciliation";

  /** `source`: the recorded source of the order's events. */
  constructor(ports: ServicingPorts, source: "call" | "reconciliation") {
    this.#ports = ports;
    this.#source = source;
  }

  /** The first step of a stored intent; a payment from the wallet comes before it. */
  begin(action: ServicingAction, waitMilliseconds: number): Next<ServicingAction, Aggregates> {
    return action.state === "paying" ? this.#afterTransfer(action, waitMilliseconds) : this.#send(action);
  }

  async lookUp(action: ServicingAction): Promise<ServicingMove> {
    if (action.state === "paying") return this.#afterTransfer(action, 0);
    const found = await this.#ports.commits[action.kind].lookUp(action);
    return found === undefined ? failed(neverHappened()) : this.#done(action, found);
  }

  #send({ kind }: ServicingAction): ServicingMove {
    return send<ServicingAction, Aggregates, ServicingOutcome>({
      to: "sent",
      request: (action) => this.#ports.commits[kind].send(action),
      answered: (action, outcome) => this.#done(action, outcome),
      refused: (action, failure) => this.#refused(action, failure),
    });
  }

  /** A refusal as already done may follow from an earlier action of ours that was given up and took effect. */
  async #refused(action: ServicingAction, failure: Failure): Promise<ServicingMove> {
    const found = DONE_BEFORE.has(failure.code) ? await this.#ports.commits[action.kind].lookUp(action) : undefined;
    return found === undefined ? failed(failure) : this.#done(action, found);
  }

  async #afterTransfer(action: ServicingAction, waitMilliseconds: number): Promise<ServicingMove> {
    const { stores, submission } = this.#ports;
    const stored = await findPayment(stores, action);
    if (stored === undefined) return unknown(new Error(`servicing action ${action.id} is paying without a transfer`));
    submission.wake();
    const transfer =
      waitMilliseconds === 0 ? stored : ((await submission.waitForEnd(stored.id, waitMilliseconds)) ?? stored);
    if (transfer.state === "reverted") return failed(transferReverted(transfer.failure));
    if (transfer.state === "confirmed") return this.#send(action);
    return { kind: "soon", cause: new Waiting("the transfer is not confirmed yet") };
  }

  #done(action: ServicingAction, outcome: ServicingOutcome): ServicingMove {
    return { kind: "done", end: () => this.#buildEnd(action, outcome) };
  }

  async #buildEnd(
    action: ServicingAction,
    outcome: ServicingOutcome,
  ): Promise<EffectResult<ServicingAction, Aggregates>> {
    const { stores, clock } = this.#ports;
    const { environment, orderId, payment } = action;
    const { back, released } = await splitRefund(stores, action, outcome.refund);
    const refundedUsdc = formatDecimal(back);
    const rest = outcome.refund - back;
    const [{ details }] = outcome.events;
    const transfers = await this.#listTransfers(action, back);
    const refunded = { kind: "refunded", key: action.subjectId, details: { ...details, refundedUsdc } };
    return {
      result: {
        ...outcome.result,
        chargedUsdc: formatDecimal(payment?.amount ?? 0n),
        refundedUsdc,
        releasedUsdc: formatDecimal(released),
        ...transfers,
      },
      apply: async (aggregates) => {
        const { orders } = aggregates;
        const slices = await this.#slicesAfter(aggregates, action, outcome);
        await orders.update(environment, orderId, { ...outcome.order, ...(slices === undefined ? {} : { slices }) });
        for (const event of back > 0n ? [...outcome.events, refunded] : outcome.events) {
          await orders.record(environment, orderId, { ...event, at: clock.now(), source: this.#source });
        }
        const reference = paymentReference(action);
        const purse = await findHomePurse(aggregates, action);
        if (payment?.kind === "balance") {
          await collect(aggregates, purse, reference, payment.amount, transfers.chargeTransferId);
        }
        await refund(aggregates, purse, reference, back, transfers.refundTransferId);
        await this.#release(aggregates, action, rest);
      },
    };
  }

  /** Undefined: the flights are unchanged, or have been read back already. */
  async #slicesAfter(
    { orders }: Pick<Aggregates, "orders">,
    { environment, orderId }: ServicingAction,
    { flights }: ServicingOutcome,
  ): Promise<OrderRecord["slices"] | undefined> {
    const known = flights && (await orders.findByOrderId(environment, orderId))?.slices;
    const first = known?.findIndex(({ id }) => flights?.remove.includes(id)) ?? -1;
    if (known === undefined || flights === undefined || first === -1) return undefined;
    return known.flatMap((slice, index) => {
      const kept = flights.remove.includes(slice.id) ? [] : [slice];
      return index === first ? [...flights.add, ...kept] : kept;
    });
  }

  /** Reduces what a reservation in escrow owes by the part of the refund that the wallet did not pay. */
  async #release(aggregates: Aggregates, action: ServicingAction, amount: Micro): Promise<void> {
    if (amount === 0n) return;
    const { environment, orderId, subjectId } = action;
    const left = amount - (await aggregates.bookings.reduceCover(action.bookingId, amount));
    // The reservation was settled or the wallet charged just now: the money is refunded after all.
    const back = atMost(left, await paidFor(aggregates, action));
    if (back === 0n) return;
    const details = { refundedUsdc: formatDecimal(back) };
    const at = this.#ports.clock.now();
    await aggregates.orders.record(environment, orderId, {
      kind: "refunded",
      key: `${subjectId}:late`,
      details,
      at,
      source: this.#source,
    });
    const purse = await findHomePurse(aggregates, action);
    await refund(aggregates, purse, `${paymentReference(action)}:late`, back);
  }

  /** The transactions that the answer names; the wallet's own payment comes first. */
  async #listTransfers(
    action: ServicingAction,
    back: Micro,
  ): Promise<Omit<z.infer<typeof ServicingTransfers>, "releasedUsdc">> {
    const { stores, clock } = this.#ports;
    const { payment } = action;
    const isPaid = payment !== undefined && payment.amount > 0n;
    const own = payment?.kind === "wallet" ? await findPayment(stores, action) : undefined;
    return {
      chargeTransferId: own?.id ?? (isPaid ? newTransferId(clock.now()) : null),
      refundTransferId: back > 0n ? newTransferId(clock.now()) : null,
    };
  }
}

export function servicingEffect(
  { commits, submission }: Pick<ServicingPorts, "commits" | "submission">,
  steps: ServicingSteps,
): EffectDefinition<ServicingAction, Aggregates> {
  return {
    done: "done",
    store: ({ servicingActions }) => servicingActions,
    quietMilliseconds: ({ kind }) => commits[kind].quietMilliseconds,
    recovery: { kind: "look_up", lookUp: (action) => steps.lookUp(action) },
    neverSent,
    async giveBack(aggregates, action) {
      const { payment, state } = action;
      const reference = paymentReference(action);
      const purse = await findHomePurse(aggregates, action);
      if (payment?.kind === "balance") await aggregates.ledger.release(purse, reference);
      // Sent only if the wallet's transfer took place.
      if (payment?.kind === "wallet" && state === "sent") await refund(aggregates, purse, reference, payment.amount);
    },
    // The collection wallet may lack the refund until a transfer to it is confirmed.
    unstoredEnd: "soon",
    ended: () => submission.wake(),
  };
}

/** Undefined: this environment is disabled. */
export type ServicingPortsFor = (
  environment: Environment,
) => Pick<ServicingPorts, "submission" | "commits"> | undefined;

/** The use of the effect machine, for the reconciler. */
export function servicingUse(
  { stores, clock }: Pick<ServicingPorts, "stores" | "clock">,
  portsFor: ServicingPortsFor,
): EffectUse {
  return defineEffectUse<ServicingAction, Aggregates>({
    name: "servicing",
    stores,
    clock,
    store: ({ servicingActions }) => servicingActions,
    definitionFor(environment) {
      const ports = portsFor(environment);
      if (ports === undefined) return undefined;
      return servicingEffect(ports, new ServicingSteps({ ...ports, stores, clock }, "reconciliation"));
    },
  });
}

const DONE_BEFORE: ReadonlySet<string> = new Set(["already_cancelled", "already_confirmed"]);

function neverSent(): Failure {
  return new Failure("provider_unavailable", {
    detail: "The call was interrupted before anything was sent. Nothing happened and nothing is owed; call again.",
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
