import { type Kysely, sql } from "kysely";

/** Every line of these actions is about the whole tenant, so that both environments show it. */
const WHOLE_TENANT = String.raw`^(tenant\.(create|set|link_origins)|signing_secret\.)`;

/**
 * The environment of a line, and from where the change was asked for. Lines of earlier releases get their environment from what
 * they say; the origin of theirs was not recorded. Lines may be removed only once they are old, for the retention that the
 * operator has configured.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table audit_log
      add column network text check (network in ('sandbox', 'production')),
      add column address text,
      add column program text
  `.execute(db);
  await sql`
    update audit_log set network = found.network
    from (
      select line.id, coalesce(
        line.details ->> 'network',
        line.details ->> 'environment',
        case when line.subject_id in ('sandbox', 'production') then line.subject_id end,
        substring(line.subject_id from '^(sandbox|production):'),
        (select environment from api_key where api_key.id = line.subject_id and api_key.tenant_id = line.tenant_id)
      ) as network
      from audit_log line
      where line.action !~ ${sql.lit(WHOLE_TENANT)}
    ) found
    where found.id = audit_log.id and found.network in ('sandbox', 'production')
  `.execute(db);
  await sql`
    -- The ledger's own lines are most of them, and listed as movements.
    create index audit_log_by_environment on audit_log (tenant_id, network, id) where actor <> 'ledger';
    create index audit_log_by_time on audit_log using brin (at);

    create or replace function refuse_audit_change_of_line() returns trigger language plpgsql as $$
    begin
      if new.id = old.id and new.at = old.at and new.action = old.action
        and new.tenant_id is not distinct from old.tenant_id
        and new.network is not distinct from old.network
        and new.trace_id is not distinct from old.trace_id
        and (new.actor = old.actor or new.actor like 'erased\\_%')
        and (new.subject_id is not distinct from old.subject_id or new.subject_id like 'erased\\_%')
        and (new.address is not distinct from old.address or new.address is null)
        and (new.program is not distinct from old.program or new.program is null)
        and array(select jsonb_object_keys(new.details) order by 1) = array(select jsonb_object_keys(old.details) order by 1)
      then
        return new;
      end if;
      raise exception 'audit_log is append-only';
    end $$;

    create function refuse_audit_removal() returns trigger language plpgsql as $$
    begin
      if old.at < now() - interval '90 days' then return old; end if;
      raise exception 'audit_log is append-only';
    end $$;
    drop trigger audit_log_append_only on audit_log;
    create trigger audit_log_append_only before truncate on audit_log
      for each statement execute function refuse_audit_change();
    create trigger audit_log_outlives_its_time before delete on audit_log
      for each row execute function refuse_audit_removal()
  `.execute(db);
}
