import { sql } from "kysely";
import type { PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";

/** A current budget that names a traveler blocks that traveler's erasure. */
export function createBudgetPersons(db: Queryable): PersonRecords {
  return {
    async objections({ tenantId, userId, environment }, { at }) {
      const { rows } = await sql<{ rule: string }>`
        select 'budget ' || budget_id as rule from budget
        where tenant_id = ${tenantId} and environment = ${environment} and ${userId} = any (traveler_ids)
          and (ends_on is null or ends_on >= ${at.toZonedDateTimeISO("UTC").toPlainDate().toString()})
        order by rule`.execute(db);
      return { rules: rows.map(({ rule }) => rule) };
    },
  };
}
