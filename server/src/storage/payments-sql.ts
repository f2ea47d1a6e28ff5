import { type RawBuilder, sql } from "kysely";
import type { Hex } from "../domain/tokens.ts";

/**
 * Settles payments and writes their usage records. Rows are locked before they are judged, payments first and payers after them,
 * each in one order, so that two processes never wait for each other in a ring. What was settled before is left as it is.
 */
export function settlePayments(
  lines: { ids: readonly string[]; usageIds: readonly string[] },
  transactionHash: Hex,
  at: string,
): RawBuilder<{ id: string }> {
  return sql<{ id: string }>`
    with line as (
      select * from unnest(${[...lines.ids]}::text[], ${[...lines.usageIds]}::text[]) as line (id, usage_id)
    ),
    prior as materialized (
      select payment.id, payment.state, payment.network, payment.asset, payment.payer from payment
      where payment.id = any (${[...lines.ids]}::text[]) order by payment.id for update
    ),
    purse as materialized (
      select network, asset, payer from payment_payer
      where (network, asset, payer) in (select network, asset, payer from prior where state in ('earned', 'receivable'))
      order by network, asset, payer for update
    ),
    changed as (
      update payment set state = 'settled', transaction_hash = ${transactionHash}, usage_id = line.usage_id, failure = null,
        updated_at = ${at}
      from line, prior
      where payment.id = line.id and prior.id = line.id and prior.state in ('earned', 'receivable')
      returning payment.*, prior.state as was
    ),
    written as (
      insert into usage_record (id, call_id, tenant_id, key_id, subject, tool, surface, list_price_micro, discount_percent,
        price_micro, status, trace_id, latency_ms, created_at)
      select usage_id, call_id, tenant_id, key_id, subject, tool, 'paid', list_price_micro, discount_percent,
        amount_micro, case network when 'sandbox' then 'sandbox' else 'settled' end, trace_id, latency_ms, ${at}
      from changed
    ),
    owed as (
      update payment_payer set open_micro = payment_payer.open_micro - total.open,
        receivables = payment_payer.receivables - total.receivables
      from (
        select changed.network, changed.asset, changed.payer,
          sum(case changed.was when 'earned' then changed.amount_micro else 0 end)::bigint as open,
          count(*) filter (where changed.was = 'receivable')::int as receivables
        from changed join purse using (network, asset, payer) group by 1, 2, 3
      ) total
      where (payment_payer.network, payment_payer.asset, payment_payer.payer) = (total.network, total.asset, total.payer)
    ),
    called as (
      update call set state = 'captured', usage_id = changed.usage_id, settled_at = ${at}
      from changed where call.id = changed.call_id and call.state in ('reserved', 'captured', 'released')
    )
    select id from changed`;
}
