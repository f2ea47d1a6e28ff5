import type { Hex } from "./domain/tokens.ts";
import type { CarriedOut, ChainEnding, ChainEndings } from "./modules/chain/finish-chain.ts";
import { additionsOf, applyStep, tripIdOf, undoStep } from "./modules/escrow/apply-step.ts";
import { ESCROW_BOOKING_PURPOSE, ESCROW_TRIP_PURPOSE, TRIP_PREFUND_PURPOSE } from "./modules/escrow/purposes.ts";
import { surelyPaid } from "./modules/payments/batch-outcome.ts";
import { PAYMENT_BATCH_PURPOSE, PAYMENT_PURPOSE } from "./modules/payments/orders.ts";
import type { Payment, SettledBy } from "./modules/payments/payments.ts";
import { reputationEndings } from "./modules/reputation/reputation-endings.ts";
import { outgoingOf } from "./modules/treasury/order-outcome.ts";
import { REFUND_PURPOSE } from "./modules/treasury/refund.ts";
import { settlementIdOf, USAGE_PURPOSE } from "./modules/usage/settle-usage.ts";

const MOST_ATTEMPTS = 5;

/**
 * Money that is owed whatever becomes of one transaction: what the supplier was paid for, and what was given back. It does not
 * become available again but is tried once more as a new transaction. After the last attempt it stays on its way out, where the
 * operator finds it.
 */
const owed: ChainEnding = {
  async reverted({ chainTransactions }, { network, idempotencyKey, tenantId, purpose, order }) {
    const [, first = idempotencyKey, attempt = "1"] = /^(.*?)(?:#(\d+))?$/.exec(idempotencyKey) ?? [];
    const next = Number(attempt) + 1;
    if (next > MOST_ATTEMPTS) return;
    await chainTransactions.enqueue({
      network,
      idempotencyKey: `${first}#${next}`,
      tenantId,
      callId: null,
      purpose,
      order,
      result: undefined,
    });
  },
};

/** One for both kinds: payments of several payers are settled by one call. */
const fetched: ChainEnding = {
  async confirmed({ payments }, carriedOut) {
    const byTransaction = new Map(carriedOut.map((one) => [one.transaction.id, one]));
    const stored = await payments.ofTransactions([...byTransaction.keys()]);
    const settled = [...Map.groupBy(stored, ({ chainTransactionId }) => chainTransactionId ?? "")].flatMap(
      ([id, some]) => {
        const one = byTransaction.get(id);
        return one === undefined ? [] : paidBy(one, some).map((payment) => settledBy(payment, one));
      },
    );
    await payments.settle(settled);
  },
  // Of a batch jobs/watch-payments.ts asks the chain.
  async reverted({ payments }, { id, purpose }, { failure }) {
    if (purpose === PAYMENT_BATCH_PURPOSE) return;
    for (const payment of await payments.ofTransactions([id])) await payments.writeOff(payment.id, failure);
  },
};

/** Of those of a batch that are left out, jobs/watch-payments.ts asks the chain, which takes time that a database transaction has not. */
function paidBy({ transaction, receipt }: CarriedOut, payments: readonly Payment[]): readonly Payment[] {
  if (transaction.purpose !== PAYMENT_BATCH_PURPOSE) return payments;
  const { hash, earlierHashes } = transaction;
  // What somebody else's transaction moved besides says nothing about the payments of ours.
  if (receipt.hash !== hash && !earlierHashes.includes(receipt.hash)) return [];
  return surelyPaid(payments, receipt.movements);
}

const settledBy = ({ id }: Payment, { receipt }: CarriedOut): SettledBy => ({ id, transactionHash: receipt.hash });

/** One for all steps of trips, so that those of one database transaction take the trips' locks in one order. */
const escrowed: ChainEnding = {
  async confirmed(aggregates, carriedOut) {
    const { trips } = aggregates;
    const steps = carriedOut.flatMap((one) => {
      const tripId = tripIdOf(one.transaction);
      return tripId === undefined ? [] : [{ ...one, tripId }];
    });
    for (const { tripId, ...one } of steps.toSorted(byTripAndPlace)) {
      const trip = await trips.lock(one.transaction.network, tripId);
      if (trip === undefined) throw new Error(`the trip ${tripId} of a step is not there`);
      await applyStep(aggregates, trip, one);
    }
  },
  additions: additionsOf,
  async reverted(aggregates, transaction) {
    const { trips, ledger } = aggregates;
    const { id, network, tenantId, order } = transaction;
    const outgoing = outgoingOf(order);
    if (tenantId !== null && outgoing !== undefined) {
      await ledger.takeBack({ tenantId, network, token: order.token }, outgoing.amount, id);
    }
    const tripId = tripIdOf(transaction);
    const trip = tripId === undefined ? undefined : await trips.lock(network, tripId);
    if (trip === undefined) throw new Error(`the trip of ${id} is not there`);
    await undoStep(aggregates, trip, transaction);
  },
};

/** Steps of one trip in the order of the chain: all but the funding have nonces of one sender. */
function byTripAndPlace(one: CarriedOut & { tripId: Hex }, other: CarriedOut & { tripId: Hex }): number {
  if (one.tripId !== other.tripId) return one.tripId < other.tripId ? -1 : 1;
  const blocks = Number(one.receipt.block.number - other.receipt.block.number);
  return blocks === 0 ? (one.transaction.nonce ?? 0) - (other.transaction.nonce ?? 0) : blocks;
}

/** What else changes in the transaction that stores the end of a chain transaction, by what it was for. */
export const chainEndings: ChainEndings = {
  ...reputationEndings,
  capture: owed,
  [REFUND_PURPOSE]: owed,
  [PAYMENT_PURPOSE]: fetched,
  [PAYMENT_BATCH_PURPOSE]: fetched,
  [TRIP_PREFUND_PURPOSE]: escrowed,
  [ESCROW_TRIP_PURPOSE]: escrowed,
  [ESCROW_BOOKING_PURPOSE]: escrowed,
  [USAGE_PURPOSE]: {
    async confirmed({ usageSettlements }, carriedOut) {
      for (const { transaction } of carriedOut) {
        await usageSettlements.complete(settlementIdOf(transaction.idempotencyKey));
      }
    },
    async reverted({ usageSettlements, ledger }, { id, network, idempotencyKey, tenantId, order }) {
      await usageSettlements.dissolve(settlementIdOf(idempotencyKey));
      const outgoing = outgoingOf(order);
      if (tenantId === null || outgoing === undefined) return;
      await ledger.takeBack({ tenantId, network, token: order.token }, outgoing.amount, id);
    },
  },
};
