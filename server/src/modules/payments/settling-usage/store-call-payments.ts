import { sql } from "kysely";
import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { CallPayments } from "../../charging/index.ts";
import { buildSettlementKey } from "./settle-usage.ts";

interface PaymentRow {
  amountMicro: Micro;
  isPending: boolean;
  payer: Hex;
  chain: string;
  transactionHash: Hex | null;
}

export function createCallPayments(db: Queryable): CallPayments {
  return {
    async find(callId) {
      const { rows } = await sql<PaymentRow>`
        select amount_micro, state in ('claimed', 'earned') as is_pending, payer, chain, transaction_hash
        from payment where call_id = ${callId}`.execute(db);
      const [row] = rows;
      if (row === undefined) return undefined;
      const { amountMicro: amount, isPending, payer, chain: network, transactionHash } = row;
      const receipt = transactionHash === null ? undefined : { payer, amount, network, transactionHash };
      return { amount, isPending, receipt };
    },

    async among(callIds) {
      if (callIds.length === 0) return new Set();
      const { rows } = await sql<{ callId: string }>`
        select call_id from payment where call_id = any (${callIds}::text[])`.execute(db);
      return new Set(rows.map(({ callId }) => callId));
    },

    async busyProcesses() {
      const { rows } = await sql<{ processId: string }>`
        select distinct process_id from payment where state = 'claimed'`.execute(db);
      return rows.map(({ processId }) => processId);
    },

    async listTransactions(records) {
      const paid = await hashesByCall(
        db,
        records.flatMap(({ callId }) => callId ?? []),
      );
      const settled = records.filter(({ status }) => status === "settled");
      const hashes = await hashesBySettlement(
        db,
        settled.flatMap(({ settlementId }) => settlementId ?? []),
      );
      return records.map(({ callId, status, settlementId }) => {
        const isSettled = status === "settled" && settlementId !== null;
        return paid.get(callId ?? "") ?? (isSettled ? hashes.get(settlementId) : undefined) ?? null;
      });
    },
  };
}

async function hashesByCall(db: Queryable, callIds: readonly string[]): Promise<ReadonlyMap<string, Hex | null>> {
  if (callIds.length === 0) return new Map();
  const { rows } = await sql<{ callId: string; hash: Hex | null }>`
    select call_id, transaction_hash as hash from payment where call_id = any (${callIds}::text[])`.execute(db);
  return new Map(rows.map(({ callId, hash }) => [callId, hash]));
}

async function hashesBySettlement(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, Hex | null>> {
  if (ids.length === 0) return new Map();
  const settlements = new Map(ids.map((id) => [buildSettlementKey(id), id]));
  const { rows } = await sql<{ key: string; hash: Hex | null }>`
    select idempotency_key as key, hash from chain_transaction
    where network = 'production' and idempotency_key = any (${[...settlements.keys()]}::text[])`.execute(db);
  return new Map(rows.map(({ key, hash }) => [settlements.get(key) ?? "", hash]));
}
