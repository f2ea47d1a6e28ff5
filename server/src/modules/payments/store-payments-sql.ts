import { type RawBuilder, sql } from "kysely";
import { newId } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { TransactionIntent } from "../chain/index.ts";
import type { EarnedPayment, GatheredPayments, Payments, SettledBy } from "./payments.ts";
import { toJson } from "./store-payment-rows.ts";

export interface EarnRequest {
  id: string;
  result: unknown;
  latencyMs: number;
  transactionIntent: TransactionIntent | undefined;
}

/**
 * Stores answers with the intents of their settling chain transactions: one statement for all that arrive together, skipping
 * payments that are not claimed any more. The intent's idempotency key is derived from the payment, which is earned once, so a
 * duplicate key is an error.
 */
export async function earnTogether(
  db: Queryable,
  requests: readonly EarnRequest[],
  at: Temporal.Instant,
): Promise<readonly PromiseSettledResult<EarnedPayment | undefined>[]> {
  const lines = requests.map(({ id, result, latencyMs, transactionIntent: intent }) => ({
    id,
    result: JSON.stringify(result),
    latencyMs,
    transactionId: intent === undefined ? null : newId("ctx_", at.epochMilliseconds),
    environment: intent?.environment ?? null,
    chain: intent?.chain ?? null,
    idempotencyKey: intent?.idempotencyKey ?? null,
    purpose: intent?.purpose ?? null,
    chainOrder: intent === undefined ? null : JSON.stringify(intent.operation),
  }));
  const now = at.toString();
  const { rows } = await sql<{ id: string }>`
    ${prepared("earn-payments")}
    with line as (
      select * from json_to_recordset(${toJson(lines)}) as line (id text, result text, latency_ms float8,
        transaction_id text, network text, chain text, idempotency_key text, purpose text, chain_order text)
    ),
    prior as materialized (
      select payment.id from payment
      where payment.id = any (${lines.map(({ id }) => id)}::text[]) and payment.state = 'claimed'
      order by payment.id for update
    ),
    earned as (
      update payment set state = 'earned', result = line.result, latency_ms = line.latency_ms,
        chain_transaction_id = line.transaction_id, looked_at = ${now}, updated_at = ${now}
      from line join prior using (id)
      where payment.id = line.id
      returning payment.id, payment.call_id
    ),
    ordered as (
      insert into chain_transaction (id, network, chain, idempotency_key, purpose, chain_order, created_at, updated_at)
      select line.transaction_id, line.network, line.chain, line.idempotency_key, line.purpose, line.chain_order::jsonb,
        ${now}::timestamptz, ${now}::timestamptz
      from line join earned using (id) where line.transaction_id is not null
    ),
    called as (
      update call set state = 'captured', settled_at = ${now} from earned
      where call.id = earned.call_id and call.state = 'reserved'
    )
    select id from earned`.execute(db);
  const earned = new Set(rows.map(({ id }) => id));
  return lines.map(({ id, transactionId }) => ({
    status: "fulfilled",
    value: earned.has(id) ? { chainTransactionId: transactionId ?? undefined } : undefined,
  }));
}

/** A group whose payments are not all there leaves nothing behind. Payments are locked in a fixed order, as everywhere. */
export async function gatherGroups(
  db: Queryable,
  groups: Parameters<Payments["gather"]>[0],
  at: Temporal.Instant,
): Promise<readonly GatheredPayments[]> {
  const lines = groups.map(({ ids, intent }) => ({
    id: newId("ctx_", at.epochMilliseconds),
    network: intent.environment,
    chain: intent.chain,
    idempotencyKey: intent.idempotencyKey,
    purpose: intent.purpose,
    chainOrder: JSON.stringify(intent.operation),
    count: ids.length,
  }));
  const members = groups.flatMap(({ ids }, index) => ids.map((id) => ({ id, transactionId: lines[index]?.id ?? "" })));
  const now = at.toString();
  const { rows } = await sql<{ id: string }>`
    ${prepared("gather-payments")}
    with line as (
      select * from json_to_recordset(${toJson(lines)}) as line (id text, network text, chain text, idempotency_key text,
        purpose text, chain_order text, count int)
    ),
    taken as materialized (
      select payment.id, member.transaction_id
      from unnest(${members.map(({ id }) => id)}::text[], ${members.map(({ transactionId }) => transactionId)}::text[])
        as member (id, transaction_id) join payment on payment.id = member.id
      where payment.state = 'earned' and payment.chain_transaction_id is null
      order by payment.id for update of payment skip locked
    ),
    ordered as (
      insert into chain_transaction (id, network, chain, idempotency_key, purpose, chain_order, created_at, updated_at)
      select id, network, chain, idempotency_key, purpose, chain_order::jsonb, ${now}::timestamptz, ${now}::timestamptz
      from line where count = (select count(*) from taken where taken.transaction_id = line.id)
      returning id
    ),
    assigned as (
      update payment set chain_transaction_id = taken.transaction_id, updated_at = ${now}
      from taken join ordered on ordered.id = taken.transaction_id
      where payment.id = taken.id
    )
    select id from ordered`.execute(db);
  const stored = new Set(rows.map(({ id }) => id));
  return groups.flatMap(({ ids }, index) => {
    const chainTransactionId = lines[index]?.id ?? "";
    return stored.has(chainTransactionId) ? [{ ids, chainTransactionId }] : [];
  });
}

