import { type Kysely, sql } from "kysely";

/** Ratings and validations mirror the registries of a chain, where agents have their numbers. So far it is the home chain. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table feedback add column chain text;
    update feedback set chain = bound.chain
      from chain_network as bound where bound.network = feedback.network and bound.is_home;
    alter table feedback alter column chain set not null;
    drop index feedback_by_scope;
    drop index feedback_stars;
    drop index feedback_recent;
    drop index feedback_by_user;
    create unique index feedback_by_scope on feedback (network, chain, scope);
    create index feedback_stars on feedback (network, chain, agent_id, tag) include (stars) where state = 'confirmed';
    create index feedback_recent on feedback (network, chain, agent_id, confirmed_at, id) where state = 'confirmed';
    create index feedback_by_user on feedback (network, chain, tenant_id, user_id, confirmed_at, id)
      where state = 'confirmed' and rater_kind = 'user';

    alter table validation add column chain text;
    update validation set chain = bound.chain
      from chain_network as bound where bound.network = validation.network and bound.is_home;
    alter table validation
      alter column chain set not null,
      drop constraint validation_network_request_hash_key,
      add unique (network, chain, request_hash);
  `.execute(db);
}
