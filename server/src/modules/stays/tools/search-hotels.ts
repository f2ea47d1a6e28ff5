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

export const searchHotels = defineTool({
  name: "search_hotels",
  title: "Search hotels",
  summary: "Find up to six hotels at a place.",
  advice:
    "Each has up to four rates, including the cheapest and cheapest refundable. totalAmount is for the whole stay, all rooms and adults (children: search_family_hotels); fullRefundUntil is when free cancellation ends. picks names the nearest and cheapest; more says how to see others. Next: quote_stay with a rate's id.",
  area: "stays",
  effect: "read",
  price: 2_000n,
  payableWithoutKey: true,
  uses: ["stays", "maps", "stores", "clock", "random", "fx"],
  input: z
    .strictObject({
      ...whereAndWhen,
      guests: z.number().int().min(1).max(MOST_AT_ONCE, { error: TOO_MANY }).default(1),
      rooms: z.number().int().min(1).max(MOST_AT_ONCE, { error: TOO_MANY }).default(1).describe("At most guests"),
    })
    .superRefine((query, context) => {
      checkStay(query, context);
      const isInRange = query.guests >= 1 && query.rooms <= MOST_AT_ONCE;
      if (isInRange && query.guests < query.rooms) {
        const message = `must be at least one for each room (${query.rooms})`;
        context.addIssue({ code: "custom", path: ["guests"], message });
      }
    }),
  output: HotelsFound,
  errors: hotelErrors,
  example: (today) => ({
    location: "London",
    checkInDate: today.add({ days: 60 }).toString(),
    checkOutDate: today.add({ days: 62 }).toString(),
  }),

  gives: ({ searchId, accommodations: [first] }) => ({
    ...(searchId === null ? {} : { staySearchId: searchId }),
    ...(first === undefined ? {} : { accommodationId: first.id, rateId: first.cheapestRate.id }),
  }),
  remember: rememberHotels,

  check: checkFirstDay,

  run: (query, { stays, maps, stores, clock, random, fx, caller, call }) =>
    findHotels(query, { stays, maps, stores, clock, random, fx }, { caller, call }),
});
