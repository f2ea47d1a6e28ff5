import { z } from "zod";
import { type Micro, parseDecimal } from "../../domain/money.ts";
import type { Booking } from "../bookings/index.ts";
import type { Aggregates } from "./context.ts";
import type { BoughtOrder, OrderRecord } from "./orders.ts";

/** The amount in the results of bookings and servicing actions. */
const Charged = z.object({ chargedUsdc: z.string().default("0") });
/** The amount in the order's refund events. Every refund has one, with what was really given back. */
const Refunded = z.object({ refundedUsdc: z.string().default("0") });

/** The amount that escrow paid for the order. */
const PaidByEscrow = z.object({ paidUsdc: z.string().default("0") });

/** The amount that the tenant has paid for the order, less refunds. `known` is the order, if the caller has just read it. */
export async function paidFor(
  { bookings, servicingActions, orders }: Pick<Aggregates, "bookings" | "servicingActions" | "orders">,
  { bookingId, environment, orderId }: Pick<OrderRecord, "bookingId" | "environment" | "orderId">,
  known?: Pick<BoughtOrder, "booking" | "events">,
): Promise<Micro> {
  const booking: Pick<Booking, "result" | "coverCharged"> | undefined =
    known?.booking ?? (await bookings.get(bookingId));
  const done = await servicingActions.listDone(environment, orderId);
  const events = known?.events ?? (await orders.events(environment, orderId));
  const refunds = events.filter(({ kind }) => kind === "refunded" || kind === "reimbursed");
  const charged = [booking?.result, ...done.map(({ result }) => result)].map((result) => Charged.parse(result ?? {}));
  const inEscrow = events
    .filter(({ kind }) => kind === "paid_by_escrow")
    .reduce((sum, { details }) => sum + parseMicro(PaidByEscrow.parse(details).paidUsdc), 0n);
  const before = inEscrow + (booking?.coverCharged ?? 0n);
  const paid = charged.reduce((sum, { chargedUsdc }) => sum + parseMicro(chargedUsdc), before);
  const left = refunds.reduce((sum, { details }) => sum - parseMicro(Refunded.parse(details).refundedUsdc), paid);
  return left > 0n ? left : 0n;
}

export const atMost = (amount: Micro, most: Micro): Micro => (amount < most ? amount : most);

const parseMicro = (amount: string): Micro => parseDecimal(amount) ?? 0n;
