import { createHash } from "node:crypto";
import { type Selectable, sql } from "kysely";
import { newId } from "../../domain/ids.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { MessageTable } from "../../platform/database/generated-tables.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { createWorkerLeases, type LeasedTable } from "../../platform/leased-queue/worker-leases.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import { type MessageReason, type MessageRecord, type Messages, StoredLetter } from "./messages.ts";
import type { SentMail } from "./sent-mail.ts";

const FINAL = ["sent", "kept", "failed"] as const;

const table: LeasedTable<Selectable<MessageTable>, MessageRecord> = {
  name: "message",
  open: { notIn: FINAL },
  sending: ["sending"],
  toRecord: ({ failureCode, quietUntil, userId, recordId, ...row }) => ({
    ...row,
    callId: undefined,
    result: undefined,
    userId: userId ?? undefined,
    recordId: recordId ?? undefined,
    failureCode: failureCode ?? undefined,
    quietUntil: quietUntil ?? undefined,
  }),
};

/** Hashed, since the subject of a message may name people. */
function hashReason({ kind, userId, about }: MessageReason): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, userId, about]))
    .digest("base64url");
}

const sealingContext = (id: string): string => `message ${id}`;

export function createMessages(db: Queryable, clock: Clock, vault: Vault): Messages {
  const { touch, leave, claimStale, queue, claim } = createWorkerLeases(db, clock, table);
  const now = (): string => clock.now().toString();
  return {
    touch,
    leave,
    claimStale,
    queue,
    claim,

    async insert(message) {
      const { tenantId, environment, userId, kind, carrier, letter, recordId, expiresAt } = message;
      const at = now();
      const id = newId("msg_", clock.now().epochMilliseconds);
      const row = await db
        .insertInto("message")
        .values({
          id,
          tenantId,
          environment,
          userId: userId ?? null,
          kind,
          messageKey: hashReason(message),
          carrier,
          recordId: recordId ?? null,
          state: "intended",
          expiresAt: expiresAt.toString(),
          encryptedMail: letter === undefined ? null : vault.encrypt(JSON.stringify(letter), sealingContext(id)),
          createdAt: at,
          updatedAt: at,
          traceId: currentTraceId(),
        })
        .onConflict((conflict) =>
          conflict.columns(["tenantId", "environment", "messageKey"]).where("state", "<>", "failed").doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : table.toRecord(row);
    },

    async findLive(reason) {
      const row = await db
        .selectFrom("message")
        .selectAll()
        .where("tenantId", "=", reason.tenantId)
        .where("environment", "=", reason.environment)
        .where("messageKey", "=", hashReason(reason))
        .where("state", "<>", "failed")
        .executeTakeFirst();
      return row === undefined ? undefined : table.toRecord(row);
    },

    async get(id) {
      const row = await db.selectFrom("message").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : table.toRecord(row);
    },

    markBounced: (mail, problem) => markBounced(db, mail, problem, now()),

    async readLetter(id) {
      const row = await db.selectFrom("message").select("encryptedMail").where("id", "=", id).executeTakeFirst();
      const sealed = row?.encryptedMail ?? undefined;
      return sealed === undefined
        ? undefined
        : StoredLetter.parse(JSON.parse(vault.decrypt(sealed, sealingContext(id))));
    },

    async advance(id, { from, workerId }, to, { failureCode, quietUntil, attempts } = {}) {
      const row = await db
        .updateTable("message")
        .set({
          state: to,
          updatedAt: now(),
          ...(failureCode === undefined ? {} : { failureCode }),
          ...(quietUntil === undefined ? {} : { quietUntil: quietUntil.toString() }),
          ...(attempts === undefined ? {} : { attempts }),
          // A failed one may be sent again by hand, until it is forgotten.
          ...(to === "sent" ? { encryptedMail: null } : {}),
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
        .where("state", "in", ["kept", "failed"])
        .where("encryptedMail", "is not", null)
        .execute();
      for (const { id, mail } of rows) {
        if (!isNamedIn(vault.decrypt(mail ?? "", sealingContext(id)))) continue;
        await db.deleteFrom("message").where("id", "=", id).execute();
      }
    },

    async forget(before) {
      const isOld = sql`state in ('sent', 'kept', 'failed') and created_at < ${before.toString()}`;
      await pruneRows(db, "message", isOld);
    },
  };
}

async function markBounced(db: Queryable, mail: SentMail, problem: string, at: string): Promise<boolean> {
  const marked = db.updateTable("message").set({ bounced: problem, updatedAt: at });
  const one =
    "id" in mail
      ? marked.where("id", "=", mail.id)
      : marked.where("recordId", "=", mail.recordId).where("kind", "=", mail.kind);
  const rows = await one
    .where("carrier", "=", "mail")
    .where("state", "=", "sent")
    .where("bounced", "is", null)
    .returning("id")
    .execute();
  return rows.length > 0;
}
