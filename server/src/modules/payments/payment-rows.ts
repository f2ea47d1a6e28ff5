import { type Selectable, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { PaymentTable } from "../../platform/database/tables/payment-tables.ts";
import type { Environment } from "../../ports/identity.ts";
import type { NewPayment, Payment } from "./payments.ts";

export function toRow({ signed, terms, ...payment }: NewPayment, at: string) {
  return {
    id: payment.id,
    network: payment.environment,
    chain: signed.network,
    asset: signed.asset,
    payer: signed.payer,
    nonce: signed.nonce,
    pay_to: signed.payTo,
    amount_micro: signed.amount,
    valid_after: signed.validAfter.toString(),
    valid_before: signed.validBefore.toString(),
    signature: signed.signature,
    max_timeout_seconds: terms.maxTimeoutSeconds,
    token_name: terms.extra.name,
    token_version: terms.extra.version,
    request_hash: payment.requestHash,
    tool: payment.tool,
    tenant_id: payment.tenantId,
    key_id: payment.keyId,
    subject: payment.subject,
    call_id: payment.callId,
    process_id: payment.processId,
    trace_id: payment.traceId,
    list_price_micro: payment.listPrice,
    discount_percent: payment.discountPercent,
    looked_at: at,
    created_at: at,
    updated_at: at,
  };
}

export function toPayment(row: Selectable<PaymentTable>): Payment {
  const common = { network: row.chain, asset: row.asset, payTo: row.pay_to, amount: row.amount_micro };
  return {
    id: row.id,
    environment: row.network,
    signed: {
      ...common,
      payer: row.payer,
      validAfter: BigInt(row.valid_after),
      validBefore: BigInt(row.valid_before),
      nonce: row.nonce,
      signature: row.signature,
    },
    terms: {
      ...common,
      maxTimeoutSeconds: row.max_timeout_seconds,
      extra: { name: row.token_name, version: row.token_version },
    },
    requestHash: row.request_hash,
    tool: row.tool,
    tenantId: row.tenant_id,
    keyId: row.key_id,
    subject: row.subject,
    callId: row.call_id,
    processId: row.process_id,
    traceId: row.trace_id,
    listPrice: row.list_price_micro,
    discountPercent: row.discount_percent,
    state: row.state,
    result: row.result === null ? undefined : JSON.parse(row.result),
    latencyMs: row.latency_ms,
    usageId: row.usage_id ?? undefined,
    chainTransactionId: row.chain_transaction_id ?? undefined,
    transactionHash: row.transaction_hash ?? undefined,
    failure: row.failure ?? undefined,
    createdAt: row.created_at,
    changedAt: row.updated_at,
  };
}

/** What is unique of a payment, for good; none of its parts has a space. */
export function authorizationKey(
  environment: Environment,
  { asset, payer, nonce }: Pick<Payment["signed"], "asset" | "payer" | "nonce">,
): string {
  return `${environment} ${asset} ${payer} ${nonce}`;
}

/** Those that there are, in no order. */
export async function findPayments(db: Queryable, keys: readonly string[]): Promise<readonly Payment[]> {
  const { rows } = await sql<Selectable<PaymentTable>>`
    select payment.* from unnest(${[...keys]}::text[]) as asked (key)
      join payment on payment.network = split_part(asked.key, ' ', 1) and payment.asset = split_part(asked.key, ' ', 2)
        and payment.payer = split_part(asked.key, ' ', 3) and payment.nonce = split_part(asked.key, ' ', 4)`.execute(
    db,
  );
  return rows.map(toPayment);
}
