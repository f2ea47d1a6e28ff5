import { type Kysely, sql } from "kysely";

/** Money set aside. The used amount of a budget is in spend_counter, under the account budget:<id>. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null: calls of any key, for any traveler, of any trip; without a first or a last day.
  await sql`
    create table budget (
      tenant_id text not null,
      environment text not null check (environment in ('sandbox', 'production')),
      budget_id text not null,
      amount_micro bigint not null check (amount_micro >= 0),
      cost_centre text,
      key_ids text[],
      traveler_ids text[],
      trip_ids text[],
      starts_on text,
      ends_on text,
      updated_by text not null,
      updated_at timestamptz not null,
      primary key (tenant_id, environment, budget_id)
    )`.execute(db);
}
