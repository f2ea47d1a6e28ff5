import type { Selectable } from "kysely";
import { z } from "zod";
import type { ChainTransactionTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { ChainTransaction } from "../../ports/chain-transactions.ts";

/** What else is in it is read by the definition of its kind. */
const StoredOperation = z.looseObject({ kind: z.string() });

export function toTransaction({ chainOrder, result, ...row }: Selectable<ChainTransactionTable>): ChainTransaction {
  return {
    ...withoutNulls(row),
    tenantId: row.tenantId,
    callId: row.callId,
    operation: StoredOperation.parse(chainOrder),
    result: typeof result === "object" && result !== null ? { ...result } : undefined,
    nonce: row.nonce === null ? undefined : Number(row.nonce),
  };
}
