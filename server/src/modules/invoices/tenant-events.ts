import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";

const Invoice = z.object({
  invoiceNumber: z.string(),
  bookingId: z.string(),
  orderId: z.string().optional(),
  totalUsdc: z.string(),
});

const example = {
  invoiceNumber: "2030-000017",
  bookingId: `0x5c${"0".repeat(61)}1`,
  orderId: "ord_0000ABd6wggSct7BoraU1o",
  totalUsdc: "416.62",
};

export const invoiceEvents = [
  defineTenantEvent({ type: "invoice.issued", summary: "An invoice or a receipt was issued.", data: Invoice, example }),
  defineTenantEvent({
    type: "invoice.credited",
    summary: "A credit note was issued for a refund.",
    data: Invoice,
    example: { ...example, totalUsdc: "-120.00" },
  }),
];
