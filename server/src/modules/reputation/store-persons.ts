import { sql } from "kysely";
import type { PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";

export function createRatingPersons(db: Queryable): PersonRecords {
  return {
    tables: { naming: [{ table: "feedback", column: "user_id" }] },

    async held({ tenantId, userId, environment }) {
      const { rows } = await sql<{ ratings: number }>`
        select count(*)::int as ratings from feedback
        where tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}`.execute(db);
      return { ...rows[0] };
    },
  };
}
