// The operator's prepaid account with the supplier, and airline credits as means of payment.
import { airlineError, invalidField } from "../http/errors.ts";
import { newId } from "../ids.ts";
import { formatMoney } from "../money.ts";
import type { Queryable } from "../storage/database.ts";

export const OPENING_BALANCE_MICRO = 1_000_000_000_000n;

/** The account exists from the first start on, with its opening entry. */
export async function openAccount(tx: Queryable, nowMs: number): Promise<void> {
  const { rowCount } = await tx.query("INSERT INTO account (id, balance_micro) VALUES (1, $1) ON CONFLICT DO NOTHING", [
    OPENING_BALANCE_MICRO.toString(),
  ]);
  if (rowCount === 1) await record(tx, "opening", "account", OPENING_BALANCE_MICRO, nowMs);
}

async function record(
  tx: Queryable,
  kind: string,
  reference: string,
  amountMicro: bigint,
  nowMs: number,
): Promise<void> {
  await tx.query("INSERT INTO balance_entries (kind, reference, amount_micro, created_ms) VALUES ($1, $2, $3, $4)", [
    kind,
    reference,
    amountMicro.toString(),
    nowMs,
  ]);
}

export async function debit(tx: Queryable, amountMicro: bigint, reference: string, nowMs: number): Promise<void> {
  const { rowCount } = await tx.query(
    "UPDATE account SET balance_micro = balance_micro - $1 WHERE balance_micro >= $1",
    [amountMicro.toString()],
  );
  if (rowCount !== 1) throw airlineError("insufficient_balance", "Your balance does not cover this payment.");
  await record(tx, "payment", reference, -amountMicro, nowMs);
}

export async function refund(tx: Queryable, amountMicro: bigint, reference: string, nowMs: number): Promise<void> {
  if (amountMicro <= 0n) return;
  await tx.query("UPDATE account SET balance_micro = balance_micro + $1", [amountMicro.toString()]);
  await record(tx, "refund", reference, amountMicro, nowMs);
}

export type CreditRow = {
  id: string;
  seq: string;
  airline: string;
  amount_micro: string;
  code: string;
  type: "eticket" | "mco";
  issued_on: string;
  expires_on: string;
  given_name: string | null;
  family_name: string | null;
  user_id: string | null;
  order_id: string | null;
  passenger_id: string | null;
  created_ms: string;
  spent_ms: string | null;
  invalidated_ms: string | null;
};

export type NewCredit = Omit<
  CreditRow,
  "id" | "seq" | "amount_micro" | "created_ms" | "spent_ms" | "invalidated_ms"
> & { amountMicro: bigint };

export async function createCredit(tx: Queryable, credit: NewCredit, nowMs: number): Promise<CreditRow> {
  const { rows } = await tx.query<CreditRow>(
    `INSERT INTO airline_credits (id, airline, amount_micro, code, type, issued_on, expires_on, given_name, family_name, user_id,
       order_id, passenger_id, created_ms) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13) RETURNING *`,
    [
      newId("acd"),
      credit.airline,
      credit.amountMicro.toString(),
      credit.code,
      credit.type,
      credit.issued_on,
      credit.expires_on,
      credit.given_name,
      credit.family_name,
      credit.user_id,
      credit.order_id,
      credit.passenger_id,
      nowMs,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the new airline credit was not returned");
  return row;
}

/**
 * Spends a credit on an order and answers the amount it covered: what was asked for, or as much as it can.
 * A credit is spent whole; what it is worth beyond the order comes back as a new credit.
 */
export async function spendCredit(
  tx: Queryable,
  use: {
    creditId: string;
    airline: string;
    askedMicro: bigint | undefined;
    openMicro: bigint;
    orderId: string;
    nowMs: number;
  },
): Promise<bigint> {
  const { rows } = await tx.query<CreditRow>("SELECT * FROM airline_credits WHERE id = $1 FOR UPDATE", [use.creditId]);
  const [credit] = rows;
  const today = new Date(use.nowMs).toISOString().slice(0, 10);
  const usable =
    credit !== undefined &&
    credit.spent_ms === null &&
    credit.invalidated_ms === null &&
    credit.expires_on >= today &&
    credit.airline === use.airline;
  if (!usable)
    throw invalidField(
      "ineligible_airline_credit",
      "payments",
      `Airline credit '${use.creditId}' cannot be used for this order.`,
    );
  const worth = BigInt(credit.amount_micro);
  const covered = use.askedMicro ?? (worth < use.openMicro ? worth : use.openMicro);
  if (covered > worth || covered > use.openMicro || covered <= 0n) {
    throw invalidField(
      "ineligible_airline_credit",
      "payments",
      `Airline credit '${use.creditId}' is worth ${formatMoney(worth)}.`,
    );
  }
  await tx.query("UPDATE airline_credits SET spent_ms = $2 WHERE id = $1", [credit.id, use.nowMs]);
  if (worth > covered) {
    await createCredit(
      tx,
      { ...credit, amountMicro: worth - covered, order_id: use.orderId, code: `${credit.code}R` },
      use.nowMs,
    );
  }
  return covered;
}
