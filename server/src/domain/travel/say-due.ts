import { z } from "zod";
import { DecimalAmount } from "../schemas.ts";

/** The part of a stay's price paid at the accommodation, such as a city tax. */
export const DueAtAccommodation = z
  .object({ amount: DecimalAmount, currency: z.string() })
  .nullable()
  .default(null)
  .describe("Paid on site by the guest, in addition to totalAmount; null: nothing, or the supplier does not say");

export function sayDue(due: z.output<typeof DueAtAccommodation>): string[] {
  if (due === null) return [];
  return [
    `The guest still has to pay ${due.amount} ${due.currency} at the accommodation: the price does not include it.`,
  ];
}
