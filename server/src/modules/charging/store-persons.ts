import { sql } from "kysely";
import type { PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";

export function createCallingPersons(db: Queryable): PersonRecords {
  return {
    tables: {
      naming: [
        { table: "call", column: "subject" },
        { table: "usage_record", column: "subject" },
      ],
    },

    async held({ tenantId, userId, environment }) {
      const { rows } = await sql<{ usageRecords: number }>`
        select count(*)::int as usage_records from usage_record
        where tenant_id = ${tenantId} and network = ${environment} and subject = ${userId}`.execute(db);
      return { ...rows[0] };
    },

    /** A pending call writes the person's answer when it ends, or books for the person. */
    async objections({ tenantId, userId, environment }, { callIds }) {
      const { rows } = await sql`
        select 1 from call
        where tenant_id = ${tenantId} and network = ${environment} and state = 'reserved'
          and (subject = ${userId} or id = any (${callIds}::text[])) limit 1`.execute(db);
      return { isBusy: rows.length > 0 };
    },

    async forgetOwn({ tenantId, userId, environment }) {
      await sql`
        delete from idempotency
        where tenant_id = ${tenantId} and network = ${environment} and subject = ${userId} and state = 'done'`.execute(
        db,
      );
    },
  };
}
