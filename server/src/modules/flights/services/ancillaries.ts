import { z } from "zod";
import { type Booking, BookingResult } from "../../bookings/index.ts";
import { type AddedServices, isAddedLater } from "./add-bags.ts";

/** How the bags and seats of a booking were booked, and which of them. */
const Ancillaries = z.object({
  way: z
    .enum(["ordered_at_once", "added_after_payment"])
    .describe(
      "ordered_at_once: with the flights, in one order paid at once; added_after_payment: to a held order, after it was paid",
    ),
  services: z
    .array(
      z.object({
        id: z.string().describe("As passed in services"),
        quantity: z.number(),
        booked: z.boolean().describe("false: nothing was charged for it"),
        reason: z
          .enum(["not_available", "price_changed", "supplier_unavailable"])
          .nullable()
          .describe(
            "not_available: the airline does not add it to this order; price_changed: it now costs more; supplier_unavailable: no answer",
          ),
      }),
    )
    .readonly(),
});

/** The stored result of a booked flight; the answer adds the order's current state. */
export const FlightResult = BookingResult.extend({
  // Missing in answers of earlier releases.
  ancillaries: Ancillaries.nullable().default(null).describe("null: no bags or seats were requested"),
});

export function toAncillaries(booking: Booking, { added, reasons }: AddedServices): z.input<typeof Ancillaries> | null {
  const { askedServices } = booking;
  if (askedServices.length === 0) return null;
  return {
    way: isAddedLater(booking) ? "added_after_payment" : "ordered_at_once",
    services: askedServices.map(({ id, quantity }) => {
      const isBooked = added.has(id);
      return { id, quantity, booked: isBooked, reason: isBooked ? null : (reasons.get(id) ?? "not_available") };
    }),
  };
}

/** The next action for a model about services that the order lacks, in a sentence. */
export function sayMissing(
  ancillaries: z.output<typeof FlightResult>["ancillaries"],
  { pnr, status }: { pnr: string; status: string },
): string[] {
  const missing = ancillaries?.services.filter(({ booked }) => !booked) ?? [];
  if (missing.length === 0 || status === "cancelled") return [];
  return [
    `The flights are booked without ${missing.map(({ id }) => id).join(", ")}; ancillaries says why. Nothing was charged for that; the airline may sell it for pnr ${pnr}.`,
  ];
}
