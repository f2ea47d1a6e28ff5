import { z } from "zod";
import { parseDecimal } from "../../../domain/money.ts";

/** A bag or a seat that a booking was asked for, as it was priced then. */
export const AskedService = z.object({
  /** As the offer names it. */
  id: z.string(),
  /** How many pieces. */
  quantity: z.number(),
  kind: z.enum(["bag", "seat"]),
  /** Of one piece, in the currency of the booking. */
  eachAmount: z.string(),
  /** Of a bag. */
  bag: z.object({ kind: z.string(), maximumWeightKilograms: z.number().nullable() }).nullable(),
  passengerIds: z.array(z.string()),
  /** On which flights: number, origin and local time of departure, as an order has ids of its own for them. */
  flights: z.array(z.string()),
});
export type AskedService = z.infer<typeof AskedService>;

/** A bag or a seat of an offer as a tenant was shown it. */
export const SeenService = AskedService.omit({ quantity: true }).extend({ maximumQuantity: z.number() });
export type SeenService = z.infer<typeof SeenService>;

/** As the column has them, which bookings of earlier releases left empty. */
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
