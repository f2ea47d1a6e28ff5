import { sql } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Vault } from "../../../ports/vault.ts";
import type { Channel } from "../channels.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "channels.emailThreads": EmailThreads;
  }
}

/** A mail program needs it to show an answer below the mail that it answers. */
const MailThread = z.object({ references: z.array(z.string()), subject: z.string() });
export type MailThread = z.output<typeof MailThread>;

type Owner = Pick<Channel, "id" | "tenantId" | "environment">;

export interface EmailThreads {
  /** False: a mail with one of these hashes was seen before. Belongs into the transaction that stores the mail. */
  see(channel: Owner, hashes: readonly string[]): Promise<boolean>;
  /** Keeps what answers to this event need, once. */
  open(channel: Owner, eventId: string, address: string, thread: MailThread): Promise<void>;
  /** The event began this turn. */
  began(channel: Owner, eventId: string, turn: { conversationId: string; turnId: string }): Promise<void>;
  /** By an event or a turn, whichever a message is about. */
  find(channelId: string, about: string): Promise<(MailThread & { conversationId: string | undefined }) | undefined>;
  /** Where a turn's message came from. */
  findOrigin(turnId: string): Promise<{ channelId: string; address: string } | undefined>;
  /** The channel in which a conversation is held by mail. */
  findChannel(conversationId: string): Promise<string | undefined>;
  prune(before: Temporal.Instant): Promise<void>;
}

const sealingContext = (channelId: string, eventId: string): string => `email_thread ${channelId} ${eventId}`;

export function createEmailThreads({ db, clock, vault }: { db: Queryable; clock: Clock; vault: Vault }): EmailThreads {
  const now = () => sql`${clock.now().toString()}::timestamptz`;
  return {
    async see({ id, environment }, hashes) {
      const { rows } = await sql`
        insert into email_seen (network, channel_id, hash, seen_at)
        select ${environment}, ${id}, hash, ${now()} from unnest(${[...new Set(hashes)]}::text[]) as hash order by hash
        on conflict do nothing returning hash`.execute(db);
      return rows.length === new Set(hashes).size;
    },

    async open({ id, tenantId, environment }, eventId, address, thread) {
      const sealed = vault.encrypt(JSON.stringify(thread), sealingContext(id, eventId));
      await sql`
        insert into email_thread (network, channel_id, event_id, tenant_id, address, encrypted_thread, created_at)
        values (${environment}, ${id}, ${eventId}, ${tenantId}, ${address}, ${sealed}, ${now()})
        on conflict do nothing`.execute(db);
    },

    async began({ id, environment }, eventId, { conversationId, turnId }) {
      await sql`
        update email_thread set conversation_id = ${conversationId}, turn_id = ${turnId}
        where network = ${environment} and channel_id = ${id} and event_id = ${eventId}`.execute(db);
    },

    async find(channelId, about) {
      const { rows } = await sql<{ eventId: string; conversationId: string | null; encryptedThread: string }>`
        select event_id, conversation_id, encrypted_thread from email_thread
        where channel_id = ${channelId} and (event_id = ${about} or turn_id = ${about}) limit 1`.execute(db);
      const [row] = rows;
      if (row === undefined) return undefined;
      const opened = vault.decrypt(row.encryptedThread, sealingContext(channelId, row.eventId));
      return { ...MailThread.parse(JSON.parse(opened)), conversationId: row.conversationId ?? undefined };
    },

    async findOrigin(turnId) {
      const { rows } = await sql<{ channelId: string; address: string }>`
        select channel_id, address from email_thread where turn_id = ${turnId} limit 1`.execute(db);
      return rows[0];
    },

    async findChannel(conversationId) {
      const { rows } = await sql<{ channelId: string }>`
        select channel_id from email_thread where conversation_id = ${conversationId} limit 1`.execute(db);
      return rows[0]?.channelId;
    },

    async prune(before) {
      const end = sql`${before.toString()}::timestamptz`;
      await pruneRows(db, "email_thread", sql`created_at < ${end}`);
      await pruneRows(db, "email_seen", sql`seen_at < ${end}`);
    },
  };
}