/**
 * Settles payments and writes their usage records. They are given by their ids, or by the ids of chain transactions that settle
 * one payment each. Rows are locked before they are judged, payments before payers and each in a fixed order, so that processes
 * do not deadlock. Settled payments are left unchanged.
 */
export function settlePayments(
  lines: readonly SettledBy[],
  told: "id" | "chainTransactionId",
  now: Temporal.Instant,
): RawBuilder<{ id: string }> {
  const ids = lines.map(({ id }) => id);
  const usageIds = lines.map(() => newId("use_", now.epochMilliseconds));
  const hashes = lines.map(({ transactionHash }) => transactionHash);
  const at = now.toString();
  return sql<{ id: string }>`
    ${prepared("settle-payments")}
    with line as (
      select * from unnest(${ids}::text[], ${usageIds}::text[], ${hashes}::text[]) as line (id, usage_id, hash)
    ),
    prior as materialized (
      select payment.id, payment.state, payment.network, payment.chain, payment.asset, payment.payer, line.usage_id, line.hash
      from payment join line on line.id = payment.${sql.ref(told)}
      where payment.${sql.ref(told)} = any (${ids}::text[]) order by payment.id for update of payment
    ),
    purse as materialized (
      select network, chain, asset, payer from payment_payer
      where (network, chain, asset, payer) in (
        select network, chain, asset, payer from prior where state in ('earned', 'receivable'))
      order by network, chain, asset, payer for update
    ),
    changed as (
      update payment set state = 'settled', transaction_hash = prior.hash, usage_id = prior.usage_id, failure = null,
        beside = null, updated_at = ${at}
      from prior where payment.id = prior.id and prior.state in ('earned', 'receivable')
      returning payment.*, prior.state as was
    ),
    written as (
      insert into usage_record (id, call_id, tenant_id, key_id, subject, tool, surface, list_price_micro, discount_percent,
        price_micro, status, trace_id, latency_ms, created_at, network)
      select usage_id, call_id, tenant_id, key_id, subject, tool, 'paid', list_price_micro, discount_percent,
        amount_micro, case network when 'sandbox' then 'sandbox' else 'settled' end, trace_id, latency_ms, ${at}, network
      from changed
    ),
    owed as (
      update payment_payer set open_micro = payment_payer.open_micro - total.open,
        receivables = payment_payer.receivables - total.receivables,
        under_way = payment_payer.under_way - total.under_way, settled = payment_payer.settled + total.settled
      from (
        select changed.network, changed.chain, changed.asset, changed.payer,
          sum(case changed.was when 'earned' then changed.amount_micro else 0 end)::bigint as open,
          count(*) filter (where changed.was = 'receivable')::int as receivables,
          count(*) filter (where changed.was = 'earned')::int as under_way, count(*)::int as settled
        from changed join purse using (network, chain, asset, payer) group by 1, 2, 3, 4
      ) total
      where (payment_payer.network, payment_payer.chain, payment_payer.asset, payment_payer.payer)
        = (total.network, total.chain, total.asset, total.payer)
    ),
    called as (
      update call set state = 'captured', usage_id = changed.usage_id, settled_at = ${at}
      from changed where call.id = changed.call_id and call.state in ('reserved', 'captured', 'released')
    )
    select id from changed`;
}
