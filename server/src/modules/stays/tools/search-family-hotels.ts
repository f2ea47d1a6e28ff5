import { z } from "zod";
import { defineTool } from "../context.ts";
import {
  checkFirstDay,
  checkStay,
  findHotels,
  HotelsFound,
  hotelErrors,
  MOST_AT_ONCE,
  rememberHotels,
  TOO_MANY,
  whereAndWhen,
} from "../hotel-search.ts";

const OLDEST_CHILD = 17;

export const searchFamilyHotels = defineTool({
  name: "search_family_hotels",
  title: "Search hotels with children",
  summary: "Find up to six hotels for adults and children of given ages.",
  advice: "Answers like search_hotels, with rates for these guests. Next: quote_stay with a rate's id.",
  area: "stays",
  effect: "read",
  price: 2_000n,
  payableWithoutKey: false,
  uses: ["stays", "maps", "stores", "clock", "random", "fx"],
  input: z
    .strictObject({
      ...whereAndWhen,
      adults: z.number().int().min(1).max(MOST_AT_ONCE, { error: TOO_MANY }),
      childAges: z
        .array(z.number().int().min(0).max(OLDEST_CHILD))
        .min(1)
        .max(MOST_AT_ONCE - 1, { error: TOO_MANY })
        .describe("In years at check-in"),
      rooms: z.number().int().min(1).max(MOST_AT_ONCE, { error: TOO_MANY }).default(1).describe("At most adults"),
    })
    .superRefine((query, context) => {
      checkStay(query, context);
      const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
      if (query.adults + query.childAges.length > MOST_AT_ONCE) issue("childAges", TOO_MANY);
      if (query.adults < query.rooms) issue("adults", `must be at least one for each room (${query.rooms})`);
    }),
  output: HotelsFound,
  errors: hotelErrors,
  example: (today) => ({
    location: "London",
    adults: 2,
    childAges: [6],
    checkInDate: today.add({ days: 60 }).toString(),
    checkOutDate: today.add({ days: 62 }).toString(),
  }),
  remember: (query, found) => rememberHotels(toHotelQuery(query), found),

  check: checkFirstDay,

  run: (query, { stays, maps, stores, clock, random, fx, caller, call }) =>
    findHotels(toHotelQuery(query), { stays, maps, stores, clock, random, fx }, { caller, call }),
});

function toHotelQuery<Query extends { adults: number; childAges: readonly number[] }>({ adults, ...query }: Query) {
  return { ...query, guests: adults + query.childAges.length };
}
