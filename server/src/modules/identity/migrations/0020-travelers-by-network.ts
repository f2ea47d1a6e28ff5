import { type Kysely, sql } from "kysely";

/**
 * Users and their profiles belong to one environment, and a tenant can be on the beta network. Existing profiles do not name
 * their environment: they become the sandbox's, and production begins without any. Users named by production records are users
 * there too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table traveler_profile drop constraint traveler_profile_tenant_id_user_id_fkey;
    alter table traveler_customer drop constraint traveler_customer_tenant_id_user_id_fkey;

    alter table app_user
      add column network text not null default 'sandbox' check (network in ('sandbox', 'production')),
      drop constraint app_user_pkey,
      add primary key (tenant_id, network, id);
    alter table app_user alter column network drop default;
    insert into app_user (tenant_id, network, id, created_at)
    select app_user.tenant_id, 'production', app_user.id, app_user.created_at from app_user join (
      select tenant_id, user_id from traveler_customer where network = 'production'
      union select tenant_id, user_id from booking where network = 'production'
      union select tenant_id, user_id from trip where network = 'production'
    ) named on (named.tenant_id, named.user_id) = (app_user.tenant_id, app_user.id);

    alter table traveler_profile
      add column network text not null default 'sandbox' check (network in ('sandbox', 'production')),
      drop constraint traveler_profile_pkey,
      add primary key (tenant_id, network, user_id),
      add foreign key (tenant_id, network, user_id) references app_user (tenant_id, network, id);
    alter table traveler_profile alter column network drop default;

    alter table traveler_customer
      add check (network in ('sandbox', 'production')),
      add foreign key (tenant_id, network, user_id) references app_user (tenant_id, network, id);

    alter table tenant add column is_beta boolean not null default false;
    drop trigger tenant_changed on tenant;
    create trigger tenant_changed after update on tenant for each row
      when ((old.plan, old.monthly_cap_micro, old.is_demo, old.is_beta, old.signing_secret)
        is distinct from (new.plan, new.monthly_cap_micro, new.is_demo, new.is_beta, new.signing_secret))
      execute function notify_tenant_changed();
  `.execute(db);
}
