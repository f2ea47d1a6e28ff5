import { type Kysely, sql } from "kysely";

/** How far the events of each chain's wallet contract have been read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table gateway_reading (
      network text not null check (network in ('sandbox', 'production')),
      chain text not null,
      read_number bigint not null,
      read_at timestamptz not null,
      primary key (network, chain)
    );
  `.execute(db);
}
