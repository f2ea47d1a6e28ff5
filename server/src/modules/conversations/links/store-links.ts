import { sql } from "kysely";
import { newId } from "../../../domain/ids.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ConversationLinks } from "./links.ts";

export function createConversationLinks(db: Queryable, clock: Clock): ConversationLinks {
  return {
    async findUser({ tenantId, environment, kind, subject }) {
      const row = await db
        .selectFrom("conversationLink")
        .select("userId")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("kind", "=", kind)
        .where("subject", "=", subject)
        .executeTakeFirst();
      return row?.userId;
    },

    findProved: (owner, email) => findProved(db, owner, email),

    async list({ tenantId, environment }, userId) {
      const rows = await db
        .selectFrom("conversationLink")
        .select(["id", "kind", "subject", "createdAt"])
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("userId", "=", userId)
        .orderBy("id")
        .execute();
      return rows.map(({ kind, ...link }) => ({ ...link, kind: kind === "email" ? "email" : "key" }));
    },

    async join({ tenantId, environment, kind, subject }, userId, keyId) {
      const now = clock.now();
      const row = await db
        .insertInto("conversationLink")
        .values({
          id: newId("lnk_", now.epochMilliseconds),
          tenantId,
          environment,
          kind,
          subject,
          userId,
          keyId: keyId ?? null,
          createdAt: now.toString(),
        })
        // Unchanged: an earlier join is undone before another one.
        .onConflict((conflict) =>
          conflict.columns(["tenantId", "environment", "kind", "subject"]).doUpdateSet({ subject }),
        )
        .returning("userId")
        .executeTakeFirstOrThrow();
      return row.userId;
    },

    async remove({ tenantId, environment }, userId, linkId) {
      const { numDeletedRows } = await db
        .deleteFrom("conversationLink")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("userId", "=", userId)
        .where("id", "=", linkId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async storeCode({ tenantId, environment, codeHash, userId, email = null, expiresAt }) {
      await db
        .insertInto("conversationLinkCode")
        .values({ codeHash, tenantId, environment, userId, email, expiresAt: expiresAt.toString() })
        .execute();
    },

    async takeCode({ tenantId, environment }, codeHash) {
      const row = await db
        .deleteFrom("conversationLinkCode")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("codeHash", "=", codeHash)
        .returning(["userId", "email", "expiresAt"])
        .executeTakeFirst();
      if (row === undefined || Temporal.Instant.compare(row.expiresAt, clock.now()) <= 0) return undefined;
      return { userId: row.userId, email: row.email ?? undefined };
    },

    async countAttempt({ tenantId, environment }, ownerId, windowSeconds) {
      const now = clock.now();
      const over = now.subtract({ seconds: windowSeconds }).toString();
      const { rows } = await sql<{ attempts: number }>`
        insert into conversation_link_attempt as counted (tenant_id, network, owner_id, attempts, since)
        values (${tenantId}, ${environment}, ${ownerId}, 1, ${now.toString()}::timestamptz)
        on conflict (tenant_id, network, owner_id) do update set
          attempts = case when counted.since <= ${over}::timestamptz then 1 else counted.attempts + 1 end,
          since = case when counted.since <= ${over}::timestamptz then excluded.since else counted.since end
        returning attempts`.execute(db);
      return rows[0]?.attempts ?? 1;
    },

    async moveConversations({ tenantId, environment }, from, to) {
      await db
        .updateTable("conversation")
        .set({ ownerId: to })
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("ownerId", "=", from)
        .execute();
      // Keys are counted by owner, and the new one may have used the same.
      await db
        .updateTable("conversationTurn")
        .set({ ownerId: to, idempotencyKey: null })
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("ownerId", "=", from)
        .execute();
    },

    async prune() {
      const now = clock.now().toString();
      await pruneRows(db, "conversation_link_code", sql`expires_at <= ${now}::timestamptz`);
      await pruneRows(db, "conversation_link_attempt", sql`since <= ${now}::timestamptz - interval '1 day'`);
    },
  };
}

/** The key is not known of addresses that an earlier release stored. */
async function findProved(
  db: Queryable,
  { tenantId, environment }: Parameters<ConversationLinks["findProved"]>[0],
  email: string,
): ReturnType<ConversationLinks["findProved"]> {
  const row = await db
    .selectFrom("conversationLink")
    .select(["userId", "keyId"])
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("kind", "=", "email")
    .where("subject", "=", email)
    .executeTakeFirst();
  return row === undefined || row.keyId === null ? undefined : { userId: row.userId, keyId: row.keyId };
}
