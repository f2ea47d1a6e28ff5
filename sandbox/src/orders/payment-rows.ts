import { accountCurrency } from "../currencies.ts";
import { newId } from "../ids.ts";
import { formatMoney } from "../money.ts";
import type { Queryable } from "../storage/database.ts";
import { debit } from "./balance.ts";
import { formatIso } from "./rows.ts";

export type PaidFor = "order" | "services" | "change";

export type PaymentRow = {
  id: string;
  seq: string;
  order_id: string;
  type: string;
  amount_micro: string;
  airline_credit_id: string | null;
  status: "succeeded" | "failed" | "cancelled";
  failure_reason: string | null;
  /** Known to the books alone: the supplier's wire does not say. */
  pays_for: PaidFor;
  created_ms: string;
};

export function renderPayment(row: PaymentRow) {
  return {
    id: row.id,
    order_id: row.order_id,
    type: row.type,
    amount: formatMoney(BigInt(row.amount_micro)),
    currency: accountCurrency(),
    airline_credit_id: row.airline_credit_id,
    status: row.status,
    failure_reason: row.failure_reason,
    live_mode: false,
    created_at: formatIso(row.created_ms),
  };
}

export async function recordPayment(
  tx: Queryable,
  payment: {
    orderId: string;
    type: string;
    amountMicro: bigint;
    creditId: string | undefined;
    paysFor?: PaidFor;
    nowMs: number;
  },
): Promise<string> {
  const id = newId("pay");
  const { orderId, type, amountMicro, creditId = null, paysFor = "order", nowMs } = payment;
  await tx.query(
    `INSERT INTO payments (id, order_id, type, amount_micro, airline_credit_id, status, pays_for, created_ms)
     VALUES ($1,$2,$3,$4,$5,'succeeded',$6,$7)`,
    [id, orderId, type, amountMicro.toString(), creditId, paysFor, nowMs],
  );
  if (payment.type !== "airline_credit") await debit(tx, payment.amountMicro, id, payment.nowMs);
  return id;
}
