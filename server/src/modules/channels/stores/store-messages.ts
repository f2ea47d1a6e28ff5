import { createHash } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import { newId } from "../../../domain/ids.ts";
import { currentTraceId } from "../../../domain/trace.ts";
import type { JobQueue } from "../../../kernel/contracts/job.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import type { ChatMessage } from "../../../ports/chat.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Vault } from "../../../ports/vault.ts";
import type {
  ButtonMeaning,
  ChannelMessage,
  ChannelMessages,
  Content,
  LeasedMessage,
  NewChannelMessage,
} from "../channels.ts";

export const DUE_MESSAGES: JobQueue = {
  name: "channel_message",
  earliest: "select min(next_at) from channel_message where next_at is not null",
};

const StoredContent = z.object({
  text: z.string(),
  buttons: z.array(z.object({ value: z.string(), label: z.string(), looks: z.enum(["primary", "danger", "plain"]) })),
});

interface MessageRow {
  id: string;
  channelId: string;
  tenantId: string;
  environment: Environment;
  address: string;
  kind: ChannelMessage["kind"];
  about: string;
}

interface TakenRow extends MessageRow {
  encryptedContent: string;
  version: number;
  shownVersion: number;
  externalId: string | null;
  attempts: number;
  unsureSince: Temporal.Instant | null;
  isTemplate: boolean;
  giveUpAt: Temporal.Instant;
  traceId: string | null;
}

const columns = sql`id, channel_id, tenant_id, network as environment, address, kind, about`;
/** The states that a status of the chat system raises a message from. */
const LOWER = { sent: ["waiting"], delivered: ["waiting", "sent"], read: ["waiting", "sent", "delivered"] } as const;

const hashValue = (value: string): string => createHash("sha256").update(value).digest("base64url");
const sealingContext = (id: string): string => `channel_message ${id}`;

