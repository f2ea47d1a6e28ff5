import { type Kysely, sql } from "kysely";

/** Tells tenants when a key's or the tenant's limit of a day or a month is used up to 80 and 100 percent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_spend_limit() returns trigger language plpgsql as $$
    declare
      is_month boolean := new.period ~ '^\\d{4}-\\d{2}$';
      limited_key text := case when new.account = 'tenant' then '' else substr(new.account, 5) end;
      most bigint;
      percent integer;
    begin
      if not is_month and new.period !~ '^\\d{4}-\\d{2}-\\d{2}$' then return null; end if;
      select case when is_month then per_month_micro else per_day_micro end into most from spend_limit
      where tenant_id = new.tenant_id and environment = new.environment and key_id = limited_key;
      if most is null or most = 0 then return null; end if;
      foreach percent in array array[80, 100] loop
        if new.used_micro * 100 >= most * percent and old.used_micro * 100 < most * percent then
          perform tell_tenant(new.tenant_id, new.environment, 'spend_limit.reached', 'spend_limit:' || new.account,
            jsonb_build_object('percent', percent, 'limit', case when is_month then 'perMonth' else 'perDay' end,
              'limitOf', case limited_key when '' then 'tenant' else 'key' end, 'keyId', nullif(limited_key, ''),
              'period', new.period, 'usedUsdc', decimal_text(new.used_micro), 'limitUsdc', decimal_text(most)),
            null, new.account || ':' || new.period || ':' || percent || ':' || most);
        end if;
      end loop;
      return null;
    end $$;
    create trigger spend_counter_told after update of used_micro on spend_counter for each row
      when (new.used_micro > old.used_micro and (new.account = 'tenant' or new.account like 'key:%'))
      execute function tell_spend_limit();
  `.execute(db);
}
