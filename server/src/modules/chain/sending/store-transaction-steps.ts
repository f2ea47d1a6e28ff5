import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChainTransactionTable } from "../../../platform/database/generated-tables.ts";
import { prepared } from "../../../platform/database/prepared.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ChainSigning, ChainTransactions } from "./chain-transactions.ts";
import { toTransaction } from "./store-transaction-rows.ts";

type Steps = Pick<ChainTransactions, "sign" | "replace" | "requeue" | "finish" | "confirm" | "raiseNonce">;

/** The submitter's storage of steps towards a transaction's end. */
export function chainTransactionSteps(queryable: Queryable, clock: Clock): Steps {
  const now = (): string => clock.now().toString();
  const nextNonces = new Map<string, number>();
  return {
    async sign(signerWalletId, signings) {
      if (signings.length === 0) return [];
      if (queryable.isTransaction) return await signQueued(queryable, clock, signerWalletId, signings);
      const nonce = nextNonces.get(signerWalletId);
      const signed =
        (nonce === undefined ? undefined : await signFrom(queryable, clock, { signerWalletId, nonce }, signings)) ??
        (await queryable.transaction().execute((db) => signQueued(db, clock, signerWalletId, signings)));
      const last = signed.reduce((highest, one) => Math.max(highest, one.nonce ?? 0), -1);
      if (last >= 0) nextNonces.set(signerWalletId, last + 1);
      return signed;
    },

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

    confirm: (ends) => confirmSigned(queryable, clock, ends),

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

/** Locks the rows, in a fixed order. */
const lockQueued = (signings: readonly ChainSigning[]) => sql`
  select stored.id
  from unnest(${signings.map(({ id }) => id)}::text[], ${signings.map(({ step }) => step)}::text[]) as asked (id, step)
    join chain_transaction as stored on stored.id = asked.id and stored.step = asked.step
  where stored.state = 'queued' order by stored.id for update of stored`;

interface FirstNonce {
  signerWalletId: string;
  nonce: number;
}

/** Signs all of them with the next nonces, and returns the update that stores that. */
async function signAll(clock: Clock, { signerWalletId, nonce }: FirstNonce, signings: readonly ChainSigning[]) {
  const signed = await Promise.all(signings.map(({ sign }, index) => sign(nonce + index)));
  return (from: RawBuilder<unknown>) => sql<Selectable<ChainTransactionTable>>`
    update chain_transaction as stored
       set state = 'signed', signer_id = ${signerWalletId}, nonce = made.nonce, raw = made.raw, hash = made.hash,
           updated_at = ${clock.now().toString()}::timestamptz
      from unnest(${signings.map(({ id }) => id)}::text[], ${signings.map((_, index) => nonce + index)}::bigint[],
                  ${signed.map(({ raw }) => raw)}::text[], ${signed.map(({ hash }) => hash)}::text[])
        as made (id, nonce, raw, hash)${from}
     where stored.id = made.id
    returning stored.*`;
}

/**
 * Signs from a remembered nonce, and stores that if the signer still has it and every row is still queued: one statement in
 * place of a transaction. Otherwise changes nothing and returns undefined: what was signed is dropped, and was sent to nobody.
 */
async function signFrom(
  db: Queryable,
  clock: Clock,
  first: FirstNonce,
  signings: readonly ChainSigning[],
): Promise<readonly ChainTransaction[] | undefined> {
  const { signerWalletId, nonce } = first;
  const store = await signAll(clock, first, signings).catch(() => undefined);
  if (store === undefined) return undefined;
  const { rows } = await sql<Selectable<ChainTransactionTable>>`
    with queued as materialized (${lockQueued(signings)}),
    signer as (
      update wallet set next_nonce = next_nonce + ${signings.length}
      where id = ${signerWalletId} and next_nonce = ${nonce} and (select count(*) from queued) = ${signings.length}
      returning id
    )
    ${store(sql` cross join signer`)}`.execute(db);
  return rows.length === 0 ? undefined : rows.map(toTransaction);
}

async function signQueued(
  db: Queryable,
  clock: Clock,
  signerWalletId: string,
  signings: readonly ChainSigning[],
): Promise<readonly ChainTransaction[]> {
  // Locks the rows first, and then the signer's.
  const { rows: queued } = await sql<{ id: string; nextNonce: bigint | null }>`
    ${prepared("take-nonces")}
    with queued as materialized (${lockQueued(signings)}),
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
  const nonce = Number(one.nextNonce) - ids.size;
  const store = await signAll(
    clock,
    { signerWalletId, nonce },
    signings.filter(({ id }) => ids.has(id)),
  );
  const { rows } = await store(sql``).execute(db);
  return rows.map(toTransaction);
}

async function confirmSigned(
  db: Queryable,
  clock: Clock,
  ends: Parameters<ChainTransactions["confirm"]>[0],
): Promise<ReadonlySet<string>> {
  const ids = ends.map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`
    ${prepared("confirm-chain-transactions")}
    with locked as materialized (
      select id from chain_transaction where id = any (${ids}::text[]) and state = 'signed' order by id for update
    )
    update chain_transaction as stored
       set state = 'confirmed', failure = null, hash = line.hash, block_number = line.block_number,
           block_hash = line.block_hash, updated_at = ${clock.now().toString()}::timestamptz,
           earlier_hashes = case when stored.hash = line.hash then stored.earlier_hashes
                                 else array_append(stored.earlier_hashes, stored.hash) end
      from unnest(${ids}::text[], ${ends.map(({ receipt }) => receipt.hash)}::text[],
                  ${ends.map(({ receipt }) => receipt.block.number.toString())}::bigint[],
                  ${ends.map(({ receipt }) => receipt.block.hash)}::text[])
             as line (id, hash, block_number, block_hash)
      join locked using (id)
     where stored.id = line.id
    returning stored.id`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
