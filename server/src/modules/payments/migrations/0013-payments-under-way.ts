import { type Kysely, sql } from "kysely";

/** A payer's pending and settled payments: the number settled limits the number pending. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table payment_payer
      add column under_way integer not null default 0 check (under_way >= 0),
      add column settled integer not null default 0 check (settled >= 0);
    update payment_payer set under_way = total.under_way, settled = total.settled
    from (
      select network, asset, payer, count(*) filter (where state in ('claimed', 'earned')) as under_way,
        count(*) filter (where state = 'settled') as settled
      from payment group by 1, 2, 3
    ) total
    where (payment_payer.network, payment_payer.asset, payment_payer.payer) = (total.network, total.asset, total.payer);
  `.execute(db);
}
