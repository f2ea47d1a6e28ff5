import { encodeFunctionData } from "viem";
import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { StoredAddress, StoredHash, StoredInteger } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { PlanReads } from "../../../kernel/call/plan-reads.ts";
import { final, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import type { OrderRecord } from "../../orders/index.ts";
import { escrowFailure, overReservation } from "../errors.ts";
import { requireSameOrder } from "../orders/covered-orders.ts";
import { sayReturn, warnOfExpiry, warnOfPaidOrder } from "../orders/order-warnings.ts";
import { rememberOrder } from "../orders/remember-order.ts";
import { isExpired } from "../records/trip-state.ts";
import { emitted } from "./escrow-event.ts";
import { defineBookingStep } from "./step.ts";

const fields = z.strictObject({
  name: z.literal("commit"),
  bookingId: StoredHash,
  vendor: StoredAddress,
  vendorAmount: StoredInteger,
  /** The funder's own earnings: paid to it at the settlement. */
  markup: StoredInteger,
  serviceFee: StoredInteger,
  itineraryHash: StoredHash,
});

/** By the planned booking. The call warns by them and decides nothing. */
export const plannedOrders = new PlanReads<OrderRecord | undefined>();

/** Fixes amounts and payee. The settlement moves the money, and until then the booking can be cancelled. */
export const commitStep = defineBookingStep({ fields, startsFrom: ["reserved"] }, ({ name: _name, ...terms }) => {
  const { bookingId, vendor, vendorAmount, markup, serviceFee, itineraryHash } = terms;
  return {
    encode(tripId) {
      const args = [tripId, bookingId, vendor, vendorAmount, markup, serviceFee, itineraryHash] as const;
      return encodeFunctionData({ abi, functionName: "commit", args });
    },
    gas: 120_000n,
    events: [emitted("BookingCommitted", terms)],
    refusals: { TripExpired: "trip_expired", ExceedsReservation: "exceeds_reservation", WrongState: "wrong_state" },

    require({ booking: { reserved }, trip, clock }) {
      if (trip !== undefined && isExpired(trip, clock)) throw escrowFailure("trip_expired");
      const total = vendorAmount + markup + serviceFee;
      if (total > reserved) throw overReservation(total, reserved);
    },
    coverRules: { require: (order, collection) => requireSameOrder(order, collection, terms) },

    async plan({ booking, trip, covered }, stores) {
      const isCover = covered !== undefined;
      const bought = {
        vendor,
        order: await plannedOrders.read(booking, itineraryHash, () =>
          stores.orders.findByItinerary(booking.tenantId, booking.environment, itineraryHash),
        ),
      };
      const cost = usdcMovements([vendorAmount, "booking_reservation", vendor, "cost"]).map((movement) => ({
        ...movement,
        ...(isCover ? { isCounted: true as const } : {}),
      }));
      const later = usdcMovements(
        [markup, "booking_reservation", "treasury", "markup"],
        [serviceFee, "booking_reservation", "collection", "service_fee"],
      );
      const returned = isCover ? [] : await sayReturn(stores, booking, bought);
      return {
        movements: [...cost, ...later].map((movement) => ({ ...movement, isLater: true })),
        boughtHash: itineraryHash,
        tripId: booking.tripId,
        irreversible: (await warnOfPaidOrder(stores, booking, bought)).map(final),
        remarks: [...returned, ...warnOfExpiry(trip, bought.order)],
      };
    },
    apply: () => ({ booking: { state: "committed", vendor, vendorAmount, markup, serviceFee, itineraryHash } }),
    note(booking) {
      const vendorAmountUsdc = formatDecimal(booking.vendorAmount);
      const text = `${vendorAmountUsdc} USDC were committed to a booking's vendor.`;
      return { text, details: { vendorAmountUsdc } };
    },
    remembers: (aggregates, booking) => rememberOrder(aggregates, booking, itineraryHash),
  };
});
