import { type Selectable, sql } from "kysely";
import type { Hex } from "../../../domain/tokens.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { GatewayWithdrawalTable } from "../../../platform/database/generated-tables.ts";
import { takeDueRows } from "../../../platform/leased-queue/take-rows.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { GatewayWithdrawal, GatewayWithdrawals } from "./withdrawals.ts";

const LEASE_SECONDS = 30;

/** When the next withdrawal is due. */
export const dueWithdrawals = {
  name: "gateway_withdrawal",
  earliest: "select min(next_at) from gateway_withdrawal where next_at is not null",
};

/** Joins the caller's transaction if `db` is one. */
export function createGatewayWithdrawals(db: Queryable, clock: Clock): GatewayWithdrawals {
  const now = (): string => clock.now().toString();
  return {
    async insert({ id, environment, chain, tenantId, address, amount }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("gatewayWithdrawal")
        .values({
          id,
          environment,
          chain,
          tenantId,
          address,
          amountMicro: amount,
          nextAt: now(),
          createdAt: now(),
          updatedAt: now(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    async get(id) {
      const row = await db.selectFrom("gatewayWithdrawal").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toWithdrawal(row);
    },

    async findLast({ environment, chain, tenantId }) {
      const row = await db
        .selectFrom("gatewayWithdrawal")
        .selectAll()
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("tenantId", "=", tenantId)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      return row && toWithdrawal(row);
    },

    async listOpen({ environment, tenantId }) {
      const rows = await db
        .selectFrom("gatewayWithdrawal")
        .selectAll()
        .where("environment", "=", environment)
        .where("tenantId", "=", tenantId)
        .where("nextAt", "is not", null)
        .orderBy("createdAt")
        .execute();
      return rows.map(toWithdrawal);
    },

    async findByHashes({ environment, chain }, hashes) {
      if (hashes.length === 0) return new Map();
      const rows = await db
        .selectFrom("gatewayWithdrawal")
        .selectAll()
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where(sql<boolean>`hashes && ${[...hashes]}::text[]`)
        .execute();
      return new Map(rows.map(toWithdrawal).flatMap((one) => one.hashes.map((hash) => [hash, one] as const)));
    },

    async takeDue(limit) {
      const at = clock.now();
      const rows = await takeDueRows<Selectable<GatewayWithdrawalTable>>(db, {
        table: "gateway_withdrawal",
        key: ["id"],
        due: "next_at",
        at,
        until: at.add({ seconds: LEASE_SECONDS }),
        limit,
        where: sql`next_at is not null`,
      });
      return rows.map(toWithdrawal);
    },

    async wake(id) {
      await db
        .updateTable("gatewayWithdrawal")
        .set({ nextAt: now() })
        .where("id", "=", id)
        .where("nextAt", "is not", null)
        .execute();
    },

    async advance(from, { sent, nextAt, ...change }) {
      const { numUpdatedRows } = await db
        .updateTable("gatewayWithdrawal")
        // Members without a value stay as they are.
        .set({
          state: change.state,
          gasTransactionId: change.gasTransactionId,
          withdrawalBlock: change.withdrawalBlock,
          failure: change.failure,
          raw: sent === null ? null : sent?.raw,
          hash: sent === null ? null : sent?.hash,
          nonce: sent === null ? null : sent?.nonce,
          hashes: sent ? sql<Hex[]>`array_append(hashes, ${sent.hash})` : undefined,
          nextAt: nextAt === null ? null : nextAt?.toString(),
          updatedAt: now(),
        })
        .where("id", "=", from.id)
        .where("state", "=", from.state)
        .where(sql<boolean>`hash is not distinct from ${from.sent?.hash ?? null}`)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}

function toWithdrawal(row: Selectable<GatewayWithdrawalTable>): GatewayWithdrawal {
  const { id, environment, chain, tenantId, address, amountMicro, state, raw, hash, nonce } = row;
  const { gasTransactionId, hashes, withdrawalBlock, failure } = row;
  return {
    id,
    environment,
    chain,
    tenantId,
    address,
    amount: amountMicro,
    state,
    gasTransactionId,
    sent: raw === null || hash === null || nonce === null ? null : { raw, hash, nonce },
    hashes,
    withdrawalBlock,
    failure,
  };
}
