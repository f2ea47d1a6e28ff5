import { surelyPaid } from "../areas/payments/batch-outcome.ts";
import { PAYMENT_BATCH_PURPOSE, PAYMENT_PURPOSE } from "../areas/payments/orders.ts";
import { outgoingOf } from "../areas/treasury/order-outcome.ts";
import { REFUND_PURPOSE } from "../areas/treasury/refund.ts";
import { settlementIdOf, USAGE_PURPOSE } from "../areas/treasury/settle-usage.ts";
import type { Payment } from "../ports/payments.ts";
import type { ChainEnding, ChainEndings } from "./finish-chain.ts";

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

const idsOf = (payments: readonly Payment[]): string[] => payments.map(({ id }) => id);

/** What else changes in the transaction that stores the end of a chain transaction, by what it was for. */
export const chainEndings: ChainEndings = {
  capture: owed,
  [REFUND_PURPOSE]: owed,
  [PAYMENT_PURPOSE]: {
    async confirmed({ payments }, { id }, { receipt }) {
      await payments.settle(idsOf(await payments.ofTransaction(id)), receipt.hash);
    },
    async reverted({ payments }, { id }, { failure }) {
      for (const payment of await payments.ofTransaction(id)) await payments.writeOff(payment.id, failure);
    },
  },
  // Of those that it leaves out, jobs/watch-payments.ts asks the chain, which takes time that a database transaction has not.
  [PAYMENT_BATCH_PURPOSE]: {
    async confirmed({ payments }, { id, hash, earlierHashes }, { receipt }) {
      // What somebody else's transaction moved besides says nothing about the payments of ours.
      if (receipt.hash !== hash && !earlierHashes.includes(receipt.hash)) return;
      const paid = surelyPaid(await payments.ofTransaction(id), receipt.movements);
      await payments.settle(idsOf(paid), receipt.hash);
    },
    async reverted() {},
  },
  [USAGE_PURPOSE]: {
    confirmed: ({ usageSettlements }, { idempotencyKey }) => usageSettlements.complete(settlementIdOf(idempotencyKey)),
    async reverted({ usageSettlements, ledger }, { id, network, idempotencyKey, tenantId, order }) {
      await usageSettlements.dissolve(settlementIdOf(idempotencyKey));
      const outgoing = outgoingOf(order);
      if (tenantId === null || outgoing === undefined) return;
      await ledger.takeBack({ tenantId, network, token: order.token }, outgoing.amount, id);
    },
  },
};
