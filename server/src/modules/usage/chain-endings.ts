import type { ChainEndings } from "../../kernel/chain-ending.ts";
import { outgoingOf } from "../treasury/order-outcome.ts";
import { settlementIdOf, USAGE_PURPOSE } from "./settle-usage.ts";

/** The records of a settlement are paid, or due again. */
export const usageEndings: ChainEndings = {
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
