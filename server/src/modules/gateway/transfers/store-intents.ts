import { sql } from "kysely";
import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Clock } from "../../../ports/clock.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "gateway.gatewayIntents": ReturnType<typeof createGatewayIntents>;
  }
}

interface StoredIntent extends ChainKey {
  transferId: string;
  depositId: string | null;
  specHash: Hex | null;
  reserved: Micro;
}

/** Joins the caller's transaction if `db` is one. */
export function createGatewayIntents(db: Queryable, clock: Clock) {
  return {
    async insert({
      transferId,
      environment,
      chain,
      depositId,
      reserved,
    }: Omit<StoredIntent, "specHash">): Promise<void> {
      await db
        .insertInto("gatewayIntent")
        .values({ transferId, environment, chain, depositId, specHash: null, reservedMicro: reserved, burnedAt: null })
        .execute();
    },

    async get(transferId: string): Promise<{ reserved: Micro; isBurned: boolean } | undefined> {
      const row = await db
        .selectFrom("gatewayIntent")
        .select(["reservedMicro as reserved", "burnedAt"])
        .where("transferId", "=", transferId)
        .executeTakeFirst();
      return row && { reserved: row.reserved, isBurned: row.burnedAt !== null };
    },

    async update(transferId: string, change: { specHash?: Hex; reserved?: Micro }): Promise<void> {
      await db
        .updateTable("gatewayIntent")
        // Members without a value stay as they are.
        .set({ specHash: change.specHash, reservedMicro: change.reserved })
        .where("transferId", "=", transferId)
        .execute();
    },

    /** By the hash of their terms. */
    async findBySpecs({ environment, chain }: ChainKey, hashes: readonly Hex[]) {
      if (hashes.length === 0) return new Map<Hex, { transferId: string; reserved: Micro }>();
      const rows = await db
        .selectFrom("gatewayIntent")
        .select(["transferId", "specHash", "reservedMicro as reserved"])
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("specHash", "=", sql<Hex>`any (${[...hashes]}::text[])`)
        .execute();
      return new Map(rows.flatMap(({ specHash, ...one }) => (specHash === null ? [] : [[specHash, one] as const])));
    },

    /** Those of the deposits' chain transactions that a transfer has made, by hash. */
    async findDeposits({ environment, chain }: ChainKey, hashes: readonly Hex[]): Promise<ReadonlySet<Hex>> {
      if (hashes.length === 0) return new Set();
      const wanted = sql`${[...hashes]}::text[]`;
      const { rows } = await sql<{ hashes: Hex[] }>`
        select array_append(stored.earlier_hashes, stored.hash) as hashes
        from gateway_intent as intent join chain_transaction as stored on stored.id = intent.deposit_id
        where intent.network = ${environment} and intent.chain = ${chain}
          and (stored.hash = any (${wanted}) or stored.earlier_hashes && ${wanted})`.execute(db);
      return new Set(rows.flatMap((row) => row.hashes));
    },

    /** Those of the deposits whose transaction is not settled: anybody may have sent what was signed, in another transaction. */
    async listUnsettledDeposits({ environment, chain }: ChainKey): Promise<readonly { from: Hex; amount: Micro }[]> {
      const { rows } = await sql<{ from: Hex; amount: string }>`
        select stored.chain_order ->> 'from' as "from", stored.chain_order ->> 'amount' as amount
        from gateway_intent as intent join chain_transaction as stored on stored.id = intent.deposit_id
        where intent.network = ${environment} and intent.chain = ${chain} and stored.state in ('queued', 'signed')`.execute(
        db,
      );
      return rows.map(({ from, amount }) => ({ from, amount: BigInt(amount) }));
    },

    async markBurned(transferIds: readonly string[]): Promise<void> {
      if (transferIds.length === 0) return;
      await db
        .updateTable("gatewayIntent")
        .set({ burnedAt: clock.now().toString() })
        .where("transferId", "in", transferIds)
        .execute();
    },
  };
}
