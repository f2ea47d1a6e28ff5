// Airline credits: what they are worth, who may use them, and how they are spent.
import { toIso } from "../clock.ts";
import { accountCurrency } from "../currencies.ts";
import { invalidField } from "../http/errors.ts";
import { newId } from "../ids.ts";
import { formatMoney } from "../money.ts";
import { airlineByCode } from "../reference/data.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";

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

export function creditName(airline: string): string {
  return `${airlineByCode.get(airline)?.name ?? airline} travel credit`;
}

export function renderCredit(row: CreditRow) {
  const iso = (ms: string | null) => (ms === null ? null : toIso(Number(ms)));
  return {
    id: row.id,
    live_mode: false,
    airline_iata_code: row.airline,
    credit_name: creditName(row.airline),
    credit_amount: formatMoney(BigInt(row.amount_micro)),
    credit_currency: accountCurrency(),
    amount: formatMoney(BigInt(row.amount_micro)),
    amount_currency: accountCurrency(),
    credit_code: row.code,
    code: row.code,
    type: row.type,
    issued_on: row.issued_on,
    expires_at: `${row.expires_on}T23:59:59Z`,
    given_name: row.given_name,
    family_name: row.family_name,
    user_id: row.user_id,
    order_id: row.order_id,
    passenger_id: row.passenger_id,
    penalty_amount: null,
    penalty_currency: null,
    created_at: iso(row.created_ms),
    spent_at: iso(row.spent_ms),
    invalidated_at: iso(row.invalidated_ms),
  };
}

/** A credit's identifier may have been told before it is issued, in a cancellation's quote. */
export async function createCredit(
  tx: Queryable,
  credit: NewCredit,
  nowMs: number,
  id = newId("acd"),
): Promise<CreditRow> {
  const { rows } = await tx.query<CreditRow>(
    `INSERT INTO airline_credits (id, airline, amount_micro, code, type, issued_on, expires_on, given_name, family_name, user_id,
       order_id, passenger_id, created_ms) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13) RETURNING *`,
    [
      id,
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
  await emit(tx, "air.airline_credit.created", renderCredit(row), nowMs);
  return row;
}

export function isUsable(credit: CreditRow, airline: string, nowMs: number): boolean {
  const today = toIso(nowMs).slice(0, 10);
  return (
    credit.spent_ms === null &&
    credit.invalidated_ms === null &&
    credit.expires_on >= today &&
    credit.airline === airline
  );
}

export function notUsable(creditId: string, pointer: string) {
  return invalidField(
    "ineligible_airline_credit",
    pointer,
    `Airline credit '${creditId}' cannot be used for this order.`,
  );
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
  if (credit === undefined || !isUsable(credit, use.airline, use.nowMs)) throw notUsable(use.creditId, "payments");
  const worth = BigInt(credit.amount_micro);
  const covered = use.askedMicro ?? (worth < use.openMicro ? worth : use.openMicro);
  if (covered > worth || covered > use.openMicro || covered <= 0n) {
    throw invalidField(
      "ineligible_airline_credit",
      "payments",
      `Airline credit '${use.creditId}' is worth ${formatMoney(worth)}.`,
    );
  }
  const spent = await tx.query<CreditRow>("UPDATE airline_credits SET spent_ms = $2 WHERE id = $1 RETURNING *", [
    credit.id,
    use.nowMs,
  ]);
  for (const row of spent.rows) await emit(tx, "air.airline_credit.spent", renderCredit(row), use.nowMs);
  if (worth > covered) {
    await createCredit(
      tx,
      { ...credit, amountMicro: worth - covered, order_id: use.orderId, code: `${credit.code}R` },
      use.nowMs,
    );
  }
  return covered;
}

/** The credit is worth nothing from now on; undefined when there is none that could still be used. */
export async function invalidateCredit(tx: Queryable, id: string, nowMs: number): Promise<CreditRow | undefined> {
  const { rows } = await tx.query<CreditRow>(
    "UPDATE airline_credits SET invalidated_ms = $2 WHERE id = $1 AND spent_ms IS NULL AND invalidated_ms IS NULL RETURNING *",
    [id, nowMs],
  );
  for (const row of rows) await emit(tx, "air.airline_credit.invalidated", renderCredit(row), nowMs);
  return rows[0];
}

/** An order's end before its tickets: the credit is as good as before, and what it had left behind is withdrawn. */
export async function giveCreditBack(tx: Queryable, creditId: string, orderId: string, nowMs: number): Promise<void> {
  await tx.query("UPDATE airline_credits SET spent_ms = NULL WHERE id = $1", [creditId]);
  const { rows } = await tx.query<{ id: string }>(
    "SELECT id FROM airline_credits WHERE order_id = $1 AND spent_ms IS NULL AND invalidated_ms IS NULL",
    [orderId],
  );
  for (const row of rows) await invalidateCredit(tx, row.id, nowMs);
}
