import { type Kysely, sql } from "kysely";

/**
 * Lines of the audit log are never changed or removed, except that an erased person is removed from them: a mark replaces the
 * user's id, and values of the details may change, but not their names.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_audit_change_of_line() returns trigger language plpgsql as $$
    begin
      if new.id = old.id and new.at = old.at and new.action = old.action
        and new.tenant_id is not distinct from old.tenant_id
        and new.trace_id is not distinct from old.trace_id
        and (new.actor = old.actor or new.actor like 'erased\\_%')
        and (new.subject_id is not distinct from old.subject_id or new.subject_id like 'erased\\_%')
        and array(select jsonb_object_keys(new.details) order by 1) = array(select jsonb_object_keys(old.details) order by 1)
      then
        return new;
      end if;
      raise exception 'audit_log is append-only';
    end $$;
    drop trigger audit_log_append_only on audit_log;
    create trigger audit_log_append_only before delete or truncate on audit_log
      for each statement execute function refuse_audit_change();
    create trigger audit_log_keeps_its_lines before update on audit_log
      for each row execute function refuse_audit_change_of_line();
  `.execute(db);
}
