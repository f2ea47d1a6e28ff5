import { surelyPaid } from "../areas/payments/batch-outcome.ts";
import { PAYMENT_BATCH_PURPOSE, PAYMENT_PURPOSE } from "../areas/payments/orders.ts";
import { outgoingOf } from "../areas/treasury/order-outcome.ts";
import { REFUND_PURPOSE } from "../areas/treasury/refund.ts";
import { settlementIdOf, USAGE_PURPOSE } from "../areas/treasury/settle-usage.ts";
import type { Payment, SettledBy } from "../ports/payments.ts";
import type { CarriedOut, ChainEnding, ChainEndings } from "./finish-chain.ts";

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

/** What else changes in the transaction that stores the end of a chain transaction, by what it was for. */
export const chainEndings: ChainEndings = {
  capture: owed,
  [REFUND_PURPOSE]: owed,
  [PAYMENT_PURPOSE]: fetched,
  [PAYMENT_BATCH_PURPOSE]: fetched,
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
