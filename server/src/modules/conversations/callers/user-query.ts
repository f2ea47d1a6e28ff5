import { z } from "zod";

/** Whose conversations a route is about. */
export const UserQuery = {
  userId: z
    .string()
    .min(1)
    .max(128)
    .describe("The user of the tenant whose conversations these are; default: the key's own traveler")
    .exactOptional(),
};
