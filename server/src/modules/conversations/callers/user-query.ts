import { z } from "zod";

/** Whose conversations a route is about. */
export const UserQuery = {
  userId: z
    .string()
    .min(1)
    .max(128)
    .describe("A user of the tenant whose conversations are meant; left out, the key's own traveler")
    .exactOptional(),
};
