import { type RawBuilder, sql } from "kysely";
import { newId } from "../../../domain/ids.ts";
import type { PersonRecords } from "../../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { ChannelOwner, ChannelPeople, ChannelPerson } from "../channels.ts";

interface Row {
  id: string;
  tenantId: string;
  environment: Environment;
  channelId: string;
  externalId: string;
  address: string | null;
  phone: string | null;
  userId: string | null;
  keyId: string | null;
  conversationId: string | null;
  isUnlinked: boolean;
  lastMessageAt: Temporal.Instant | null;
  createdAt: Temporal.Instant;
}

const columns = sql`id, tenant_id, network as environment, channel_id, external_id, address, phone, user_id, key_id, conversation_id,
  is_unlinked, last_message_at, created_at`;
const MOST_LISTED = 1_000;

export function createChannelPeople(db: Queryable, clock: Clock): ChannelPeople {
  const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;
  const read = async (statement: RawBuilder<Row>): Promise<readonly ChannelPerson[]> =>
    (await statement.execute(db)).rows.map((row) => withoutNulls(row));
  const inTransaction = <T>(work: (tx: Queryable) => Promise<T>): Promise<T> =>
    db.isTransaction ? work(db) : db.transaction().execute(work);
  const ownedBy = ({ tenantId, environment }: ChannelOwner) =>
    sql`tenant_id = ${tenantId} and network = ${environment}`;

  return {
    async see({ id: channelId, tenantId, environment }, { externalId, address, phone, at: writtenAt }) {
      const now = clock.now();
      // An event may claim to come from the future.
      const wrote = Temporal.Instant.compare(writtenAt, now) < 0 ? writtenAt : now;
      if (phone !== undefined && phone !== externalId) {
        await sql`
          update channel_person set external_id = ${externalId}, address = ${address ?? externalId}
          where channel_id = ${channelId} and external_id = ${phone} and not exists (
            select 1 from channel_person where channel_id = ${channelId} and external_id = ${externalId})`.execute(db);
      }
      const id = newId("chp_", now.epochMilliseconds);
      const [person] = await read(sql<Row>`
        insert into channel_person as known
          (id, channel_id, tenant_id, network, external_id, address, phone, last_message_at, created_at)
        values (${id}, ${channelId}, ${tenantId}, ${environment}, ${externalId}, ${address ?? null}, ${phone ?? null},
          ${at(wrote)}, ${at(now)})
        on conflict (network, channel_id, external_id) do update
          set address = coalesce(excluded.address, known.address), phone = coalesce(excluded.phone, known.phone),
            last_message_at = greatest(known.last_message_at, excluded.last_message_at)
        returning ${columns}`);
      if (person === undefined) throw new Error("a person of a channel was not stored");
      return person;
    },

    async findLastMessage(channelId, address) {
      const { rows } = await sql<{ last: Temporal.Instant | null }>`
        select max(last_message_at) as last from channel_person
        where channel_id = ${channelId} and ${address} in (external_id, address, phone)`.execute(db);
      return rows[0]?.last ?? undefined;
    },

    rename: (channelId, { from, to, phone }) =>
      inTransaction(async (tx) => {
        // A stranger who wrote with the new id before we heard of it is the same person.
        const { rows: strangers } = await sql<{ last: Temporal.Instant | null }>`
          delete from channel_person stranger where channel_id = ${channelId} and external_id = ${to} and user_id is null
            and exists (select 1 from channel_person where channel_id = ${channelId} and external_id = ${from})
          returning last_message_at as last`.execute(tx);
        const last = strangers[0]?.last ?? undefined;
        const { rows } = await sql`
          update channel_person set external_id = ${to}, phone = coalesce(${phone ?? null}, phone),
            address = case when address = external_id then ${to} else address end,
            last_message_at = greatest(last_message_at, ${last === undefined ? null : last.toString()}::timestamptz)
          where channel_id = ${channelId} and external_id = ${from} and not exists (
            select 1 from channel_person where channel_id = ${channelId} and external_id = ${to})
          returning id`.execute(tx);
        if (rows.length === 0) return false;
        await sql`
          update channel_message moved set address = ${to}
          where channel_id = ${channelId} and address = ${from} and not exists (
            select 1 from channel_message there where there.channel_id = ${channelId} and there.address = ${to}
              and there.kind = moved.kind and there.about = moved.about)`.execute(tx);
        return true;
      }),

    find: async (channelId, externalId) =>
      (
        await read(sql<Row>`
          select ${columns} from channel_person where channel_id = ${channelId} and external_id = ${externalId}`)
      )[0],

    findByConversation: async (conversationId) =>
      (await read(sql<Row>`select ${columns} from channel_person where conversation_id = ${conversationId}`))[0],

    listUsers: (channelId, userIds) =>
      read(sql<Row>`
        select ${columns} from channel_person
        where channel_id = ${channelId} and user_id = any (${[...userIds]}::text[]) order by id`),

    list: (owner, channelId) =>
      read(sql<Row>`
        select ${columns} from channel_person where ${ownedBy(owner)} and channel_id = ${channelId}
        order by id limit ${sql.lit(MOST_LISTED)}`),

    async link(personId, { userId, keyId }) {
      // A conversation belongs to whom it began with.
      await sql`
        update channel_person set user_id = ${userId}, key_id = ${keyId}, is_unlinked = false,
          conversation_id = case when user_id = ${userId} then conversation_id end
        where id = ${personId}`.execute(db);
    },

    async unlink(owner, channelId, personId) {
      const { rows } = await sql`
        update channel_person set user_id = null, key_id = null, conversation_id = null, is_unlinked = true
        where ${ownedBy(owner)} and channel_id = ${channelId} and id = ${personId} and user_id is not null
        returning id`.execute(db);
      return rows.length > 0;
    },

    async converse(personId, conversationId) {
      await sql`update channel_person set conversation_id = ${conversationId ?? null} where id = ${personId}`.execute(
        db,
      );
    },

    async storeCode({ tenantId, environment, channelId, codeHash, userId, keyId, expiresAt }) {
      await sql`
        insert into channel_code (network, tenant_id, channel_id, code_hash, user_id, key_id, expires_at)
        values (${environment}, ${tenantId}, ${channelId}, ${codeHash}, ${userId}, ${keyId}, ${at(expiresAt)})`.execute(
        db,
      );
    },

    async takeCode(channelId, codeHash) {
      const { rows } = await sql<{ userId: string; keyId: string; expiresAt: Temporal.Instant }>`
        delete from channel_code where channel_id = ${channelId} and code_hash = ${codeHash}
        returning user_id, key_id, expires_at`.execute(db);
      const [code] = rows;
      if (code === undefined || Temporal.Instant.compare(code.expiresAt, clock.now()) <= 0) return undefined;
      return code;
    },

    async prune() {
      await pruneRows(db, "channel_code", sql`expires_at <= ${at(clock.now())}`);
    },
  };
}

