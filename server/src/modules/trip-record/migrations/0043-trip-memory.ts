import { type Kysely, sql } from "kysely";

/** A trip's record, one line per entry. Entries are never changed or removed; only the acting person is erased on request. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table trip_entry (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      trip_id text not null,
      -- Of what is told, so that it is written once however often it is told.
      key text not null,
      position bigint generated always as identity,
      kind text not null check (kind in
        ('claim', 'search', 'offer', 'decision', 'approval', 'order', 'ticket', 'document', 'message', 'money', 'run')),
      text text not null,
      -- Ids, hashes, amounts and states; no names.
      details jsonb not null,
      -- Who acted; null: the service by itself, or somebody outside.
      user_id text,
      at timestamptz not null,
      primary key (tenant_id, network, trip_id, key),
      foreign key (network, trip_id) references trip (network, trip_id)
    );
    create unique index trip_entry_in_order on trip_entry (tenant_id, network, trip_id, position);
    create index trip_entry_by_key on trip_entry (tenant_id, network, key);
    create index trip_entry_by_user on trip_entry (tenant_id, network, user_id) where user_id is not null;

    create function refuse_change_of_trip_entry() returns trigger language plpgsql as $$
      begin
        raise exception 'the record of a trip is only added to';
      end
    $$;
    create trigger trip_entry_is_only_added_to
      before delete or update of tenant_id, network, trip_id, key, position, kind, text, details, at on trip_entry
      for each row execute function refuse_change_of_trip_entry();
  `.execute(db);
}
