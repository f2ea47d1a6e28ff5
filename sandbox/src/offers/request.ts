import { z } from "zod";
import { CabinClass } from "../reference/data.ts";

const TimeWindow = z.object({ from: z.string().optional(), to: z.string().optional() });

const LoyaltyAccount = z.object({ airline_iata_code: z.string(), account_number: z.string() });

/** An offer request as it is stored: with the moment it was made, everything its offers follow from. */
export const OfferRequest = z.object({
  core: z.string(),
  createdAtMs: z.number(),
  cabinClass: CabinClass,
  maxConnections: z.number(),
  slices: z.array(
    z.object({
      origin: z.string(),
      destination: z.string(),
      departureDate: z.string(),
      departureTime: TimeWindow.nullable(),
      arrivalTime: TimeWindow.nullable(),
    }),
  ),
  passengers: z.array(
    z.object({
      id: z.string(),
      type: z.enum(["adult", "child", "infant_without_seat"]),
      age: z.number().nullable(),
      fareType: z.string().nullable(),
      givenName: z.string().nullable(),
      familyName: z.string().nullable(),
      loyaltyAccounts: z.array(LoyaltyAccount),
    }),
  ),
  privateFares: z.record(
    z.string(),
    z.object({
      corporate_code: z.string().optional(),
      tour_code: z.string().optional(),
      tracking_reference: z.string().optional(),
      account_number: z.string().optional(),
    }),
  ),
  credits: z.array(z.object({ id: z.string(), airline: z.string() })),
});
export type OfferRequest = z.infer<typeof OfferRequest>;
export type RequestPassenger = OfferRequest["passengers"][number];
