import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import { appendAudit } from "../identity/index.ts";
import { type Endpoint, type Endpoints, type EventChange, type EventOwner, TEST_TYPE } from "./events.ts";

export const MOST_ENDPOINTS = 10;

interface Row {
  id: string;
  url: string;
  description: string;
  types: string[];
  state: "on" | "off";
  offBecause: string | null;
  failingSince: Temporal.Instant | null;
  formerUntil: Temporal.Instant | null;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

const columns = sql`id, url, description, types, state, off_because, failing_since, former_until, created_at, updated_at`;

/** A secret cannot be moved to another endpoint. */
export const secretContext = (endpointId: string): string => `event_endpoint:${endpointId}`;

export function createEndpoints({ db, clock, vault }: { db: Queryable; clock: Clock; vault: Vault }): Endpoints {
  const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;
  const now = () => at(clock.now());
  const ownedBy = ({ tenantId, environment }: EventOwner) => sql`tenant_id = ${tenantId} and network = ${environment}`;
  const find = async (statement: RawBuilder<Row>): Promise<Endpoint | undefined> => {
    const [row] = (await statement.execute(db)).rows;
    return row === undefined ? undefined : toEndpoint(row, clock.now());
  };
  async function changed(
    owner: EventChange,
    action: string,
    statement: RawBuilder<Row>,
  ): Promise<Endpoint | undefined> {
    const endpoint = await find(statement);
    if (endpoint !== undefined) {
      const { tenantId, environment, actor } = owner;
      const details = { environment, url: endpoint.url, state: endpoint.state };
      const line = {
        tenantId,
        environment,
        actor,
        action: `event_endpoint.${action}`,
        subjectId: endpoint.id,
        details,
      };
      await appendAudit(db, line, clock);
    }
    return endpoint;
  }

  return {
    async add(owner, { id, url, description, types, secret }) {
      const { tenantId, environment } = owner;
      const values = sql`${id}, ${tenantId}, ${environment}, ${url}, ${description}, ${[...types]}::text[]`;
      // Otherwise two at once could both become the last one.
      await sql`select id from tenant where id = ${tenantId} for no key update`.execute(db);
      return await changed(
        owner,
        "add",
        sql<Row>`
          insert into event_endpoint (id, tenant_id, network, url, description, types, secret, created_at, updated_at)
          select ${values}, ${vault.encrypt(secret, secretContext(id))}, ${now()}, ${now()}
          where (select count(*) from event_endpoint where ${ownedBy(owner)}) < ${MOST_ENDPOINTS}
          returning ${columns}`,
      );
    },

    async list(owner) {
      const { rows } = await sql<Row>`
        select ${columns} from event_endpoint where ${ownedBy(owner)} order by created_at, id`.execute(db);
      return rows.map((row) => toEndpoint(row, clock.now()));
    },

    find: (owner, id) => find(sql<Row>`select ${columns} from event_endpoint where ${ownedBy(owner)} and id = ${id}`),

    change(owner, id, { url, description, types, state }) {
      const begins = sql`state = 'off' and ${state === "on"}`;
      return changed(
        owner,
        "change",
        sql<Row>`
        with ended as (
          update event_delivery set state = 'failed', next_at = null, last_problem = 'The endpoint was switched off.'
          where ${state === "off"} and next_at is not null
            and endpoint_id in (select id from event_endpoint where ${ownedBy(owner)} and id = ${id})
        )
        update event_endpoint set url = ${url}, description = ${description}, types = ${[...types]}::text[], state = ${state},
          off_because = case when ${state === "on"} then null else coalesce(off_because, 'You switched it off.') end,
          failures = case when ${begins} then 0 else failures end,
          failing_since = case when ${begins} then null else failing_since end,
          updated_at = ${now()}
        where ${ownedBy(owner)} and id = ${id} returning ${columns}`,
      );
    },

    async remove(owner, id) {
      const removal = sql<Row>`delete from event_endpoint where ${ownedBy(owner)} and id = ${id} returning ${columns}`;
      return (await changed(owner, "remove", removal)) !== undefined;
    },

    rotate: (owner, id, secret, formerUntil) =>
      changed(
        owner,
        "rotate",
        sql<Row>`
        update event_endpoint set former_secret = secret, former_until = ${at(formerUntil)},
          secret = ${vault.encrypt(secret, secretContext(id))}, updated_at = ${now()}
        where ${ownedBy(owner)} and id = ${id} returning ${columns}`,
      ),

    async sendTest(owner, id, data) {
      const { rows } = await sql<{ eventId: string }>`
        with told as (
          insert into tenant_event (id, tenant_id, network, type, resource, data, at)
          select 'evt_' || replace(gen_random_uuid()::text, '-', ''), tenant_id, network, ${TEST_TYPE}, 'endpoint:' || id,
            ${JSON.stringify(data)}::jsonb, ${now()}
          from event_endpoint where ${ownedBy(owner)} and id = ${id}
          returning id, position, resource
        )
        insert into event_delivery (endpoint_id, event_id, position, resource, next_at)
        select ${id}, id, position, resource, ${now()} from told returning event_id`.execute(db);
      return rows[0]?.eventId;
    },
  };
}

function toEndpoint({ offBecause, failingSince, formerUntil, ...row }: Row, now: Temporal.Instant): Endpoint {
  const isBoth = formerUntil !== null && Temporal.Instant.compare(formerUntil, now) > 0;
  return {
    ...row,
    offBecause: offBecause ?? undefined,
    failingSince: failingSince ?? undefined,
    formerUntil: isBoth ? formerUntil : undefined,
  };
}
