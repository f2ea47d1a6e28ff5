import { sql } from "kysely";
import { newId } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Connection, Connections } from "./connections.ts";
import { hashRowId } from "./store-rows.ts";

const SEEN_EVERY = { minutes: 1 };
const MOST_LISTED = 500;

const columns = [
  "connectedAgent.id",
  "connectedAgent.keyId",
  "connectedAgent.tenantId",
  "connectedAgent.environment",
  "connectedAgent.personId",
  "connectedAgent.clientId",
  "connectedAgent.clientName",
  "connectedAgent.clientHost",
  "connectedAgent.resource",
  "connectedAgent.createdAt",
  "connectedAgent.seenAt",
] as const;

export function createConnections(db: Queryable, clock: Clock): Connections {
  const live = () => db.selectFrom("connectedAgent").where("connectedAgent.endedAt", "is", null);
  const now = () => sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`;

  return {
    async insert({ clientHost, ...connection }) {
      const at = clock.now();
      await db
        .insertInto("connectedAgent")
        .values({
          id: newId("con_", at.epochMilliseconds),
          ...connection,
          clientHost: clientHost ?? null,
          createdAt: at.toString(),
        })
        .execute();
    },

    async count({ tenantId, environment, personId }) {
      const { count } = await live()
        .select(({ fn }) => fn.countAll<bigint>().as("count"))
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("personId", "=", personId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    async list({ tenantId, environment, personId }) {
      const rows = await live()
        .innerJoin("apiKey", "apiKey.id", "connectedAgent.keyId")
        .innerJoin("person", (join) =>
          join
            .onRef("person.tenantId", "=", "connectedAgent.tenantId")
            .onRef("person.environment", "=", "connectedAgent.environment")
            .onRef("person.id", "=", "connectedAgent.personId"),
        )
        .select([...columns, "apiKey.scopes", "apiKey.expiresAt", "person.name as personName"])
        .where("connectedAgent.tenantId", "=", tenantId)
        .where("connectedAgent.environment", "=", environment)
        .where("apiKey.revokedAt", "is", null)
        .$if(personId !== undefined, (query) => query.where("connectedAgent.personId", "=", personId ?? ""))
        .orderBy("connectedAgent.createdAt", "desc")
        .limit(MOST_LISTED)
        .execute();
      return rows.map(withoutNulls);
    },

    async find({ tenantId, environment }, id) {
      const row = await live()
        .select(columns)
        .where("id", "=", id)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },

    async end(keyId): Promise<Connection | undefined> {
      const row = await db
        .updateTable("connectedAgent")
        .set({ endedAt: clock.now().toString() })
        .where("keyId", "=", keyId)
        .where("endedAt", "is", null)
        .returning(columns)
        .executeTakeFirst();
      await db.deleteFrom("authorizationRow").where("keyId", "=", keyId).execute();
      return row === undefined ? undefined : withoutNulls(row);
    },

    async ofToken(token, resource) {
      const row = await live()
        .innerJoin("authorizationRow", "authorizationRow.keyId", "connectedAgent.keyId")
        .select(columns)
        .where("authorizationRow.model", "=", "AccessToken")
        .where("authorizationRow.idHash", "=", hashRowId(token))
        .where("authorizationRow.audience", "=", resource)
        .where("authorizationRow.expiresAt", ">", now())
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },

    async sawConnection({ id, seenAt }) {
      const at = clock.now();
      if (seenAt !== undefined && Temporal.Instant.compare(seenAt, at.subtract(SEEN_EVERY)) > 0) return;
      await db.updateTable("connectedAgent").set({ seenAt: at.toString() }).where("id", "=", id).execute();
    },
  };
}
