import { encodeFunctionData } from "viem";
import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { StoredHash } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { EMPTY_PLAN, final, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import { PAID_BY_ESCROW } from "../../orders/index.ts";
import { keyOfRefund, transfer } from "../../treasury/index.ts";
import type { BookedTrip } from "../../trips/index.ts";
import type { Stores } from "../context.ts";
import { findCoveredBooking } from "../orders/covered-orders.ts";
import { sayReturn } from "../orders/order-warnings.ts";
import { payBackOrder, withoutReturn } from "../orders/pay-back-order.ts";
import { payouts } from "../records/trip-money.ts";
import { noteSettlement, settle, tellWaiting } from "./booking-end.ts";
import { emitted } from "./escrow-event.ts";
import { defineBookingStep, PAYMENT_GAS } from "./step.ts";

const fields = z.strictObject({ name: z.literal("settle"), bookingId: StoredHash });

/** Pays out a confirmed booking: vendor, fees, and the rest of the reservation back to the funder. */
export const settleStep = defineBookingStep({ fields, startsFrom: ["confirmed"] }, ({ bookingId }) => ({
  encode: (tripId) => encodeFunctionData({ abi, functionName: "settle", args: [tripId, bookingId] }),
  gas: 220_000n + 3n * PAYMENT_GAS,
  events: [emitted("BookingSettled", { bookingId })],
  refusals: { WrongState: "wrong_state" },

  async plan({ booking }, stores) {
    const { tenantId, environment, vendor, itineraryHash, markup, serviceFee } = booking;
    if (vendor === undefined) return EMPTY_PLAN;
    const readRemarks = async () => {
      const isCover = (await findCoveredBooking(stores, booking)) !== undefined;
      if (isCover || itineraryHash === undefined) return [];
      const order = await stores.orders.findByItinerary(tenantId, environment, itineraryHash);
      return await sayReturn(stores, booking, { vendor, order });
    };
    const { vendorPaid, refunded } = payouts(booking);
    return {
      movements: usdcMovements(
        [vendorPaid, "booking_reservation", vendor, "cost"],
        [markup, "booking_reservation", "treasury", "markup"],
        [refunded, "booking_reservation", "treasury", "rest"],
        [serviceFee, "booking_reservation", "collection", "service_fee"],
      ),
      boughtHash: itineraryHash,
      irreversible: [final("the booking is paid out")],
      readRemarks,
    };
  },
  apply: settle,
  note: noteSettlement,
  afterwards: payBackOrder,
  additions: async (stores, booked) => ({ ...tellWaiting(booked.booking), ...(await tellReturn(stores, booked)) }),
}));

/** The refund to the wallet for an order that it had paid, and the budget left for other bookings. */
async function tellReturn(
  { orders, chainTransactions }: Pick<Stores, "orders" | "chainTransactions">,
  { trip, booking }: BookedTrip,
): Promise<Record<string, unknown>> {
  const tripFreeUsdc = formatDecimal(trip.free);
  if (withoutReturn.has(booking)) return { tripFreeUsdc };
  const { tenantId, environment, chain, bookingId, itineraryHash } = booking;
  const order = itineraryHash && (await orders.findByItinerary(tenantId, environment, itineraryHash));
  const reference = `${PAID_BY_ESCROW}${order?.bookingId}:${bookingId}`;
  const back = order && (await chainTransactions.findByKey({ environment, chain }, keyOfRefund(reference)));
  const amount = transfer.read(back?.operation)?.amount;
  return {
    tripFreeUsdc,
    ...(order === undefined || back === undefined || amount === undefined
      ? {}
      : {
          walletReturn: {
            amountUsdc: formatDecimal(amount),
            orderId: order.orderId,
            transferId: back.id,
            txHash: back.hash ?? null,
          },
        }),
  };
}
