// Refunds each payer: the balance's share to the balance, the rest as airline credit.
import { createCredit, creditName } from "../credits/rows.ts";
import { accountCurrency } from "../currencies.ts";
import { newId } from "../ids.ts";
import { formatMoney } from "../money.ts";
import type { Queryable } from "../storage/database.ts";
import type { PaymentRow } from "./payment-rows.ts";
import type { OrderRow } from "./rows.ts";

const CREDIT_LIFE_DAYS = 365;

/** The part of the order's price that the balance has paid and not got back. */
export async function paidByBalance(tx: Queryable, order: OrderRow): Promise<bigint> {
  const { rows } = await tx.query<PaymentRow>("SELECT * FROM payments WHERE order_id = $1 AND status = 'succeeded'", [
    order.id,
  ]);
  const paid = rows
    .filter((row) => row.type !== "airline_credit")
    .reduce((sum, row) => sum + BigInt(row.amount_micro), 0n);
  return paid - BigInt(order.refunded_micro);
}

export function splitRefund(
  order: OrderRow,
  refundableMicro: bigint,
  byBalanceMicro: bigint,
): { refundMicro: bigint; creditMicro: bigint } {
  if (order.details.refundsAsCredit) return { refundMicro: 0n, creditMicro: refundableMicro };
  const refundMicro = refundableMicro < byBalanceMicro ? refundableMicro : byBalanceMicro;
  return { refundMicro, creditMicro: refundableMicro - refundMicro };
}

/** A credit of one passenger as a quote promises it and a confirmation gives it. */
export type PromisedCredit = {
  id: string;
  credit_name: string;
  credit_code: string | null;
  credit_amount: string;
  credit_currency: string;
  issued_on: string | null;
  passenger_id: string | null;
};

/** In equal parts to the cent for those who have a seat; the first takes what is left over. */
export function promiseCredits(
  order: OrderRow,
  amountMicro: bigint,
): { credit: PromisedCredit; amountMicro: bigint }[] {
  if (amountMicro <= 0n) return [];
  const seated = order.details.passengers.filter((passenger) => passenger.type !== "infant_without_seat");
  const share = (amountMicro / BigInt(Math.max(1, seated.length)) / 10_000n) * 10_000n;
  return seated
    .map((passenger, index) => {
      const amount = index === 0 ? amountMicro - share * BigInt(seated.length - 1) : share;
      const credit = {
        id: newId("acd"),
        credit_name: creditName(order.details.owner.iata_code),
        credit_code: null,
        credit_amount: formatMoney(amount),
        credit_currency: accountCurrency(),
        issued_on: null,
        passenger_id: passenger.id,
      };
      return { credit, amountMicro: amount };
    })
    .filter((promised) => promised.amountMicro > 0n);
}

/** Issues what was promised. */
export async function giveCredits(
  tx: Queryable,
  order: OrderRow,
  promised: readonly { credit: PromisedCredit; amountMicro: bigint }[],
  nowMs: number,
): Promise<PromisedCredit[]> {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO("UTC").toPlainDate();
  const airline = order.details.owner.iata_code;
  const given: PromisedCredit[] = [];
  for (const { credit, amountMicro } of promised) {
    const passenger = order.details.passengers.find((candidate) => candidate.id === credit.passenger_id);
    const row = await createCredit(
      tx,
      {
        airline,
        amountMicro,
        code: `${airline}${order.booking_reference}${given.length === 0 ? "" : given.length + 1}`,
        type: "mco",
        issued_on: today.toString(),
        expires_on: today.add({ days: CREDIT_LIFE_DAYS }).toString(),
        given_name: typeof passenger?.given_name === "string" ? passenger.given_name : null,
        family_name: typeof passenger?.family_name === "string" ? passenger.family_name : null,
        user_id: passenger?.user_id ?? order.users[0] ?? null,
        order_id: order.id,
        passenger_id: credit.passenger_id,
      },
      nowMs,
      credit.id,
    );
    given.push({ ...credit, credit_code: row.code, issued_on: row.issued_on });
  }
  return given;
}
