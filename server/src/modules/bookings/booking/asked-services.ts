import { z } from "zod";
import { parseDecimal } from "../../../domain/money.ts";

/** A bag or a seat requested with a booking, at its price then. */
export const AskedService = z.object({
  /** The offer's id. */
  id: z.string(),
  /** The number of pieces. */
  quantity: z.number(),
  kind: z.enum(["bag", "seat"]),
  /** Per piece, in the currency of the booking. */
  eachAmount: z.string(),
  /** Set for a bag. */
  bag: z.object({ kind: z.string(), maximumWeightKilograms: z.number().nullable() }).nullable(),
  passengerIds: z.array(z.string()),
  /** Its flights by number, origin and local departure time, as an order uses other ids for them. */
  flights: z.array(z.string()),
});
export type AskedService = z.infer<typeof AskedService>;

/** A bag or a seat of an offer, as a tenant was shown it. */
export const SeenService = AskedService.omit({ quantity: true }).extend({ maximumQuantity: z.number() });
export type SeenService = z.infer<typeof SeenService>;

/** As stored; bookings of earlier releases have none. */
export const AskedServices = z
  .array(AskedService)
  .nullable()
  .transform((some) => some ?? []);

/** In micro-units of the booking's currency. */
export function priceOfServices(services: readonly Pick<AskedService, "eachAmount" | "quantity">[]): bigint {
  return services.reduce(
    (sum, { eachAmount, quantity }) => sum + (parseDecimal(eachAmount) ?? 0n) * BigInt(quantity),
    0n,
  );
}
