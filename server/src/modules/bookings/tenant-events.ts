import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";

const Order = z.object({
  orderId: z.string().describe("For read_order"),
  bookingId: z.string(),
  kind: z.enum(["flight", "stay"]),
  offerId: z.string(),
  pnr: z.string().optional().describe("The airline's booking reference"),
  totalAmount: z.string(),
  totalCurrency: z.string(),
});

const example = {
  orderId: "ord_0000ABd6wggSct7BoraU1o",
  bookingId: "bkg_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  kind: "flight" as const,
  offerId: "off_0000A3tQSmKyqOrcySrGbo",
  pnr: "RZPNX8",
  totalAmount: "412.50",
  totalCurrency: "USD",
};

export const bookingEvents = [
  defineTenantEvent({
    type: "order.booked",
    summary: "A flight or a stay was booked.",
    data: Order.extend({ ticketing: z.enum(["pending", "ticketed"]).optional() }),
    example: { ...example, ticketing: "pending" },
  }),
  defineTenantEvent({
    type: "order.held",
    summary: "A flight was held without payment.",
    data: Order,
    example,
  }),
  defineTenantEvent({
    type: "booking.failed",
    summary: "A booking ended without an order and without payment.",
    data: Order.extend({ orderId: Order.shape.orderId.optional(), code: z.string().optional() }),
    example: { ...example, orderId: undefined, pnr: undefined, code: "offer_no_longer_available" },
  }),
];
