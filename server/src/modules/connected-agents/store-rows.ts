import { hash } from "node:crypto";
import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import type { StoredRows } from "./connections.ts";

/** For this long a refresh token that was used may be used again: its answer was lost, or two processes share it. */
const REUSE_GRACE = { minutes: 2 };
const MOST_CLIENTS = 10_000;
/** A program that nobody connected is forgotten after that. */
const UNUSED_CLIENT_LIFE = { hours: 24 };
const MODEL_WITH_GRACE = "RefreshToken";

/** An id is a token of 256 random bits, so that a plain hash cannot be searched. */
export const hashRowId = (id: string): string => hash("sha256", id, "base64url");

export function createAuthorizationRows(db: Queryable, { clock, vault }: { clock: Clock; vault: Vault }): StoredRows {
  const context = (model: string, idHash: string) => `authorization:${model}:${idHash}`;
  const now = () => clock.now().toString();
  const only = (model: string, id: string) => ({ model, idHash: hashRowId(id) });

  return {
    ...createClients(db, clock),

    async put({ model, id, payload, expiresAt }) {
      const idHash = hashRowId(id);
      const { jti: _, ...said } = payload;
      const { accountId, aud } = payload;
      const values = {
        keyId: typeof accountId === "string" ? accountId : null,
        audience: typeof aud === "string" ? aud : null,
        payload: vault.encrypt(JSON.stringify(said), context(model, idHash)),
        expiresAt: expiresAt.toString(),
      };
      await db
        .insertInto("authorizationRow")
        .values({ model, idHash, createdAt: now(), ...values })
        .onConflict((conflict) => conflict.columns(["model", "idHash"]).doUpdateSet(values))
        .execute();
    },

    async find(model, id) {
      const { idHash } = only(model, id);
      const row = await db
        .selectFrom("authorizationRow")
        .leftJoin("connectedAgent", "connectedAgent.keyId", "authorizationRow.keyId")
        .leftJoin("apiKey", "apiKey.id", "authorizationRow.keyId")
        .select(["authorizationRow.payload", "authorizationRow.consumedAt"])
        .where("model", "=", model)
        .where("idHash", "=", idHash)
        .where("authorizationRow.expiresAt", ">", instant(now()))
        .where("connectedAgent.endedAt", "is", null)
        .where("apiKey.revokedAt", "is", null)
        .where(({ or, eb }) => or([eb("apiKey.expiresAt", "is", null), eb("apiKey.expiresAt", ">", instant(now()))]))
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const said: unknown = JSON.parse(vault.decrypt(row.payload, context(model, idHash)));
      if (typeof said !== "object" || said === null) return undefined;
      const { consumedAt } = row;
      const isUsed =
        consumedAt !== null &&
        (model !== MODEL_WITH_GRACE || Temporal.Instant.compare(consumedAt.add(REUSE_GRACE), clock.now()) <= 0);
      return { ...said, jti: id, ...(isUsed ? { consumed: Math.floor(consumedAt.epochMilliseconds / 1_000) } : {}) };
    },

    async consume(model, id) {
      const { numUpdatedRows } = await db
        .updateTable("authorizationRow")
        .set({ consumedAt: now() })
        .where("model", "=", model)
        .where("idHash", "=", hashRowId(id))
        .where("consumedAt", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async destroy(model, id) {
      await db.deleteFrom("authorizationRow").where("model", "=", model).where("idHash", "=", hashRowId(id)).execute();
    },

    async keyOfGrant(grantId) {
      const row = await db
        .selectFrom("authorizationRow")
        .select("keyId")
        .where("model", "=", "Grant")
        .where("idHash", "=", hashRowId(grantId))
        .executeTakeFirst();
      return row?.keyId ?? undefined;
    },

    async prune() {
      await pruneRows(db, "authorization_row", sql`expires_at < ${now()}::timestamptz`);
    },
  };
}

function createClients(db: Queryable, clock: Clock): Pick<StoredRows, "putClient" | "findClient" | "hasRoomForClient"> {
  return {
    async putClient(id, metadata) {
      await db
        .insertInto("authorizationClient")
        .values({ id, metadata: JSON.stringify(metadata), createdAt: clock.now().toString() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    async findClient(id) {
      const row = await db.selectFrom("authorizationClient").select("metadata").where("id", "=", id).executeTakeFirst();
      const { metadata } = row ?? {};
      return typeof metadata === "object" && metadata !== null ? { ...metadata } : undefined;
    },

    async hasRoomForClient() {
      const { count } = await db
        .selectFrom("authorizationClient")
        .select(({ fn }) => fn.countAll<bigint>().as("count"))
        .executeTakeFirstOrThrow();
      if (Number(count) < MOST_CLIENTS) return true;
      const before = clock.now().subtract(UNUSED_CLIENT_LIFE).toString();
      const unused = sql`created_at < ${before}::timestamptz and not exists (
        select from connected_agent where client_id = authorization_client.id and ended_at is null)`;
      return (await pruneRows(db, "authorization_client", unused)) > 0;
    },
  };
}

const instant = (text: string) => sql<Temporal.Instant>`${text}::timestamptz`;
