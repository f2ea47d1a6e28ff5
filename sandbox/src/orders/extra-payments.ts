// Payments for what is added to an order that is paid already: services, and changes that cost something.

import { accountCurrency } from "../currencies.ts";
import { invalidField } from "../http/errors.ts";
import { formatMoney } from "../money.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { type PaymentBody, readAmount } from "./parse.ts";
import { type PaymentRow, recordPayment, renderPayment } from "./payment-rows.ts";

/** The payment has to be exactly what is due; nothing due is not paid. Answers the payment's identifier. */
export async function payExactly(
  tx: Queryable,
  due: { orderId: string; amountMicro: bigint; paysFor: "services" | "change"; nowMs: number },
  payment: PaymentBody | undefined,
): Promise<string | null> {
  if (due.amountMicro === 0n) {
    const offered = payment?.amount === undefined ? 0n : readAmount(payment, "payment");
    if (offered !== 0n)
      throw invalidField("payment_amount_does_not_match_order_amount", "payment/amount", "There is nothing to pay");
    return null;
  }
  if (payment === undefined) throw invalidField("validation_required", "payment", "Field 'payment' can't be blank");
  if (payment.type === "card")
    throw invalidField("validation_inclusion", "payment/type", "Cards are not accepted by this account");
  if (payment.type === "airline_credit")
    throw invalidField("validation_inclusion", "payment/type", "Airline credits pay for orders only");
  if (payment.currency !== accountCurrency()) {
    throw invalidField(
      "payment_currency_does_not_match_order_currency",
      "payment/currency",
      `The order is priced in ${accountCurrency()}`,
    );
  }
  if (readAmount(payment, "payment") !== due.amountMicro) {
    throw invalidField(
      "payment_amount_does_not_match_order_amount",
      "payment/amount",
      `The amount to pay is ${formatMoney(due.amountMicro)}`,
    );
  }
  const id = await recordPayment(tx, {
    orderId: due.orderId,
    type: payment.type,
    amountMicro: due.amountMicro,
    creditId: undefined,
    paysFor: due.paysFor,
    nowMs: due.nowMs,
  });
  const { rows } = await tx.query<PaymentRow>("SELECT * FROM payments WHERE id = $1", [id]);
  for (const row of rows) await emit(tx, "air.payment.succeeded", renderPayment(row), due.nowMs);
  return id;
}
