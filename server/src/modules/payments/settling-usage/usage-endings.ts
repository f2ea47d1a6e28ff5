import type { ChainEndings } from "../../../kernel/contracts/chain-ending.ts";
import { transfer } from "../../treasury/index.ts";
import type { Aggregates } from "../context.ts";
import { parseSettlementId, USAGE_PURPOSE } from "./settle-usage.ts";

/** The records of a settlement are paid, or unsettled again. */
export const usageEndings: ChainEndings<Aggregates> = {
  [USAGE_PURPOSE]: {
    async confirmed({ usageSettlements }, confirmedTransactions) {
      for (const { transaction } of confirmedTransactions) {
        await usageSettlements.complete(parseSettlementId(transaction.idempotencyKey));
      }
    },
    async reverted({ usageSettlements, ledger }, { id, environment, chain, idempotencyKey, tenantId, operation }) {
      await usageSettlements.dissolve(parseSettlementId(idempotencyKey));
      const outgoing = transfer.outgoing(operation);
      if (tenantId === null || outgoing === undefined) return;
      await ledger.takeBack({ tenantId, environment, chain, token: outgoing.token }, outgoing.amount, id);
    },
  },
};
