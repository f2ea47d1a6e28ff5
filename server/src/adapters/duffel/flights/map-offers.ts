import { z } from "zod";
import type { FlightOffer } from "../../../ports/supplier/flights.ts";
import { Amount, Count, Currency, described, describedList, Instant, Text } from "../wire.ts";
import { toConditions, WireConditions } from "./map-conditions.ts";
import { WireSoldSlice } from "./map-slices.ts";

/** Maps the supplier's offers. Unknown fields are ignored; an offer without the fields needed to buy it is invalid. */

export const WireOwner = described(z.object({ iata_code: described(Text), name: described(z.string()) }));
export const WireOffer = z.object({
  id: Text,
  total_amount: Amount,
  total_currency: Currency,
  tax_amount: described(Amount),
  owner: WireOwner,
  slices: z.array(WireSoldSlice).min(1),
  conditions: WireConditions,
  payment_requirements: z.object({
    requires_instant_payment: z.boolean(),
    price_guarantee_expires_at: described(Instant),
    payment_required_by: described(Instant),
  }),
  passengers: z
    .array(z.object({ id: Text, type: described(z.string()), age: described(Count), fare_type: described(z.string()) }))
    .min(1),
  passenger_identity_documents_required: z.boolean().nullish(),
  supported_passenger_identity_document_types: describedList(z.string().regex(/^[a-z_]{1,40}$/)),
  private_fares: describedList(
    z.object({
      type: Text,
      corporate_code: described(z.string()),
      tour_code: described(z.string()),
      tracking_reference: described(z.string()),
    }),
  ),
  available_airline_credit_ids: describedList(Text),
  total_emissions_kg: described(z.string()),
  expires_at: Instant,
});
type WireOffer = z.infer<typeof WireOffer>;

export function toOwner(owner: z.infer<typeof WireOwner>): FlightOffer["owner"] {
  return { iataCode: owner?.iata_code ?? "", name: owner?.name ?? "" };
}

export function toOffer(offer: WireOffer): FlightOffer {
  const requirements = offer.payment_requirements;
  return {
    id: offer.id,
    totalAmount: offer.total_amount,
    totalCurrency: offer.total_currency,
    taxAmount: offer.tax_amount,
    owner: toOwner(offer.owner),
    slices: offer.slices,
    conditions: toConditions(offer.conditions),
    paymentRequirements: {
      requiresInstantPayment: requirements.requires_instant_payment,
      priceGuaranteeExpiresAt: requirements.price_guarantee_expires_at,
      paymentRequiredBy: requirements.payment_required_by,
    },
    passengers: offer.passengers.map((passenger) => ({
      id: passenger.id,
      type: passenger.type,
      ...(passenger.age === null ? {} : { age: passenger.age }),
      fareType: passenger.fare_type,
    })),
    identityDocumentsRequired: offer.passenger_identity_documents_required ?? false,
    identityDocumentTypes: offer.supported_passenger_identity_document_types,
    privateFares: offer.private_fares.map((fare) => ({
      type: fare.type,
      ...(fare.corporate_code ? { corporateCode: fare.corporate_code } : {}),
      ...(fare.tour_code ? { tourCode: fare.tour_code } : {}),
      ...(fare.tracking_reference ? { trackingReference: fare.tracking_reference } : {}),
    })),
    availableAirlineCreditIds: offer.available_airline_credit_ids,
    totalEmissionsKg: offer.total_emissions_kg,
    expiresAt: offer.expires_at,
  };
}
