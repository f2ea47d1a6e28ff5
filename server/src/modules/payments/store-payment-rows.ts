import { type Selectable, sql } from "kysely";
import { z } from "zod";
import { toColumnName } from "../../platform/database/casing.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { PaymentTable } from "../../platform/database/generated-tables.ts";
import type { Environment } from "../../ports/identity.ts";
import type { NewPayment, Payment } from "./payments.ts";

const Beside = z.record(z.string(), z.unknown());

export function toRow({ signed, terms, ...payment }: NewPayment, at: string) {
  return {
    id: payment.id,
    environment: payment.environment,
    chain: signed.network,
    asset: signed.asset,
    payer: signed.payer,
    nonce: signed.nonce,
    paymentIdentifier: signed.identifier ?? null,
    payTo: signed.payTo,
    amountMicro: signed.amount,
    validAfter: signed.validAfter.toString(),
    validBefore: signed.validBefore.toString(),
    signature: signed.signature,
    // Text, since JSON columns reject some characters that a payer may send.
    beside: signed.beside === undefined ? null : JSON.stringify(signed.beside),
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    tokenName: terms.extra.name,
    tokenVersion: terms.extra.version,
    requestHash: payment.requestHash,
    tool: payment.tool,
    tenantId: payment.tenantId,
    keyId: payment.keyId,
    subject: payment.subject,
    callId: payment.callId,
    processId: payment.processId,
    traceId: payment.traceId,
    listPriceMicro: payment.listPrice,
    discountPercent: payment.discountPercent,
    lookedAt: at,
    createdAt: at,
    updatedAt: at,
  };
}

/** Field by field: paid calls read several rows each, and rest properties are several times slower. */
export function toPayment(row: Selectable<PaymentTable>): Payment {
  const common = { network: row.chain, asset: row.asset, payTo: row.payTo, amount: row.amountMicro };
  return {
    id: row.id,
    environment: row.environment,
    signed: {
      ...common,
      payer: row.payer,
      validAfter: BigInt(row.validAfter),
      validBefore: BigInt(row.validBefore),
      nonce: row.nonce,
      signature: row.signature,
      ...(row.beside === null ? {} : { beside: Beside.parse(JSON.parse(row.beside)) }),
    },
    terms: {
      ...common,
      maxTimeoutSeconds: row.maxTimeoutSeconds,
      extra: { name: row.tokenName, version: row.tokenVersion },
    },
    requestHash: row.requestHash,
    tool: row.tool,
    tenantId: row.tenantId,
    keyId: row.keyId,
    subject: row.subject,
    callId: row.callId,
    processId: row.processId,
    traceId: row.traceId,
    listPrice: row.listPriceMicro,
    discountPercent: row.discountPercent,
    state: row.state,
    result: row.result === null ? undefined : JSON.parse(row.result),
    latencyMs: row.latencyMs,
    usageId: row.usageId ?? undefined,
    chainTransactionId: row.chainTransactionId ?? undefined,
    transactionHash: row.transactionHash ?? undefined,
    failure: row.failure ?? undefined,
    createdAt: row.createdAt,
    changedAt: row.updatedAt,
  };
}

/** Rows as JSON for statements, with column names; large integers are strings, which the server reads. */
export function toJson(rows: readonly object[]): string {
  const named = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]: [string, unknown]) => [
        toColumnName("payment", name),
        typeof value === "bigint" ? value.toString() : value,
      ]),
    ),
  );
  return JSON.stringify(named);
}

/** The unique key of a payment, permanently; no part contains a space. */
export function authorizationKey(
  environment: Environment,
  { network, asset, payer, nonce }: Pick<Payment["signed"], "network" | "asset" | "payer" | "nonce">,
): string {
  return `${environment} ${network} ${asset} ${payer} ${nonce}`;
}

/** The payment of a payer with an identifier of its own. */
export async function findIdentifiedPayment(
  db: Queryable,
  environment: Environment,
  { network, asset, payer, identifier }: Pick<Payment["signed"], "network" | "asset" | "payer" | "identifier">,
): Promise<Payment | undefined> {
  if (identifier === undefined) return undefined;
  const row = await db
    .selectFrom("payment")
    .selectAll()
    .where("environment", "=", environment)
    .where("chain", "=", network)
    .where("asset", "=", asset)
    .where("payer", "=", payer)
    .where("paymentIdentifier", "=", identifier)
    .executeTakeFirst();
  return row === undefined ? undefined : toPayment(row);
}

/** The payments that exist, in no order. */
export async function findPayments(db: Queryable, keys: readonly string[]): Promise<readonly Payment[]> {
  const { rows } = await sql<Selectable<PaymentTable>>`
    select payment.* from unnest(${[...keys]}::text[]) as asked (key)
      join payment on payment.network = split_part(asked.key, ' ', 1) and payment.chain = split_part(asked.key, ' ', 2)
        and payment.asset = split_part(asked.key, ' ', 3) and payment.payer = split_part(asked.key, ' ', 4)
        and payment.nonce = split_part(asked.key, ' ', 5)`.execute(db);
  return rows.map(toPayment);
}
