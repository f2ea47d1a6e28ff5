import { z } from "zod";
import { DecimalAmount, wordsOfOthers } from "../../domain/schemas.ts";
import type { FlightOffer } from "../../ports/flights.ts";
import { Conditions, PaymentRequirements, SearchedSlice } from "../bookings/index.ts";
import { bagsOf, Fare, fareName, otherFares } from "./fares.ts";

/** An offer as a search answers it: what is empty for nearly every offer is left out where it is. */
export const OfferAnswer = z.object({
  id: z.string().describe("offerId of book_flight"),
  totalAmount: DecimalAmount,
  totalCurrency: z.string(),
  taxAmount: DecimalAmount.nullable(),
  owner: z.object({ iataCode: z.string(), name: wordsOfOthers() }),
  fareName: wordsOfOthers().nullable(),
  checkedBags: z.number(),
  carryOnBags: z.number(),
  slices: z.array(SearchedSlice).readonly(),
  conditions: Conditions,
  paymentRequirements: PaymentRequirements.pick({ requiresInstantPayment: true }),
  fares: z.array(Fare).readonly().describe("The other fares of the same flights, cheapest first"),
  passengers: z
    .array(z.object({ id: z.string(), type: z.string().nullable(), fareType: wordsOfOthers().optional() }))
    .readonly(),
  identityDocumentsRequired: z.boolean(),
  privateFares: z
    .array(
      z.object({
        type: z.string(),
        corporateCode: wordsOfOthers().optional(),
        tourCode: wordsOfOthers().optional(),
        trackingReference: wordsOfOthers().optional(),
      }),
    )
    .readonly()
    .optional(),
  availableAirlineCreditIds: z.array(z.string()).readonly().optional(),
  totalEmissionsKg: z.string().nullable(),
  expiresAt: z.string(),
});

/** With the other fares of its flights, which are among `offers`. */
export function toOfferAnswer(offer: FlightOffer, offers: readonly FlightOffer[]): z.input<typeof OfferAnswer> {
  const { privateFares, availableAirlineCreditIds, passengers, slices, ...facts } = offer;
  return {
    ...facts,
    slices: slices.map(({ segments, ...slice }) => ({
      ...slice,
      segments: segments.map(({ stops, ...segment }) =>
        stops.length === 0 ? segment : { ...segment, technicalStops: stops.map(({ airport }) => airport) },
      ),
    })),
    fareName: fareName(offer),
    checkedBags: bagsOf(offer, "checked"),
    carryOnBags: bagsOf(offer, "carry_on"),
    fares: otherFares(offer, offers),
    passengers: passengers.map(({ id, type, fareType }) => ({ id, type, ...(fareType === null ? {} : { fareType }) })),
    ...(privateFares.length === 0 ? {} : { privateFares }),
    ...(availableAirlineCreditIds.length === 0 ? {} : { availableAirlineCreditIds }),
  };
}
