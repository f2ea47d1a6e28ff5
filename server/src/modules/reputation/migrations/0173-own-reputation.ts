import { type Kysely, sql } from "kysely";

/** Lists of a tenant's ratings and validations, newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index feedback_by_tenant on feedback (network, chain, tenant_id, id);
    create index feedback_by_agent on feedback (network, chain, agent_id, id);
    create index validation_by_tenant on validation (network, chain, tenant_id, id);
    create index validation_by_validator on validation (network, chain, validator, id);
    create index validation_by_agent on validation (network, chain, agent_id, id)
  `.execute(db);
}
