import { type Selectable, sql } from "kysely";
import pg from "pg";
import { newTransferId } from "../../../domain/ids.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { currentTraceId } from "../../../domain/trace.ts";
import { isSameOperation } from "../../../kernel/contracts/chain-operation.ts";
import type { JobQueue } from "../../../kernel/contracts/job.ts";
import { batchLookUps } from "../../../platform/batching/batch.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChainTransactionTable } from "../../../platform/database/generated-tables.ts";
import { dueIfAny, type Queue } from "../../../platform/leased-queue/watch-queues.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import { type CallBefore, openCall } from "../../effects/index.ts";
import type {
  ChainTransactions,
  EnqueuedTransaction,
  OpenTransaction,
  TransactionIntent,
} from "./chain-transactions.ts";
import { toTransaction } from "./store-transaction-rows.ts";
import { chainTransactionSteps } from "./store-transaction-steps.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "chain.chainTransactions": ChainTransactions;
  }
}

/** Transactions of a chain that have not ended. */
export function openTransactions({ environment, chain }: ChainKey): Queue {
  const earliest = dueIfAny(`
    select from chain_transaction where network = ${pg.escapeLiteral(environment)} and chain = ${pg.escapeLiteral(chain)}
      and state in ('queued', 'signed')`);
  return { name: "chain_transaction", earliest };
}

/**
 * The same on all other chains of the environment. Nothing tells of them, as the part of this process that sends to a chain is woken
 * anyway: this is for chains that are not open.
 */
export function openTransactionsBeside({ environment, chain }: ChainKey): JobQueue {
  const earliest = dueIfAny(`
    select from chain_transaction where network = ${pg.escapeLiteral(environment)} and chain <> ${pg.escapeLiteral(chain)}
      and state in ('queued', 'signed')`);
  return { name: "chain_transaction_beside", earliest, restMilliseconds: 2_000 };
}

/** Joins the caller's transaction if `queryable` is one. */
export function createChainTransactions(queryable: Queryable, clock: Clock): ChainTransactions {
  const get = batchLookUps(async (ids) => {
    const rows = await queryable
      .selectFrom("chainTransaction")
      .selectAll()
      .where("id", "=", sql<string>`any (${[...ids]}::text[])`)
      .execute();
    return new Map(rows.map((row) => [row.id, toTransaction(row)]));
  });

  let microseconds = 0;
  return {
    enqueue(intent) {
      // Keeps the order in which they were requested, also within one millisecond.
      const at = clock.now().add({ microseconds });
      microseconds = (microseconds + 1) % 1_000;
      return enqueue(queryable, at, intent);
    },

    get,

    async findByKey(chain, idempotencyKey) {
      const row = await selectByKey(queryable, chain, idempotencyKey).executeTakeFirst();
      return row === undefined ? undefined : toTransaction(row);
    },

    async findByHash({ environment, chain }, hash) {
      const row = await queryable
        .selectFrom("chainTransaction")
        .selectAll()
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("hash", "=", hash)
        .executeTakeFirst();
      return row === undefined ? undefined : toTransaction(row);
    },

    findOfRequest: (chain, callId) => findOfRequest(queryable, clock, chain, callId),

    async listOpen({ environment, chain }, limit) {
      const rows = await queryable
        .selectFrom("chainTransaction")
        .selectAll()
        .select(isStopped)
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("state", "in", ["queued", "signed"])
        .orderBy("createdAt")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toOpen);
    },

    async listOpenBeside({ environment, chain }) {
      const rows = await queryable
        .selectFrom("chainTransaction")
        .select("chain")
        .distinct()
        .where("environment", "=", environment)
        .where("chain", "<>", chain)
        .where("state", "in", ["queued", "signed"])
        .execute();
      return rows.map((row) => row.chain);
    },

    knownHashes: (chain, hashes) => knownHashes(queryable, chain, hashes),

    ...chainTransactionSteps(queryable, clock),
  };
}

const isStopped = sql<boolean>`exists (
  select from chain_network
  where chain_network.network = chain_transaction.network and chain_network.chain = chain_transaction.chain
    and stopped_because is not null
)`.as("isStopped");

