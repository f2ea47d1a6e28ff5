import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { TenantEvents } from "./events.ts";

const START = "0-0";
export const CURSOR = /^\d{1,18}-\d{1,18}$/;

interface Row {
  id: string;
  type: string;
  resource: string;
  data: Record<string, unknown>;
  at: Temporal.Instant;
  cursor: string;
}

export function createTenantEvents(db: Queryable): TenantEvents {
  return {
    /** Events whose transaction may still be open elsewhere are not listed yet: the cursor would pass earlier ones by. */
    async list({ tenantId, environment }, { after = START, limit, types = [] }) {
      const [transaction = "0", position = "0"] = after.split("-");
      const ofTypes = types.length === 0 ? sql`true` : sql`type = any (${[...types]}::text[])`;
      const { rows } = await sql<Row>`
        select id, type, resource, data, at, transaction_number || '-' || position as cursor from tenant_event
        where tenant_id = ${tenantId} and network = ${environment}
          and (transaction_number, position) > (${transaction}::bigint, ${position}::bigint)
          and transaction_number < pg_snapshot_xmin(pg_current_snapshot())::text::bigint and ${ofTypes}
        order by transaction_number, position limit ${limit}`.execute(db);
      return rows;
    },

    async end({ tenantId, environment }) {
      const { rows } = await sql<{ cursor: string }>`
        select transaction_number || '-' || position as cursor from tenant_event
        where tenant_id = ${tenantId} and network = ${environment}
          and transaction_number < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
        order by transaction_number desc, position desc limit 1`.execute(db);
      return rows[0]?.cursor ?? START;
    },

    async prune(before) {
      await pruneRows(db, "tenant_event", sql`at < ${before.toString()}::timestamptz`);
    },
  };
}
