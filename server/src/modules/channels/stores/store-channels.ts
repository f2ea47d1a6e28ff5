import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChatKind } from "../../../ports/chat.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Vault } from "../../../ports/vault.ts";
import { appendAudit } from "../../identity/index.ts";
import {
  type Channel,
  type ChannelChange,
  type ChannelOwner,
  ChannelSecrets,
  ChannelSettings,
  type ChannelState,
  type Channels,
  type OpenChannel,
} from "../channels.ts";

export const MOST_CHANNELS = 10;

interface Row {
  id: string;
  tenantId: string;
  environment: Environment;
  kind: ChatKind;
  name: string;
  state: ChannelState;
  offBecause: string | null;
  isSimulated: boolean;
  accountId: string | null;
  settings: unknown;
  encryptedSecrets: string;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

const columns = sql`id, tenant_id, network as environment, kind, name, state, off_because, is_simulated, account_id, settings,
  encrypted_secrets, created_at, updated_at`;

/** Secrets cannot be moved to another channel. */
const secretContext = (id: string): string => `channel ${id}`;
const UNIQUE_VIOLATION = "23505";

export function createChannels({ db, clock, vault }: { db: Queryable; clock: Clock; vault: Vault }): Channels {
  const now = () => sql`${clock.now().toString()}::timestamptz`;
  const ownedBy = ({ tenantId, environment }: ChannelOwner) =>
    sql`tenant_id = ${tenantId} and network = ${environment}`;
  const read = async (statement: RawBuilder<Row>): Promise<readonly OpenChannel[]> =>
    (await statement.execute(db)).rows.map((row) => toChannel(row, vault));
  const seal = (id: string, secrets: ChannelSecrets) => vault.encrypt(JSON.stringify(secrets), secretContext(id));

  async function changed(
    owner: ChannelChange,
    action: string,
    statement: RawBuilder<Row>,
  ): Promise<Channel | undefined> {
    const [channel] = await read(statement);
    if (channel === undefined) return undefined;
    const { id, kind, name, state, settings } = channel;
    const { tenantId, environment, actor } = owner;
    const details = { environment, kind, name, state, settings };
    const line = { tenantId, environment, actor, action: `channel.${action}`, subjectId: id, details };
    await appendAudit(db, line, clock);
    return hideSecrets(channel);
  }

  return {
    async add(owner, { id, kind, name, state, isSimulated, accountId, settings, secrets }) {
      const { tenantId, environment } = owner;
      // Otherwise two at once could both become the last one.
      await sql`select id from tenant where id = ${tenantId} for no key update`.execute(db);
      const values = sql`${id}, ${tenantId}, ${environment}, ${kind}, ${name}, ${state}, ${isSimulated}, ${accountId ?? null}`;
      return await changed(
        owner,
        "add",
        sql<Row>`
          insert into channel
            (id, tenant_id, network, kind, name, state, is_simulated, account_id, settings, encrypted_secrets, created_at, updated_at)
          select ${values}, ${JSON.stringify(settings)}::jsonb, ${seal(id, secrets)}, ${now()}, ${now()}
          where (select count(*) from channel where ${ownedBy(owner)}) < ${MOST_CHANNELS}
          on conflict do nothing returning ${columns}`,
      );
    },

    async list(owner) {
      const found = await read(
        sql<Row>`select ${columns} from channel where ${ownedBy(owner)} order by created_at, id`,
      );
      return found.map(hideSecrets);
    },

    async find(owner, id) {
      const [found] = await read(sql<Row>`select ${columns} from channel where ${ownedBy(owner)} and id = ${id}`);
      return found && hideSecrets(found);
    },

    change: (owner, id, { name, settings, state, secrets }) => {
      const begins = sql`(${secrets !== undefined} and not is_simulated)`;
      const sealed = secrets === undefined ? sql`encrypted_secrets` : sql`${seal(id, secrets)}`;
      return changed(
        owner,
        "change",
        sql<Row>`
          update channel set name = ${name}, settings = settings || ${JSON.stringify(settings)}::jsonb, updated_at = ${now()},
            encrypted_secrets = case when ${begins} then ${sealed} else encrypted_secrets end,
            state = case when ${begins} then 'to_install' when state = 'to_install' then state else ${state} end,
            off_because = case when ${begins} or state = 'to_install' or ${state === "on"} then null
              else coalesce(off_because, 'You switched it off.') end
          where ${ownedBy(owner)} and id = ${id} returning ${columns}`,
      );
    },

    remove: async (owner, id) =>
      (await changed(
        owner,
        "remove",
        sql<Row>`delete from channel where ${ownedBy(owner)} and id = ${id} returning ${columns}`,
      )) !== undefined,

    open: async (id) => (await read(sql<Row>`select ${columns} from channel where id = ${id}`))[0],

    openAccount: async (kind, accountId) =>
      (await read(sql<Row>`select ${columns} from channel where kind = ${kind} and account_id = ${accountId}`))[0],

    async openShared(kind, accountId) {
      const found = await read(sql<Row>`
        select ${columns} from channel where kind = ${kind} and account_id = ${accountId} and not is_simulated`);
      return found.filter(({ secrets }) => secrets.signingSecret === undefined);
    },

    async listOn(owner) {
      const found = await read(sql<Row>`
        select ${columns} from channel where ${ownedBy(owner)} and state = 'on' order by created_at, id`);
      return found.map(hideSecrets);
    },

    listSimulated: () => read(sql<Row>`select ${columns} from channel where is_simulated and state = 'on' order by id`),

    async install(channel, { accountId, name, settings, secrets }) {
      const { id, tenantId } = channel;
      try {
        const statement = sql<Row>`
          update channel set state = 'on', off_because = null, account_id = ${accountId}, name = ${name},
            settings = settings || ${JSON.stringify(settings)}::jsonb, encrypted_secrets = ${seal(id, secrets)},
            updated_at = ${now()}
          where id = ${id} returning ${columns}`;
        const actor = { tenantId, environment: channel.environment, actor: `channel:${channel.kind}` };
        return (await changed(actor, "install", statement)) !== undefined;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION) return false;
        throw error;
      }
    },

    async switchOff({ id, tenantId, environment }, because) {
      const { rows } = await sql`
        update channel set state = 'off', off_because = ${because}, updated_at = ${now()}
        where id = ${id} and tenant_id = ${tenantId} and state = 'on' returning id`.execute(db);
      if (rows.length === 0) return;
      const details = { because };
      const line = { tenantId, environment, actor: "job:channels", action: "channel.off", subjectId: id, details };
      await appendAudit(db, line, clock);
    },
  };
}

function toChannel({ offBecause, accountId, settings, encryptedSecrets, ...row }: Row, vault: Vault): OpenChannel {
  return {
    ...row,
    offBecause: offBecause ?? undefined,
    accountId: accountId ?? undefined,
    settings: ChannelSettings.parse(settings),
    secrets: ChannelSecrets.parse(JSON.parse(vault.decrypt(encryptedSecrets, secretContext(row.id)))),
  };
}

function hideSecrets({ secrets: _, ...channel }: OpenChannel): Channel {
  return channel;
}
