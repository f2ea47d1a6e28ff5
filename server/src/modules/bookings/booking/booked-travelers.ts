import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";

/** Who travels on a booking, as it was made. */
export const BookedTraveler = z.object({
  givenName: wordsOfOthers(),
  familyName: wordsOfOthers(),
  /** Undefined for a guest of a stay who is nobody's user. */
  userId: z.string().exactOptional(),
  customerUserId: z.string().exactOptional(),
  /** It is the one whose profile the trips of who booked use. */
  isCaller: z.boolean(),
});
export type BookedTraveler = z.infer<typeof BookedTraveler>;

/** As the column has them, which bookings of earlier versions left empty. */
export const BookedTravelers = z
  .array(BookedTraveler)
  .nullable()
  .transform((some) => some ?? []);
