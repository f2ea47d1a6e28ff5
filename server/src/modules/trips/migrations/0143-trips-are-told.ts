import { type Kysely, sql } from "kysely";

/** Tells tenants of trips that are funded, claimed or closed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_trip() returns trigger language plpgsql as $$
    declare
      about jsonb := jsonb_build_object('tripId', new.trip_id, 'budgetUsdc', decimal_text(new.budget_micro));
      resource text := 'trip:' || new.trip_id;
    begin
      if new.state = 'funded' and old.state <> 'funded' then
        perform tell_tenant(new.tenant_id, new.network, 'trip.funded', resource, about);
      end if;
      if new.claimed_at is not null and old.claimed_at is null then
        perform tell_tenant(new.tenant_id, new.network, 'trip.claimed', resource, about);
      end if;
      if new.state = 'closed' and old.state <> 'closed' then
        perform tell_tenant(new.tenant_id, new.network, 'trip.closed', resource,
          about || jsonb_build_object('refundedUsdc', decimal_text(new.refunded_micro)));
      end if;
      return null;
    end $$;
    create trigger trip_told after update of state, claimed_at on trip for each row
      when (new.state is distinct from old.state or (new.claimed_at is not null and old.claimed_at is null))
      execute function tell_trip();
  `.execute(db);
}
