import { type Selectable, sql } from "kysely";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { MessageTable } from "../../platform/database/generated-tables.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { createWorkerLeases, type LeasedTable } from "../../platform/leased-queue/worker-leases.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import { type MessageRecord, type Messages, StoredMail } from "./messages.ts";

const FINAL = ["sent", "kept", "failed"] as const;

const table: LeasedTable<Selectable<MessageTable>, MessageRecord> = {
  ...{ name: "message", open: { notIn: FINAL }, sending: ["sending"] },
  toRecord: ({ failureCode, quietUntil, ...row }) => ({
    ...row,
    ...{ callId: undefined, result: undefined },
    failureCode: failureCode ?? undefined,
    quietUntil: quietUntil ?? undefined,
  }),
};

const contextOf = (id: string): string => `message ${id}`;

export function createMessages(db: Queryable, clock: Clock, vault: Vault): Messages {
  const { touch, leave, claimStale } = createWorkerLeases(db, clock, table);
  const now = (): string => clock.now().toString();
  return {
    ...{ touch, leave, claimStale },

    async insert({ id, key, mail, expiresAt, ...message }) {
      const at = now();
      const row = await db
        .insertInto("message")
        .values({
          ...{ id, ...message, messageKey: key, state: "intended", expiresAt: expiresAt.toString() },
          encryptedMail: vault.encrypt(JSON.stringify(mail), contextOf(id)),
          ...{ workerSeenAt: at, createdAt: at, updatedAt: at, traceId: currentTraceId() },
        })
        .onConflict((conflict) =>
          conflict.columns(["tenantId", "environment", "messageKey"]).where("state", "<>", "failed").doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : table.toRecord(row);
    },

    async findLive(tenantId, environment, key) {
      const row = await db
        .selectFrom("message")
        .selectAll()
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("messageKey", "=", key)
        .where("state", "<>", "failed")
        .executeTakeFirst();
      return row === undefined ? undefined : table.toRecord(row);
    },

    async get(id) {
      const row = await db.selectFrom("message").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : table.toRecord(row);
    },

    async readMail(id) {
      const row = await db.selectFrom("message").select("encryptedMail").where("id", "=", id).executeTakeFirst();
      const sealed = row?.encryptedMail ?? undefined;
      return sealed === undefined ? undefined : StoredMail.parse(JSON.parse(vault.decrypt(sealed, contextOf(id))));
    },

    async advance(id, { from, workerId }, to, { failureCode, quietUntil, attempts } = {}) {
      const isOver = to === "sent" || to === "failed";
      const row = await db
        .updateTable("message")
        .set({
          ...{ state: to, updatedAt: now() },
          ...(failureCode === undefined ? {} : { failureCode }),
          ...(quietUntil === undefined ? {} : { quietUntil: quietUntil.toString() }),
          ...(attempts === undefined ? {} : { attempts }),
          ...(isOver ? { encryptedMail: null } : {}),
        })
        .where("id", "=", id)
        .where("state", "=", from)
        .where("workerId", "=", workerId)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async forgetAbout(tenantId, environment, isNamedIn) {
      const rows = await db
        .selectFrom("message")
        .select(["id", "encryptedMail as mail"])
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("state", "=", "kept")
        .where("encryptedMail", "is not", null)
        .execute();
      for (const { id, mail } of rows) {
        if (!isNamedIn(vault.decrypt(mail ?? "", contextOf(id)))) continue;
        await db.deleteFrom("message").where("id", "=", id).execute();
      }
    },

    async forget(before) {
      const isOld = sql`state in ('sent', 'kept', 'failed') and created_at < ${before.toString()}`;
      await pruneRows(db, "message", isOld);
    },
  };
}
