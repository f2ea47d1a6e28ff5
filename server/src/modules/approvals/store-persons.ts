import { sql } from "kysely";
import type { PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";

export function createApprovalPersons(db: Queryable): PersonRecords {
  return {
    /**
     * The hashes have no salt, so dates of birth and addresses could be guessed from them. The approvals become
     * unusable, as nobody can call for the person any more.
     */
    async forgetTraces({ person: { tenantId, userId, environment }, mark }) {
      if (mark === userId) return;
      await sql`
        update approval set call_hash = 'erased:' || id, content_hash = 'erased', fare_hash = null, rejection_hash = null
        where tenant_id = ${tenantId} and network = ${environment}
          and (traveler_id = ${mark} or requested_by = ${mark})`.execute(db);
    },
  };
}
