import { z } from "zod";

export const Instant = z
  .string()
  .refine(isInstant, { message: "must be ISO 8601 with Z or an offset, such as 2027-03-28T09:30:00+02:00" })
  .describe("ISO 8601 with Z or an offset");

function isInstant(text: string): boolean {
  try {
    return Temporal.Instant.from(text).epochMilliseconds > 0;
  } catch {
    return false;
  }
}
