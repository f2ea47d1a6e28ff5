import { type Selectable, sql } from "kysely";
import { z } from "zod";
import { newId } from "../../domain/ids.ts";
import { isSameOperation } from "../../kernel/chain-operation.ts";
import { batchLookUps } from "../../platform/batching/batch.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { ChainTransactionTable } from "../../platform/database/generated-tables.ts";
import { prepared } from "../../platform/database/prepared.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { ChainTransaction, ChainTransactions, TransactionIntent } from "../../ports/chain-transactions.ts";
import type { Clock } from "../../ports/clock.ts";

/** What else is in it is read by the definition of its kind. */
const StoredOperation = z.looseObject({ kind: z.string() });

declare module "../../kernel/stores.ts" {
  interface Aggregates {
    chainTransactions: ChainTransactions;
  }
}

/** Joins the caller's transaction when `queryable` is one. */
export function createChainTransactions(queryable: Queryable, clock: Clock): ChainTransactions {
  const now = (): string => clock.now().toString();
  function inTransaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  }

  const findByKey: ChainTransactions["findByKey"] = async (network, idempotencyKey) => {
    const row = await queryable
      .selectFrom("chainTransaction")
      .selectAll()
      .where("network", "=", network)
      .where("idempotencyKey", "=", idempotencyKey)
      .executeTakeFirst();
    return row === undefined ? undefined : toTransaction(row);
  };

  const get = batchLookUps(async (ids) => {
    const rows = await queryable
      .selectFrom("chainTransaction")
      .selectAll()
      .where("id", "=", sql<string>`any (${[...ids]}::text[])`)
      .execute();
    return new Map(rows.map((row) => [row.id, toTransaction(row)]));
  });

  return {
    async enqueue(transaction) {
      const at = clock.now();
      const row = await queryable
        .insertInto("chainTransaction")
        .values({
          id: newId("ctx_", at.epochMilliseconds),
          network: transaction.network,
          idempotencyKey: transaction.idempotencyKey,
          tenantId: transaction.tenantId,
          callId: transaction.callId,
          requestKey: transaction.callId === null ? null : requestKeyOf(transaction.callId),
          purpose: transaction.purpose,
          chainOrder: JSON.stringify(transaction.operation),
          result: transaction.result === undefined ? null : JSON.stringify(transaction.result),
          createdAt: at.toString(),
          updatedAt: at.toString(),
        })
        .onConflict((conflict) => conflict.columns(["network", "idempotencyKey"]).doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) return toTransaction(row);
      const stored = await findByKey(transaction.network, transaction.idempotencyKey);
      if (stored === undefined || !isSame(stored, transaction)) {
        throw new Error(`chain: ${transaction.idempotencyKey} was stored before, with another operation`);
      }
      return stored;
    },

    get,

    findByKey,

    async findByHash(network, hash) {
      const row = await queryable
        .selectFrom("chainTransaction")
        .selectAll()
        .where("network", "=", network)
        .where("hash", "=", hash)
        .executeTakeFirst();
      return row === undefined ? undefined : toTransaction(row);
    },

    async findOfRequest(network, callId) {
      const row = await queryable
        .selectFrom("chainTransaction")
        .selectAll()
        .where("network", "=", network)
        .where("tenantId", "=", sql<string>`(select tenant_id from call where id = ${callId})`)
        .where("requestKey", "=", requestKeyOf(callId))
        .where("callId", "<>", callId)
        .where("state", "<>", "reverted")
        .where("createdAt", ">", sql<Temporal.Instant>`${keysSince(clock)}::timestamptz`)
        .orderBy("createdAt", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : toTransaction(row);
    },

    async listOpen(network, limit) {
      const rows = await queryable
        .selectFrom("chainTransaction")
        .selectAll()
        .where("network", "=", network)
        .where("state", "in", ["queued", "signed"])
        .orderBy("createdAt")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toTransaction);
    },

    async knownHashes(network, hashes) {
      if (hashes.length === 0) return new Set();
      const wanted = sql`${[...hashes]}::text[]`;
      const rows = await queryable
        .selectFrom("chainTransaction")
        .select(["hash", "earlierHashes"])
        .where("network", "=", network)
        .where(sql<boolean>`(hash = any (${wanted}) or earlier_hashes && ${wanted})`)
        .execute();
      return new Set(rows.flatMap((row) => [...row.earlierHashes, ...(row.hash === null ? [] : [row.hash])]));
    },

    sign: (signerWalletId, signings) =>
      inTransaction(async (db) => {
        if (signings.length === 0) return [];
        // The rows first, in one order for everybody who takes several, and then the signer's.
        const { rows: queued } = await sql<{ id: string; nextNonce: bigint | null }>`
          ${prepared("take-nonces")}
          with queued as materialized (
            select stored.id
            from unnest(${signings.map(({ id }) => id)}::text[], ${signings.map(({ step }) => step)}::text[]) as asked (id, step)
              join chain_transaction as stored on stored.id = asked.id and stored.step = asked.step
            where stored.state = 'queued' order by stored.id for update of stored
          ),
          counted as (select count(*) as count from queued),
          signer as (
            update wallet set next_nonce = next_nonce + counted.count from counted
            where wallet.id = ${signerWalletId} and counted.count > 0
            returning wallet.next_nonce
          )
          select queued.id, signer.next_nonce from queued left join signer on true`.execute(db);
        const [one] = queued;
        if (one === undefined) return [];
        if (one.nextNonce === null) throw new Error(`chain: there is no wallet ${signerWalletId} to sign with`);
        const ids = new Set(queued.map(({ id }) => id));
        const first = Number(one.nextNonce) - ids.size;
        const own = signings.filter(({ id }) => ids.has(id));
        const signed = await Promise.all(own.map(({ sign }, index) => sign(first + index)));
        const { rows } = await sql<Selectable<ChainTransactionTable>>`
          update chain_transaction as stored
             set state = 'signed', signer_id = ${signerWalletId}, nonce = made.nonce, raw = made.raw, hash = made.hash,
                 updated_at = ${now()}::timestamptz
            from unnest(${own.map(({ id }) => id)}::text[], ${own.map((_, index) => first + index)}::bigint[],
                        ${signed.map(({ raw }) => raw)}::text[], ${signed.map(({ hash }) => hash)}::text[])
              as made (id, nonce, raw, hash)
           where stored.id = made.id
          returning stored.*`.execute(db);
        return rows.map(toTransaction);
      }),

    async replace(id, from, to) {
      const row = await queryable
        .updateTable("chainTransaction")
        .set({
          raw: to.raw,
          hash: to.hash,
          earlierHashes: sql`array_append(earlier_hashes, hash)`,
          updatedAt: now(),
        })
        .where("id", "=", id)
        .where("state", "=", "signed")
        .where("hash", "=", from)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async requeue(id, from, step, failure) {
      const row = await queryable
        .updateTable("chainTransaction")
        .set({
          state: "queued",
          step,
          ...(failure === undefined ? {} : { failure }),
          signerId: null,
          nonce: null,
          raw: null,
          hash: null,
          earlierHashes: sql`array_append(earlier_hashes, hash)`,
          updatedAt: now(),
        })
        .where("id", "=", id)
        .where("state", "=", "signed")
        .where("hash", "=", from)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async finish(id, end) {
      const { hash, block } = end.receipt;
      const row = await queryable
        .updateTable("chainTransaction")
        .set({
          state: end.state,
          failure: end.state === "reverted" ? end.failure : null,
          hash,
          earlierHashes: sql`case when hash = ${hash} then earlier_hashes else array_append(earlier_hashes, hash) end`,
          blockNumber: block.number,
          blockHash: block.hash,
          updatedAt: now(),
        })
        .where("id", "=", id)
        .where("state", "=", "signed")
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async confirm(ends) {
      const ids = ends.map(({ id }) => id);
      const { rows } = await sql<{ id: string }>`
        ${prepared("confirm-chain-transactions")}
        with locked as materialized (
          select id from chain_transaction where id = any (${ids}::text[]) and state = 'signed' order by id for update
        )
        update chain_transaction as stored
           set state = 'confirmed', failure = null, hash = line.hash, block_number = line.block_number,
               block_hash = line.block_hash, updated_at = ${now()}::timestamptz,
               earlier_hashes = case when stored.hash = line.hash then stored.earlier_hashes
                                     else array_append(stored.earlier_hashes, stored.hash) end
          from unnest(${ids}::text[], ${ends.map(({ receipt }) => receipt.hash)}::text[],
                      ${ends.map(({ receipt }) => receipt.block.number.toString())}::bigint[],
                      ${ends.map(({ receipt }) => receipt.block.hash)}::text[])
                 as line (id, hash, block_number, block_hash)
          join locked using (id)
         where stored.id = line.id
        returning stored.id`.execute(queryable);
      return new Set(rows.map(({ id }) => id));
    },

    async raiseNonce(signerWalletId, atLeast) {
      await queryable
        .updateTable("wallet")
        .set({ nextNonce: BigInt(atLeast) })
        .where("id", "=", signerWalletId)
        .where("nextNonce", "<", BigInt(atLeast))
        .execute();
    },
  };
}

/** Null when the call has no idempotency key. */
function requestKeyOf(callId: string) {
  return sql<string | null>`(select jsonb_build_array(tool, subject, idempotency_key)::text from call
    where id = ${callId} and idempotency_key is not null)`;
}

/** Idempotency keys are free again after a day. */
function keysSince(clock: Clock): string {
  return clock.now().subtract({ hours: 24 }).toString();
}

function isSame(stored: ChainTransaction, asked: TransactionIntent): boolean {
  return (
    stored.tenantId === asked.tenantId &&
    stored.purpose === asked.purpose &&
    isSameOperation(stored.operation, asked.operation)
  );
}

function toTransaction({ chainOrder, result, ...row }: Selectable<ChainTransactionTable>): ChainTransaction {
  return {
    ...withoutNulls(row),
    tenantId: row.tenantId,
    callId: row.callId,
    operation: StoredOperation.parse(chainOrder),
    result: typeof result === "object" && result !== null ? { ...result } : undefined,
    nonce: row.nonce === null ? undefined : Number(row.nonce),
  };
}
