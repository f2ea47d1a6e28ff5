import { z } from "zod";
import { invalidInput } from "../../../domain/errors.ts";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import type { Accommodation } from "../../../ports/supplier/stays.ts";
import { type SaleRates, saleRates } from "../../bookings/index.ts";
import { AccommodationAnswer, toAccommodationAnswer } from "../accommodation-answer.ts";
import { defineTool } from "../context.ts";
import { isWanted, narrowStays, readCursor, StayWishes, writeCursor } from "../narrow-stays.ts";
import { seeAccommodations } from "../see-stays.ts";

const STAYS_RETURNED = 6;
const MOST_RETURNED = 10;
/** So many places are asked for their rates at most, where some have none that is wanted. */
const MOST_READ = 24;

export const searchMoreStays = defineTool({
  name: "search_more_stays",
  title: "Search more stays",
  summary: "Show more results of an earlier hotel search, filtered and sorted.",
  advice:
    "Takes the searchId from search_hotels or search_family_hotels, for the same dates and guests. For the next page, send nextCursor with the same filters. Next: quote_stay with a rate's id.",
  area: "stays",
  effect: "read",
  price: 2_000n,
  payableWithoutKey: false,
  uses: ["stays", "stores", "clock", "fx"],
  input: z.strictObject({
    searchId: z.string().max(100),
    ...StayWishes,
    limit: z.number().int().min(1).max(MOST_RETURNED).default(STAYS_RETURNED),
    cursor: z.string().max(200).optional().describe("nextCursor"),
  }),
  output: SupplierResult.extend({
    accommodations: z.array(AccommodationAnswer).readonly(),
    matching: z.number().describe("Number of matching places; refundable is known only for those shown"),
    considered: z.number().describe("Number of places before filtering"),
    emptiedBy: z
      .array(z.string())
      .readonly()
      .describe("If nothing matches: filters that would yield results if any one of them were dropped"),
    nextCursor: z.string().nullable().describe("null: this is the last page"),
    searchedFor: z
      .object({
        location: wordsOfOthers(),
        checkInDate: z.string(),
        checkOutDate: z.string(),
        adults: z.number(),
        childAges: z.array(z.number()).readonly(),
        rooms: z.number(),
      })
      .describe("The guests and dates that the rates are for"),
  }),
  errors: {
    ...supplierErrors,
    search_expired: "You have no such search, or it is over half an hour old. Search again with search_hotels.",
  },
  example: (_today, { staySearchId }) => ({ searchId: staySearchId, order: "price" as const, minStars: 3 }),

  async run(input, { stays, stores, clock, fx, caller, call, fail }) {
    const { searchId, limit } = input;
    const search = await stores.foundStays.find(caller, searchId);
    if (search === undefined) throw fail("search_expired");
    const offset = input.cursor === undefined ? 0 : readCursor(input.cursor, searchId, input);
    if (offset === undefined) {
      const message = "must be nextCursor from an answer with the same searchId, filters and order";
      throw invalidInput([{ path: "cursor", message }]);
    }
    const { place: center, found, timeZone, checkInDate, checkOutDate, guests, childAges, rooms } = search;
    const currencies = found.flatMap(({ cheapest }) => (cheapest === null ? [] : [cheapest.totalCurrency]));
    const priced = await saleRates({ fx, clock }, caller.environment, currencies);
    const { matching, emptiedBy } = narrowStays(found, input, { center, rates: priced });
    const { shown, next, rates } = await read();
    const about = { place: center, timeZone: timeZone ?? undefined, checkInDate, checkOutDate, rooms };
    await seeAccommodations(stores.seenOffers, caller, about, shown, rates);
    const nights = Temporal.PlainDate.from(checkInDate).until(checkOutDate).days;
    return {
      accommodations: shown.map((one) =>
        toAccommodationAnswer(one, { center, nights, saleRates: rates, party: { guests, childAges, rooms } }),
      ),
      matching: matching.length,
      considered: found.length,
      emptiedBy,
      nextCursor: next < matching.length ? writeCursor(next, searchId, input) : null,
      searchedFor: {
        location: center.label,
        checkInDate,
        checkOutDate,
        adults: guests - childAges.length,
        childAges,
        rooms,
      },
      ...stays.provenance(),
      sandbox: stays.sandbox,
    };

    /** Every rate that is shown fits, so that the cheapest one does. */
    function keepWanted({ rates, ...place }: Accommodation, prices: SaleRates): Accommodation[] {
      const [cheapest, ...others] = rates.filter((rate) => isWanted(rate, input, prices));
      return cheapest === undefined ? [] : [{ ...place, rates: [cheapest, ...others] }];
    }

    /** Reads rates in order until the page is full; a place that sells none, or none that is wanted, makes room for the next. */
    async function read(): Promise<{ shown: Accommodation[]; next: number; rates: SaleRates }> {
      const shown: Accommodation[] = [];
      let next = offset ?? 0;
      let rates = priced;
      for (const last = next + MOST_READ; shown.length < limit && next < Math.min(last, matching.length); ) {
        const ids = matching.slice(next, next + limit - shown.length).map(({ searchResultId }) => searchResultId);
        next += ids.length;
        const options = { signal: call.signal, owner: caller.tenantId };
        const accommodations = await stays.readAccommodations(ids, ids.length, options);
        for (const one of accommodations) currencies.push(...one.rates.map(({ totalCurrency }) => totalCurrency));
        rates = await saleRates({ fx, clock }, caller.environment, currencies);
        for (const one of accommodations) shown.push(...keepWanted(one, rates));
      }
      return { shown, next, rates };
    }
  },
});
