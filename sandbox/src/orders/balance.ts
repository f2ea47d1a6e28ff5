// The operator's prepaid account with the supplier.
import { airlineError } from "../http/errors.ts";
import type { Queryable } from "../storage/database.ts";

const OPENING_BALANCE_MICRO = 1_000_000_000_000n;

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
