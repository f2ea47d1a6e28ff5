import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";

/** A traveler of a booking, as it was made. */
export const BookedTraveler = z.object({
  givenName: wordsOfOthers(),
  familyName: wordsOfOthers(),
  /** Undefined for a guest of a stay who is not a user. */
  userId: z.string().exactOptional(),
  customerUserId: z.string().exactOptional(),
  /** The traveler whose profile the caller's own trips use. */
  isCaller: z.boolean(),
});
export type BookedTraveler = z.infer<typeof BookedTraveler>;

/** As stored; bookings of earlier versions have none. */
export const BookedTravelers = z
  .array(BookedTraveler)
  .nullable()
  .transform((some) => some ?? []);
