import { sql } from "kysely";
import type { PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";

/** The places where a document names users: bookers and travelers. */
const NAMED_BY_POLICY =
  "lax $ ? ($.booking.allowed[*].booker == $user || $.booking.allowed[*].travelers[*] == $user || $.rules[*].when.travelers[*] == $user || $.rules[*].when.bookers[*] == $user)";

/** A policy in force that names a user blocks that user's erasure. */
export function createPolicyPersons(db: Queryable): PersonRecords {
  return {
    async objections({ tenantId, userId, environment }, { at }) {
      const { rows } = await sql<{ rule: string }>`
        select distinct 'policy ' || policy_id as rule from travel_policy policy
        where tenant_id = ${tenantId} and network = ${environment}
          and jsonb_path_exists(document, ${NAMED_BY_POLICY}::jsonpath, jsonb_build_object('user', ${userId}::text))
          -- Still relevant: neither replaced by a version in force nor only historical.
          and not exists (
            select 1 from travel_policy later
            where later.tenant_id = policy.tenant_id and later.network = policy.network and later.policy_id = policy.policy_id
              and later.effective_at <= ${at.toString()}::timestamptz
              and (later.effective_at, later.version) > (policy.effective_at, policy.version))
        order by rule`.execute(db);
      return { rules: rows.map(({ rule }) => rule) };
    },
  };
}
