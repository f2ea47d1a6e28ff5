import { z } from "zod";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { OrderedSlice } from "../../domain/travel/offer-schema.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import { type Booking, OrderHashes, pickNames } from "../bookings/index.ts";
import { flightsAndPrice } from "../orders/index.ts";
import type { Stores } from "./context.ts";

/** The order's state now, so that the caller need not read it. */
export const OrderNow = z.object({
  travelers: z
    .array(z.object({ givenName: wordsOfOthers(), familyName: wordsOfOthers() }))
    .readonly()
    .default([]),
  slices: z
    .array(OrderedSlice.extend({ id: z.string() }))
    .readonly()
    .default([]),
  ...OrderHashes.shape,
  next: z.string().default(""),
});
type OrderNow = z.output<typeof OrderNow>;

/** Reads the order back and stores its flights and price. `flightServicing`: undefined where the flights no longer matter. */
export async function describeOrderNow(
  {
    stores,
    flightServicing,
  }: { stores: Stores; flightServicing: Pick<FlightServicing, "getOrderDetails"> | undefined },
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
  orderId: string,
): Promise<
  Omit<OrderNow, "next"> & {
    newTotalAmount: string | null;
    newTotalCurrency: string | null;
    /** Undefined: not asked for, or the supplier does not answer now. */
    details: Awaited<ReturnType<FlightServicing["getOrderDetails"]>> | undefined;
    isCancelled: boolean;
    booking: Booking | undefined;
  }
> {
  const order = await stores.orders.find(tenantId, environment, orderId);
  const booking = order === undefined ? undefined : await stores.bookings.get(order.bookingId);
  // The action stands even if the supplier cannot be read now.
  const details = await flightServicing?.getOrderDetails(orderId).catch(() => undefined);
  if (order !== undefined && details !== undefined) {
    // If the order was read meanwhile, the stored state is equally new.
    await stores.orders.update(environment, orderId, flightsAndPrice(details), order.updatedAt);
  }
  return {
    details,
    booking,
    isCancelled: order?.status === "cancelled",
    travelers: pickNames(booking?.travelers ?? []),
    slices: [...(details?.slices ?? [])],
    newTotalAmount: details?.totalAmount ?? null,
    newTotalCurrency: details?.totalCurrency ?? null,
    itineraryHash: order?.itineraryHash ?? null,
    ticketOrderHash: order?.ticketOrderHash ?? null,
  };
}
