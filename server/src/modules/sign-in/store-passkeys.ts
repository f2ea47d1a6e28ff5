import { sql } from "kysely";
import { newId } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PasskeyRecord, PasskeyRows } from "./passkeys.ts";

const columns = [
  "id",
  "credentialId",
  "publicKey",
  "counter",
  "transports",
  "name",
  "tenantId",
  "environment",
  "personId",
  "provesAddress",
  "createdAt",
  "usedAt",
] as const;

export function createPasskeyRows(db: Queryable, clock: Clock): PasskeyRows {
  return {
    async insert({ transports, ...passkey }) {
      const at = clock.now();
      const row = await db
        .insertInto("passkey")
        .values({
          id: newId("psk_", at.epochMilliseconds),
          ...passkey,
          transports: [...transports],
          createdAt: at.toString(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async find(credentialId): Promise<PasskeyRecord | undefined> {
      const row = await db
        .selectFrom("passkey")
        .select(columns)
        .where("credentialId", "=", credentialId)
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },

    async list({ tenantId, environment, personId }) {
      const rows = await db
        .selectFrom("passkey")
        .select(columns)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("personId", "=", personId)
        .orderBy("createdAt", "desc")
        .execute();
      return rows.map(withoutNulls);
    },

    async delete(id, { tenantId, environment, personId }) {
      const { numDeletedRows } = await db
        .deleteFrom("passkey")
        .where("id", "=", id)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("personId", "=", personId)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    async used({ id, counter }, next) {
      const { numUpdatedRows } = await db
        .updateTable("passkey")
        .set({ counter: next, usedAt: clock.now().toString() })
        .where("id", "=", id)
        .where("counter", "=", counter)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async insertChallenge(challengeHash, boundHash, expiresAt) {
      await db
        .insertInto("passkeyChallenge")
        .values({ challengeHash, boundHash, expiresAt: expiresAt.toString() })
        .execute();
    },

    async takeChallenge(challengeHash, boundHash) {
      const { numDeletedRows } = await db
        .deleteFrom("passkeyChallenge")
        .where("challengeHash", "=", challengeHash)
        .where("boundHash", "=", boundHash)
        .where("expiresAt", ">", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}
