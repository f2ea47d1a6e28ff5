import { type Kysely, sql } from "kysely";

/** Tells tenants when their calls have used 80 and 100 percent of the monthly cap. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_spend() returns trigger language plpgsql as $$
    declare
      cap bigint;
      percent integer;
    begin
      select monthly_cap_micro into cap from tenant where id = new.tenant_id;
      foreach percent in array array[80, 100] loop
        if new.spent_micro * 100 >= cap * percent and old.spent_micro * 100 < cap * percent then
          perform tell_tenant(new.tenant_id, new.network, 'spend_cap.reached', 'spend_cap:' || new.period,
            jsonb_build_object('percent', percent, 'period', new.period, 'spentUsdc', decimal_text(new.spent_micro),
              'capUsdc', decimal_text(cap)), null, new.period || ':' || percent || ':' || cap);
        end if;
      end loop;
      return null;
    end $$;
    create trigger tenant_spend_told after update of spent_micro on tenant_spend for each row
      when (new.spent_micro > old.spent_micro) execute function tell_spend();
  `.execute(db);
}
