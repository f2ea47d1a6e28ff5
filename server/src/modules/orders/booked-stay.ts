import { z } from "zod";

/** The answer of a stay's booking, valid until the stay is cancelled. */
export const BookedStay = z.object({
  orderId: z.string(),
  quoteId: z.string(),
  accommodationName: z.string(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  totalAmount: z.string(),
  totalCurrency: z.string(),
  cancellationPolicy: z.object({
    refundable: z.boolean(),
    timeline: z.array(z.object({ before: z.string(), refundAmount: z.string(), currency: z.string() })),
  }),
});
export type BookedStay = z.output<typeof BookedStay>;
