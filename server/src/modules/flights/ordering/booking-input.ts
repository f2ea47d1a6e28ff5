import { z } from "zod";
import { rateErrors, supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { customerErrors } from "../../travelers/index.ts";
import { offerErrors } from "../offers/private-offers.ts";
import type { AskedFlight } from "./asked-flight.ts";

/** The inputs of the tools that book or hold an offer, and their failures before anything is ordered. */
export const BookFlightInput = z.strictObject({
  offerId: z.string().describe("off_… from search_flights"),
  services: z
    .array(
      z.strictObject({
        id: z.string().describe("From list_flight_ancillaries"),
        quantity: z.number().int().min(1).max(9).default(1),
      }),
    )
    .refine((services) => new Set(services.map(({ id }) => id)).size === services.length, {
      message: "must name each service once; quantity says how many",
    })
    .optional(),
  additionalCustomerUserIds: z
    .array(z.string())
    .optional()
    .describe("userId or icu_…; the caller also travels, unless these fill the offer"),
  airlineCreditId: z.string().optional().describe("acd_…; the wallet pays the rest"),
});

export function toAskedFlight(input: z.output<typeof BookFlightInput>): AskedFlight {
  const { offerId, services = [], additionalCustomerUserIds = [], airlineCreditId } = input;
  return { offerId, services, additionalCustomerUserIds, airlineCreditId };
}

export const bookErrors = {
  ...supplierErrors,
  already_booked:
    "The offer is already booked or held for other travelers, or with other services or another credit, or a traveler already has a ticket for this flight; orderId names that order. Nothing was done. Search again and book another offer, or repeat that call exactly to get its answer.",
  customer_in_progress: "Another call is creating a customer user for this traveler. Call again in a few seconds.",
  ...offerErrors,
  price_changed: "The price has changed. Nothing is owed; search again.",
  booking_rejected: "The supplier refused the booking. Nothing is owed; check the travelers or choose another offer.",
  hold_not_available: "The offer cannot be booked this way. Choose another offer.",
  service_not_available:
    "The offer does not have these services in these quantities. Nothing is owed; call list_flight_ancillaries again.",
  ...rateErrors,
  ...customerErrors,
  credit_not_found: "You have no such airline credit.",
  credit_not_applicable: "The airline credit cannot pay for this offer.",
  documents_not_supported:
    "The airline requires identity documents other than passports (see documentTypes), but only passports are supported. Nothing is owed; choose another offer.",
  passenger_type_mismatch:
    "The travelers' ages differ from those in the search. Nothing was booked; search_more_flights searches by age.",
  traveler_incomplete: "Travelers, or fields of their profiles, are missing. Use save_traveler to add them.",
} as const;