/** Somebody's links are exported, and deleted with the person. Events and messages are encrypted, and are kept for days. */
export function createChannelPersonRecords(db: Queryable): PersonRecords {
  return {
    tables: {
      notSearched: {
        channel: "a channel is a tenant's workspace, and its secrets are encrypted",
        channel_event: "an event is encrypted, and its words are kept for two days",
        channel_message: "a message is encrypted, and is kept for 30 days",
        channel_button: "a button has the hash of its token",
        channel_code: "a code is a hash, and is valid for ten minutes",
        notice: "a notice has ids and amounts, and is deleted with its person",
        email_mail: "a mail is encrypted, and is kept until it is handled",
      },
    },
    async held({ tenantId, userId, environment }) {
      const { rows } = await sql<{
        channelId: string;
        externalId: string;
        phone: string | null;
        createdAt: Temporal.Instant;
      }>`
        select channel_id, external_id, phone, created_at from channel_person
        where tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId} order by id`.execute(db);
      return {
        channels: rows.map(({ channelId, externalId, phone, createdAt }) => ({
          channelId,
          externalId,
          ...(phone === null ? {} : { phone }),
          since: createdAt.toString(),
        })),
      };
    },
    async forgetOwn({ tenantId, userId, environment }) {
      const own = sql`tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}`;
      await sql`
        delete from channel_message where tenant_id = ${tenantId} and network = ${environment} and (channel_id, address) in
          (select channel_id, address from channel_person where ${own})`.execute(db);
      await sql`
        delete from email_thread where tenant_id = ${tenantId} and network = ${environment} and (channel_id, address) in
          (select channel_id, address from channel_person where ${own})`.execute(db);
      await sql`delete from channel_person where ${own}`.execute(db);
      await sql`delete from notice_preference where ${own}`.execute(db);
      await sql`delete from notice where ${own}`.execute(db);
      await sql`delete from channel_code where ${own}`.execute(db);
    },
  };
}
