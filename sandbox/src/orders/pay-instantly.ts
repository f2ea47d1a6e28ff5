// Pays an instant order with the payments of its own request.
import { spendCredit } from "../credits/rows.ts";
import { accountCurrency } from "../currencies.ts";
import { invalidField } from "../http/errors.ts";
import { formatMoney } from "../money.ts";
import type { Queryable } from "../storage/database.ts";
import { type PaymentBody, readAmount } from "./parse.ts";
import { recordPayment } from "./payment-rows.ts";
import type { OrderRow } from "./rows.ts";

/** Credits first; the rest must then be paid exactly by the other entries. */
export async function payInstantly(
  tx: Queryable,
  row: OrderRow,
  payments: readonly PaymentBody[],
  nowMs: number,
): Promise<void> {
  const total = BigInt(row.total_micro);
  let open = total;
  for (const [index, payment] of payments.entries()) {
    if (payment.type !== "airline_credit") continue;
    if (payment.airline_credit_id === undefined) {
      throw invalidField(
        "validation_required",
        `payments/${index}/airline_credit_id`,
        "Field 'airline_credit_id' can't be blank",
      );
    }
    const askedMicro = payment.amount === undefined ? undefined : readAmount(payment, `payments/${index}`);
    const airline = row.details.owner.iata_code;
    const covered = await spendCredit(tx, {
      creditId: payment.airline_credit_id,
      airline,
      askedMicro,
      openMicro: open,
      orderId: row.id,
      nowMs,
    });
    open -= covered;
    await recordPayment(tx, {
      orderId: row.id,
      type: payment.type,
      amountMicro: covered,
      creditId: payment.airline_credit_id,
      nowMs,
    });
  }
  for (const [index, payment] of payments.entries()) {
    if (payment.type === "airline_credit") continue;
    if (payment.type === "card")
      throw invalidField("validation_inclusion", `payments/${index}/type`, "Cards are not accepted by this account");
    if (payment.currency !== accountCurrency()) {
      throw invalidField(
        "payment_currency_does_not_match_order_currency",
        `payments/${index}/currency`,
        `The order is priced in ${accountCurrency()}`,
      );
    }
    const amountMicro = readAmount(payment, `payments/${index}`);
    if (amountMicro > open || amountMicro === 0n) {
      throw invalidField(
        "payment_amount_does_not_match_order_amount",
        `payments/${index}/amount`,
        `The amount to pay is ${formatMoney(open)}`,
      );
    }
    open -= amountMicro;
    await recordPayment(tx, { orderId: row.id, type: payment.type, amountMicro, creditId: undefined, nowMs });
  }
  if (open !== 0n) {
    throw invalidField(
      "payment_amount_does_not_match_order_amount",
      "payments/0/amount",
      `${formatMoney(open)} of ${formatMoney(total)} is not paid`,
    );
  }
}
