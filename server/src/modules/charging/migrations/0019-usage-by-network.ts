import { type Kysely, sql } from "kysely";

/**
 * Assigns calls, usage, idempotency keys and spend to an environment. Existing records tell theirs by the status: `sandbox` is
 * permanent and used by no other. Spend is summed again from records and reservations; calls paid by a payment never counted
 * against a cap.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table usage_record
      add column network text not null default 'sandbox' check (network in ('sandbox', 'production'));
    update usage_record set network = 'production' where status <> 'sandbox';
    alter table usage_record alter column network drop default;
    drop index usage_record_tenant;
    create index usage_record_tenant on usage_record (tenant_id, network, id desc);

    alter table call
      add column network text not null default 'sandbox' check (network in ('sandbox', 'production'));
    update call set network = 'production' where usage_status <> 'sandbox';
    alter table call alter column network drop default;
  `.execute(db);

  await sql`
    alter table idempotency
      add column network text not null default 'sandbox' check (network in ('sandbox', 'production'));
    update idempotency held set network = known.network from (
      select idempotency.call_id, coalesce(call.network, record.network, api_key.environment) as network
      from idempotency
        left join call on call.id = idempotency.call_id
        left join usage_record record on record.id = idempotency.usage_id
        -- A read that has not ended has neither yet, and its key alone tells.
        left join api_key on idempotency.subject = 'svc:' || api_key.id
    ) known
    where known.call_id = held.call_id and known.network = 'production';
    alter table idempotency
      alter column network drop default,
      drop constraint idempotency_pkey,
      add primary key (tenant_id, network, subject, tool, key);

    delete from tenant_spend;
    alter table tenant_spend
      add column network text not null check (network in ('sandbox', 'production')),
      drop constraint tenant_spend_pkey,
      add primary key (tenant_id, network, period);
    insert into tenant_spend (tenant_id, network, period, spent_micro)
    select tenant_id, network, period, sum(price_micro) from (
      select record.tenant_id, record.network, record.price_micro,
        coalesce(call.period, to_char(record.created_at at time zone 'UTC', 'YYYY-MM')) as period
      from usage_record record left join call on call.id = record.call_id
      where record.tenant_id is not null
        and not exists (select 1 from payment where payment.call_id = record.call_id)
      union all
      select tenant_id, network, price_micro, period from call where state = 'reserved'
    ) spent
    group by tenant_id, network, period;
  `.execute(db);
}
