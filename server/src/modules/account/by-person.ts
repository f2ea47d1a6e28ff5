import { z } from "zod";

/** Something that only a person can do. */
export const ByPerson = z.object({
  what: z.string(),
  how: z.string().describe("To be done by a person, not by you"),
  page: z.string().describe("The page that explains it"),
});
