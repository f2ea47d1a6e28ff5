import { outgoingOf } from "../areas/treasury/order-outcome.ts";
import { REFUND_PURPOSE } from "../areas/treasury/refund.ts";
import { settlementIdOf, USAGE_PURPOSE } from "../areas/treasury/settle-usage.ts";
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

/** What else changes in the transaction that stores the end of a chain transaction, by what it was for. */
export const chainEndings: ChainEndings = {
  capture: owed,
  [REFUND_PURPOSE]: owed,
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