async function enqueue(db: Queryable, at: Temporal.Instant, intent: TransactionIntent): Promise<EnqueuedTransaction> {
  const { callId, opensCall } = intent;
  // The statement of a transaction that opens no call has the same columns.
  const opened = sql<CallBefore>`(${callId !== null && opensCall === true ? openCall(callId) : OPENS_NOTHING})`;
  const row = await db
    .with("opened", () => opened)
    .with("alongside", () => sql<object>`(${intent.alongside ?? sql`select 1`})`)
    .insertInto("chainTransaction")
    .values({
      id: intent.id ?? newTransferId(at),
      environment: intent.environment,
      chain: intent.chain,
      idempotencyKey: intent.idempotencyKey,
      tenantId: intent.tenantId,
      callId: intent.callId,
      traceId: currentTraceId(),
      requestKey: intent.callId === null ? null : selectRequestKey(intent.callId),
      purpose: intent.purpose,
      chainOrder: JSON.stringify(intent.operation),
      result: intent.result === undefined ? null : JSON.stringify(intent.result),
      createdAt: at.toString(),
      updatedAt: at.toString(),
    })
    .onConflict((conflict) => conflict.columns(["environment", "chain", "idempotencyKey"]).doNothing())
    .returningAll()
    .returning([isStopped, selectEarlier(at)])
    .returning((select) => [
      select.selectFrom("opened").select("state").as("callState"),
      select.selectFrom("opened").select("effect").as("callEffect"),
    ])
    .executeTakeFirst();
  if (row !== undefined) {
    const { callState: state, callEffect: effect } = row;
    return { ...toEnqueued(row), callBefore: state === null || effect === null ? undefined : { state, effect } };
  }
  const stored = await selectByKey(db, intent, intent.idempotencyKey)
    .select([isStopped, selectEarlier(at)])
    .executeTakeFirst();
  if (stored === undefined || !isSame(toTransaction(stored), intent)) {
    throw new Error(`chain: ${intent.idempotencyKey} was stored before, with another operation`);
  }
  return { ...toEnqueued(stored), callBefore: undefined };
}

const OPENS_NOTHING = sql<CallBefore>`select null::text as state, null::text as effect where false`;

type OpenRow = Selectable<ChainTransactionTable> & { isStopped: boolean };

function toOpen(row: OpenRow): OpenTransaction {
  return { ...toTransaction(row), isStopped: row.isStopped };
}

function toEnqueued(row: OpenRow & { earlierId: string | null }): Omit<EnqueuedTransaction, "callBefore"> {
  return { ...toOpen(row), earlierId: row.earlierId ?? undefined };
}

const selectByKey = (db: Queryable, { environment, chain }: ChainKey, idempotencyKey: string) =>
  db
    .selectFrom("chainTransaction")
    .selectAll()
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("idempotencyKey", "=", idempotencyKey);

async function findOfRequest(
  db: Queryable,
  clock: Clock,
  { environment, chain }: ChainKey,
  callId: string,
): Promise<ChainTransaction | undefined> {
  const row = await db
    .selectFrom("chainTransaction")
    .selectAll()
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("tenantId", "=", sql<string>`(select tenant_id from call where id = ${callId})`)
    .where("requestKey", "=", selectRequestKey(callId))
    .where("callId", "<>", callId)
    .where("state", "<>", "reverted")
    .where("createdAt", ">", sql<Temporal.Instant>`${keysSince(clock.now())}::timestamptz`)
    .orderBy("createdAt", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toTransaction(row);
}

async function knownHashes(
  db: Queryable,
  { environment, chain }: ChainKey,
  hashes: readonly Hex[],
): Promise<ReadonlySet<Hex>> {
  if (hashes.length === 0) return new Set();
  const wanted = sql`${[...hashes]}::text[]`;
  // Each half uses its own index.
  const { rows } = await sql<{ hash: Hex | null; earlierHashes: readonly Hex[] }>`
    select hash, earlier_hashes from chain_transaction where network = ${environment} and chain = ${chain} and hash = any (${wanted})
    union all
    select hash, earlier_hashes from chain_transaction
    where network = ${environment} and chain = ${chain} and earlier_hashes && ${wanted} and earlier_hashes <> '{}'`.execute(
    db,
  );
  return new Set(rows.flatMap((row) => [...row.earlierHashes, ...(row.hash === null ? [] : [row.hash])]));
}

/** The same for a transaction that is stored now. */
const selectEarlier = (now: Temporal.Instant) =>
  sql<string | null>`(
    select earlier.id from chain_transaction earlier
    where earlier.network = chain_transaction.network and earlier.chain = chain_transaction.chain
      and earlier.tenant_id = chain_transaction.tenant_id and earlier.request_key = chain_transaction.request_key
      and earlier.call_id <> chain_transaction.call_id and earlier.state <> 'reverted'
      and earlier.created_at > ${keysSince(now)}::timestamptz
    order by earlier.created_at desc limit 1
  )`.as("earlierId");

/** Null if the call has no idempotency key. */
function selectRequestKey(callId: string) {
  return sql<string | null>`(select jsonb_build_array(tool, subject, idempotency_key)::text from call
    where id = ${callId} and idempotency_key is not null)`;
}

/** Idempotency keys are free again after a day. */
function keysSince(now: Temporal.Instant): string {
  return now.subtract({ hours: 24 }).toString();
}

function isSame(stored: ChainTransaction, asked: TransactionIntent): boolean {
  return (
    stored.tenantId === asked.tenantId &&
    stored.purpose === asked.purpose &&
    isSameOperation(stored.operation, asked.operation)
  );
}
