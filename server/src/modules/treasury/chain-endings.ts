import type { ChainEnding, ChainEndings } from "../../kernel/contracts/chain-ending.ts";
import { COLLECT_PURPOSE } from "./collect.ts";
import type { Aggregates } from "./context.ts";
import { REFUND_PURPOSE } from "./refund.ts";

const MOST_ATTEMPTS = 5;

/**
 * Money owed regardless of a single transaction: payments to the supplier, and refunds. A failed one does not become available
 * again but is retried as a new transaction. After the last attempt it stays pending, where the operator finds it.
 */
const retried: ChainEnding<Aggregates> = {
  async reverted({ chainTransactions }, { environment, chain, idempotencyKey, tenantId, purpose, operation }) {
    const [, first = idempotencyKey, attempt = "1"] = /^(.*?)(?:#(\d+))?$/.exec(idempotencyKey) ?? [];
    const next = Number(attempt) + 1;
    if (next > MOST_ATTEMPTS) return;
    await chainTransactions.enqueue({
      environment,
      chain,
      idempotencyKey: `${first}#${next}`,
      tenantId,
      callId: null,
      purpose,
      operation,
      result: undefined,
    });
  },
};

export const treasuryEndings: ChainEndings<Aggregates> = { [COLLECT_PURPOSE]: retried, [REFUND_PURPOSE]: retried };
