import type { ChainEnding } from "../../kernel/contracts/chain-ending.ts";
import type { ChainOperation } from "../../ports/chain/chain-operation.ts";
import type { Aggregates } from "./context.ts";
import { readTransferId } from "./transfers.ts";

/** The end of a transfer's chain transaction wakes it. Money that did not leave is available again. */
export function transferEnding(operation: ChainOperation): ChainEnding<Aggregates> {
  return {
    async confirmed({ transfers }, confirmed) {
      await transfers.wake(confirmed.flatMap(({ transaction }) => readTransferId(transaction.idempotencyKey) ?? []));
    },
    async reverted({ ledger, transfers }, { id, environment, chain, tenantId, operation: stored, idempotencyKey }) {
      const outgoing = operation.outgoing(stored);
      if (outgoing !== undefined && tenantId !== null) {
        await ledger.takeBack({ environment, chain, tenantId, token: outgoing.token }, outgoing.amount, id);
      }
      await transfers.wake([readTransferId(idempotencyKey)].flatMap((transferId) => transferId ?? []));
    },
  };
}