export function createChannelMessages({
  db,
  clock,
  vault,
}: {
  db: Queryable;
  clock: Clock;
  vault: Vault;
}): ChannelMessages {
  const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;
  const inTransaction = <T>(work: (tx: Queryable) => Promise<T>): Promise<T> =>
    db.isTransaction ? work(db) : db.transaction().execute(work);
  const seal = (id: string, { text, buttons }: Content) =>
    vault.encrypt(
      JSON.stringify({ text, buttons: buttons.map(({ value, label, looks }) => ({ value, label, looks })) }),
      sealingContext(id),
    );

  async function storeButtons(
    tx: Queryable,
    { id, tenantId, environment }: Omit<MessageRow, "kind" | "about">,
    content: Content,
  ) {
    for (const button of content.buttons) {
      await sql`
        insert into channel_button (network, token_hash, tenant_id, message_id, means, said)
        values (${environment}, ${hashValue(button.value)}, ${tenantId}, ${id}, ${button.means},
          ${button.means === "say" ? button.said : null})`.execute(tx);
    }
  }

  /** Undefined: there is one. */
  async function insert(tx: Queryable, message: NewChannelMessage): Promise<MessageRow | undefined> {
    const { channelId, tenantId, environment, address, kind, about, content, giveUpAt } = message;
    const now = clock.now();
    const id = newId("cmg_", now.epochMilliseconds);
    const { rows } = await sql<MessageRow>`
      insert into channel_message
        (id, channel_id, tenant_id, network, address, kind, about, encrypted_content, next_at, give_up_at, created_at, trace_id)
      values (${id}, ${channelId}, ${tenantId}, ${environment}, ${address}, ${kind}, ${about}, ${seal(id, content)}, ${at(now)},
        ${at(giveUpAt)}, ${at(now)}, ${currentTraceId()})
      on conflict (network, channel_id, address, kind, about) do nothing returning ${columns}`.execute(tx);
    const [row] = rows;
    if (row !== undefined) await storeButtons(tx, row, content);
    return row;
  }

  return {
    async insert(message) {
      await inTransaction((tx) => insert(tx, message));
    },

    show: (message) =>
      inTransaction(async (tx) => {
        if ((await insert(tx, message)) !== undefined) return;
        const { channelId, environment, address, kind, about, content } = message;
        const { rows } = await sql<MessageRow>`
          select ${columns} from channel_message where network = ${environment} and channel_id = ${channelId}
            and address = ${address} and kind = ${kind} and about = ${about} for update`.execute(tx);
        const [row] = rows;
        if (row === undefined) return;
        await sql`delete from channel_button where message_id = ${row.id}`.execute(tx);
        await storeButtons(tx, row, content);
        await sql`
          update channel_message set encrypted_content = ${seal(row.id, content)}, version = version + 1, attempts = 0,
            next_at = case when state = 'failed' then null else ${at(clock.now())} end
          where id = ${row.id}`.execute(tx);
      }),

    settle: (id, value) =>
      inTransaction(async (tx) => {
        const { rows } = await sql<{ encryptedContent: string }>`
          select encrypted_content from channel_message where id = ${id} for update`.execute(tx);
        const [row] = rows;
        if (row === undefined) return;
        const { text, buttons } = readContent(id, row.encryptedContent, vault);
        const pressed = buttons.find((button) => button.value === value);
        if (pressed === undefined) return;
        const content = { text: `${text}\n\n✓ ${pressed.label}`, buttons: [] };
        await sql`delete from channel_button where message_id = ${id}`.execute(tx);
        await sql`
          update channel_message set encrypted_content = ${seal(id, content)}, version = version + 1, attempts = 0,
            next_at = case when state = 'failed' then null else ${at(clock.now())} end
          where id = ${id}`.execute(tx);
      }),

    async listAbout({ tenantId, environment }, about) {
      const { rows } = await sql<MessageRow>`
        select ${columns} from channel_message
        where tenant_id = ${tenantId} and network = ${environment} and about = ${about} order by position`.execute(db);
      return rows;
    },

    async readContent(id) {
      const { rows } = await sql<{ encryptedContent: string }>`
        select encrypted_content from channel_message where id = ${id}`.execute(db);
      const [row] = rows;
      return row === undefined ? { text: "", buttons: [] } : readContent(id, row.encryptedContent, vault);
    },

    async findButton(environment, value) {
      const { rows } = await sql<MessageRow & { means: ButtonMeaning["means"]; said: string | null }>`
        select message.id, channel_id, message.tenant_id, message.network as environment, address, kind, about, means, said
        from channel_button button join channel_message message on message.id = button.message_id
        where button.network = ${environment} and token_hash = ${hashValue(value)}`.execute(db);
      const [row] = rows;
      if (row === undefined) return undefined;
      const { means, said, ...message } = row;
      return { ...message, meaning: means === "say" ? { means, said: said ?? "" } : { means } };
    },

    async take({ until, limit }) {
      const now = clock.now();
      const { rows } = await sql<TakenRow>`
        with due as materialized (
          select id from channel_message one where next_at <= ${at(now)} and not exists (
            select 1 from channel_message earlier
            where earlier.channel_id = one.channel_id and earlier.address = one.address and earlier.next_at is not null
              and earlier.position < one.position)
          order by next_at limit ${limit} for update skip locked
        )
        update channel_message set next_at = ${at(until)}, attempts = attempts + 1
        where id in (select id from due)
        returning ${columns}, encrypted_content, version, shown_version, external_id, attempts, unsure_since, is_template,
          give_up_at, trace_id`.execute(db);
      return rows.map((row) => toLeased(row, vault));
    },

    async shown({ id, version }, externalId) {
      const now = at(clock.now());
      // A change that came meanwhile is shown next.
      await sql`
        update channel_message set external_id = ${externalId}, shown_version = ${version}, unsure_since = null,
          state = case when state = 'waiting' then 'sent' else state end, sent_at = coalesce(sent_at, ${now}),
          attempts = 0, next_at = case when version > ${version} then ${now} end
        where id = ${id}`.execute(db);
    },

    async tryAgain({ id }, { at: next, problem, unsureSince, isTemplate }) {
      await sql`
        update channel_message set next_at = ${at(next)}, last_problem = ${problem},
          unsure_since = ${unsureSince === undefined ? sql`unsure_since` : sql`coalesce(unsure_since, ${at(unsureSince)})`},
          is_template = is_template or ${isTemplate === true}
        where id = ${id} and next_at is not null`.execute(db);
    },

    async fail({ id }, problem) {
      await sql`
        update channel_message set state = case when external_id is null then 'failed' else state end, next_at = null,
          last_problem = ${problem}
        where id = ${id}`.execute(db);
    },

    async postpone(channelId, until) {
      await sql`
        update channel_message set next_at = ${at(until)}
        where channel_id = ${channelId} and next_at < ${at(until)}`.execute(db);
    },

    async failWaiting(channelId, problem) {
      await sql`
        update channel_message set state = case when external_id is null then 'failed' else state end, next_at = null,
          last_problem = ${problem}
        where channel_id = ${channelId} and next_at is not null`.execute(db);
    },

    async rise(channelId, { messageId, ref, status, problem, isWindowClosed }) {
      const isIt = sql`channel_id = ${channelId} and (external_id = ${messageId} or id = ${ref ?? null})`;
      const from = status === "failed" ? ["waiting", "sent"] : [...LOWER[status]];
      const retry = status === "failed" && isWindowClosed;
      const { rows } = await sql`
        update channel_message set external_id = ${retry ? null : messageId},
          state = case when ${retry} and not is_template then 'waiting' else ${status} end,
          next_at = case when ${retry} and not is_template then ${at(clock.now())} when ${retry} then null
            when version > greatest(shown_version, 1) then next_at end,
          shown_version = case when ${retry} then 0 else greatest(shown_version, 1) end,
          is_template = is_template or ${retry}, unsure_since = null, last_problem = coalesce(${problem ?? null}, last_problem)
        where ${isIt} and state = any (${from}::text[]) returning id`.execute(db);
      return rows.length > 0;
    },

    async prune(before) {
      await pruneRows(db, "channel_message", sql`created_at < ${at(before)}`);
    },
  };
}

function toLeased({ encryptedContent, ...row }: TakenRow, vault: Vault): LeasedMessage {
  const content = readContent(row.id, encryptedContent, vault);
  const { externalId, unsureSince, traceId, ...rest } = withoutNulls(row);
  return { ...rest, externalId, unsureSince, traceId, content };
}

function readContent(id: string, sealed: string, vault: Vault): ChatMessage {
  return StoredContent.parse(JSON.parse(vault.decrypt(sealed, sealingContext(id))));
}
