import { z } from "zod";

/** The used fields of `GET /search` with `format=jsonv2` and `addressdetails=1`. */
const Found = z.object({
  lat: z.string(),
  lon: z.string(),
  display_name: z.string(),
  category: z.string().optional(),
  type: z.string().optional(),
  place_rank: z.number().optional(),
  address: z.object({ country_code: z.string().optional(), postcode: z.string().optional() }).optional(),
});
export type Found = z.infer<typeof Found>;

export const SearchAnswer = z.array(Found);
