import type { Selectable } from "kysely";
import { z } from "zod";
import type { ChainTransactionTable } from "../../../platform/database/generated-tables.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";

/** The definition of its kind reads the other members. */
const StoredOperation = z.looseObject({ kind: z.string() });

/** Field by field: several rows are read for each payment, and rest properties take several times as long. */
export function toTransaction(row: Selectable<ChainTransactionTable>): ChainTransaction {
  const { result } = row;
  return {
    id: row.id,
    environment: row.environment,
    chain: row.chain,
    idempotencyKey: row.idempotencyKey,
    tenantId: row.tenantId,
    callId: row.callId,
    traceId: row.traceId ?? undefined,
    purpose: row.purpose,
    operation: StoredOperation.parse(row.chainOrder),
    result: typeof result === "object" && result !== null ? { ...result } : undefined,
    state: row.state,
    step: row.step,
    hash: row.hash ?? undefined,
    earlierHashes: row.earlierHashes,
    raw: row.raw ?? undefined,
    nonce: row.nonce === null ? undefined : Number(row.nonce),
    failure: row.failure ?? undefined,
    blockNumber: row.blockNumber ?? undefined,
    createdAt: row.createdAt,
  };
}
