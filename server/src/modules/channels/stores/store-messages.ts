import { createHash } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import { newId } from "../../../domain/ids.ts";
import { currentTraceId } from "../../../domain/trace.ts";
import type { JobQueue } from "../../../kernel/contracts/job.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
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
  StoredMessage,
} from "../channels.ts";
import { createMessageEnds } from "./store-message-ends.ts";

/** Cards whose time is over. */
export const ENDING_CARDS: JobQueue = {
  name: "channel_card",
  earliest: "select min(ends_at) from channel_message where ends_at is not null",
};

export const DUE_MESSAGES: JobQueue = {
  name: "channel_message",
  earliest: "select min(next_at) from channel_message where next_at is not null",
};

const StoredContent = z.object({
  text: z.string(),
  link: z.string().optional(),
  document: z.object({ fileName: z.string(), contentType: z.string(), url: z.string() }).optional(),
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
  uploadId: string | null;
  attempts: number;
  unsureSince: Temporal.Instant | null;
  repeats: number;
  isTemplate: boolean;
  giveUpAt: Temporal.Instant;
  traceId: string | null;
}

const columns = sql`id, channel_id, tenant_id, network as environment, address, kind, about`;

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
  const orNull = (instant: Temporal.Instant | undefined) => (instant === undefined ? sql`null` : at(instant));
  const inTransaction = <T>(work: (tx: Queryable) => Promise<T>): Promise<T> =>
    db.isTransaction ? work(db) : db.transaction().execute(work);
  const seal = (id: string, { text, buttons, link, document }: Content) =>
    vault.encrypt(
      JSON.stringify({
        text,
        link,
        document,
        buttons: buttons.map(({ value, label, looks }) => ({ value, label, looks })),
      }),
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
          ${"said" in button ? button.said : null})`.execute(tx);
    }
  }

  /** Undefined: there is one. */
  async function insert(tx: Queryable, message: NewChannelMessage): Promise<MessageRow | undefined> {
    const { channelId, tenantId, environment, address, kind, about, conversationId, content, endsAt, giveUpAt } =
      message;
    const now = clock.now();
    const id = newId("cmg_", now.epochMilliseconds);
    const { rows } = await sql<MessageRow>`
      insert into channel_message
        (id, channel_id, tenant_id, network, address, kind, about, conversation_id, encrypted_content, next_at, give_up_at,
          ends_at, created_at, trace_id)
      values (${id}, ${channelId}, ${tenantId}, ${environment}, ${address}, ${kind}, ${about}, ${conversationId ?? null},
        ${seal(id, content)}, ${at(now)}, ${at(giveUpAt)}, ${orNull(endsAt)},
        ${at(now)}, ${currentTraceId()})
      on conflict (network, channel_id, address, kind, about) do nothing returning ${columns}`.execute(tx);
    const [row] = rows;
    if (row !== undefined) await storeButtons(tx, row, content);
    return row;
  }

  return {
    ...createMessageEnds(db, clock),

    async insert(message) {
      await inTransaction((tx) => insert(tx, message));
    },

    show: (message) =>
      inTransaction(async (tx) => {
        if ((await insert(tx, message)) !== undefined) return;
        const { channelId, environment, address, kind, about, content, endsAt } = message;
        const { rows } = await sql<MessageRow>`
          select ${columns} from channel_message where network = ${environment} and channel_id = ${channelId}
            and address = ${address} and kind = ${kind} and about = ${about} for update`.execute(tx);
        const [row] = rows;
        if (row === undefined) return;
        await sql`delete from channel_button where message_id = ${row.id}`.execute(tx);
        await storeButtons(tx, row, content);
        await sql`
          update channel_message set encrypted_content = ${seal(row.id, content)}, version = version + 1, attempts = 0,
            ends_at = ${orNull(endsAt)}, next_at = case when state = 'failed' then null else ${at(clock.now())} end
          where id = ${row.id}`.execute(tx);
      }),

    settle: (id, value, { isShown }) =>
      inTransaction(async (tx) => {
        const { rows } = await sql<{ encryptedContent: string }>`
          select encrypted_content from channel_message where id = ${id} for update`.execute(tx);
        const [row] = rows;
        if (row === undefined) return;
        const { text, buttons, link } = readContent(id, row.encryptedContent, vault);
        const pressed = buttons.find((button) => button.value === value);
        if (pressed === undefined) return;
        const content = { text: `${text}\n\n✓ ${pressed.label}`, buttons: [], link };
        await sql`delete from channel_button where message_id = ${id}`.execute(tx);
        if (!isShown) return;
        await sql`
          update channel_message set encrypted_content = ${seal(id, content)}, version = version + 1, attempts = 0,
            next_at = case when state = 'failed' then null else ${at(clock.now())} end
          where id = ${id}`.execute(tx);
      }),

    conclude: (id, because) =>
      inTransaction(async (tx) => {
        await sql`delete from channel_button where message_id = ${id}`.execute(tx);
        const { rows } = await sql<{ state: string; isUnsure: boolean }>`
          update channel_message set ends_at = null,
            state = case when state = 'waiting' and unsure_since is null then 'failed' else state end,
            next_at = case when state = 'waiting' and unsure_since is null then null else next_at end,
            last_problem = case when state = 'waiting' and unsure_since is null then ${because} else last_problem end
          where id = ${id} returning state, unsure_since is not null as "isUnsure"`.execute(tx);
        const [row] = rows;
        return row !== undefined && (row.state !== "failed" || row.isUnsure);
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
      return { ...message, meaning: means === "say" || means === "scan" ? { means, said: said ?? "" } : { means } };
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
        ), before as materialized (
          select id as taken, unsure_since as since from channel_message where id in (select id from due)
        )
        -- If this process dies, whoever takes it next knows that it may have been sent.
        update channel_message set next_at = ${at(until)}, attempts = attempts + 1, unsure_since = coalesce(since, ${at(now)})
        from before where id = taken
        returning ${columns}, encrypted_content, version, shown_version, external_id, upload_id, attempts, since as unsure_since, repeats,
          is_template, give_up_at, trace_id`.execute(db);
      return rows.map((row) => toLeased(row, vault));
    },

    async prune(before) {
      await pruneRows(db, "channel_message", sql`created_at < ${at(before)}`);
    },
  };
}

function toLeased({ encryptedContent, ...row }: TakenRow, vault: Vault): LeasedMessage {
  const content = readContent(row.id, encryptedContent, vault);
  const { externalId, uploadId, unsureSince, traceId, ...rest } = withoutNulls(row);
  return { ...rest, externalId, uploadId, unsureSince, traceId, content };
}

function readContent(id: string, sealed: string, vault: Vault): StoredMessage {
  return StoredContent.parse(JSON.parse(vault.decrypt(sealed, sealingContext(id))));
}
