import { type Kysely, sql } from "kysely";

/**
 * Notifies every process about work: `<queue> <time>`, the time from which a row is due in milliseconds, or 0 for now;
 * `run <id> <state>` when a run pauses, continues or ends, and `chain_ended <id>`. The end of a step is not told: commits with a
 * notification wait for each other.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_work() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', tg_argv[0] || ' 0');
      return null;
    end $$;
    create function work_time(at timestamptz) returns text immutable language sql as $$
      select coalesce(ceil(extract(epoch from at) * 1000)::bigint, 0)::text
    $$;
    create function tell_leased_work() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', tg_table_name || ' ' || work_time(new.quiet_until));
      return null;
    end $$;

    create trigger booking_stored after insert on booking for each row
      when (new.worker_id is null and new.state not in ('booked', 'failed', 'on_hold')) execute function tell_leased_work();
    create trigger booking_left after update of state, worker_id, quiet_until on booking for each row
      when (new.worker_id is null and new.state not in ('booked', 'failed', 'on_hold')) execute function tell_leased_work();
    create trigger servicing_action_stored after insert on servicing_action for each row
      when (new.worker_id is null and new.state not in ('done', 'failed')) execute function tell_leased_work();
    create trigger servicing_action_left after update of state, worker_id, quiet_until on servicing_action for each row
      when (new.worker_id is null and new.state not in ('done', 'failed')) execute function tell_leased_work();
    create trigger message_stored after insert on message for each row
      when (new.worker_id is null and new.state not in ('sent', 'kept', 'failed')) execute function tell_leased_work();
    create trigger message_left after update of state, worker_id, quiet_until on message for each row
      when (new.worker_id is null and new.state not in ('sent', 'kept', 'failed')) execute function tell_leased_work();
    create trigger workflow_run_stored after insert on workflow_run for each row
      when (new.worker_id is null and new.state = 'running') execute function tell_leased_work();
    create trigger workflow_run_left after update of state, worker_id, quiet_until on workflow_run for each row
      when (new.worker_id is null and new.state = 'running') execute function tell_leased_work();

    create function tell_run_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'run ' || new.id || ' ' || new.state);
      return null;
    end $$;
    create trigger workflow_run_changed after update of state on workflow_run for each row
      when (new.state is distinct from old.state) execute function tell_run_changed();

    create function tell_webhook_event() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'webhook_event ' || work_time(new.next_at));
      return null;
    end $$;
    create trigger webhook_event_stored after insert on webhook_event for each row execute function tell_webhook_event();
    create trigger webhook_event_put_back after update of last_reason on webhook_event for each row
      when (new.finished_at is null) execute function tell_webhook_event();

    create function tell_order_check() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'booking_order ' || work_time(new.order_check_at));
      return null;
    end $$;
    create trigger booking_order_check after update of order_check_at on booking for each row
      when (new.order_check_at is distinct from old.order_check_at and new.order_check_at is not null)
      execute function tell_order_check();

    create trigger chain_transaction_stored after insert on chain_transaction for each row
      execute function tell_work('chain_transaction');
    create function tell_chain_ended() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'chain_ended ' || new.id);
      if new.purpose = 'payment_batch' then
        perform pg_notify('work_changed', 'payment_loose 0');
      end if;
      return null;
    end $$;
    create trigger chain_transaction_ended after update of state on chain_transaction for each row
      when (new.state in ('confirmed', 'reverted') and old.state <> new.state) execute function tell_chain_ended();
    create trigger chain_network_read after update of indexed_number on chain_network for each row
      execute function tell_work('chain_network');
    create trigger tenant_stored after insert on tenant for each row execute function tell_work('tenant');
  `.execute(db);
}
