import { expect } from "vitest";
import { z } from "zod";
import { type Escrow, HexText } from "./escrow.ts";
import type { TestService } from "./service.ts";
import { requireResult } from "./treasury.ts";

const Found = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      totalAmount: z.string(),
      conditions: z.object({ refundBeforeDeparture: z.object({ allowed: z.boolean() }).nullable() }),
    }),
  ),
});
const Order = z.looseObject({ orderId: z.string(), itineraryHash: HexText, ticketOrderHash: HexText.nullable() });

async function refundableOffer(service: TestService) {
  for (let days = 40; days < 60; days += 1) {
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days }).toString();
    const route = { origin: "LHR", destination: "JFK", departureDate, cabinClass: "business" };
    const { offers } = Found.parse(requireResult(await service.call("search_flights", route)));
    const found = offers.find(({ conditions }) => conditions.refundBeforeDeparture?.allowed);
    if (found !== undefined) return found;
  }
  throw new Error("no offer gives anything back");
}

/** A flight whose tariff gives something back, paid from the trip's budget and settled. */
export async function settledFlight(service: TestService, escrow: Escrow) {
  const offer = await refundableOffer(service);
  const booked = Order.parse(requireResult(await service.call("book_flight", { offerId: offer.id })));
  const { orderId, itineraryHash } = booked;
  const read = async () => Order.parse(requireResult(await service.call("read_order", { orderId }))).ticketOrderHash;
  await expect.poll(read, { timeout: 30_000 }).toMatch(/^0x/);
  const price = offer.totalAmount;
  const bookingId = await escrow.reserve(await escrow.prefund("9000"), "8500");
  const vendorAddress = (await escrow.keys.wallet("sandbox", "collection")).address;
  const amounts = { vendorAmountUsdc: price, feeAmountUsdc: "7.5" };
  requireResult(await service.call("commit_booking", { bookingId, itineraryHash, vendorAddress, ...amounts }));
  requireResult(await service.call("confirm_flight", { bookingId, ticketOrderHash: await read() }));
  requireResult(await service.call("settle_booking", { bookingId }));
  return { bookingId, orderId, price };
}
