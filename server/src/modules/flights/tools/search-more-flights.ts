import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { checkSlice } from "../../../domain/travel/check-slice.ts";
import { NotApplied, SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { findTimeZones, TimeZones } from "../../../domain/travel/time-zones.ts";
import { saleRates } from "../../bookings/index.ts";
import { defineTool } from "../context.ts";
import { Comparison, countOffers } from "../offers/fares.ts";
import { inOrder, narrow, readCursor, Wishes, writeCursor } from "../offers/narrow-offers.ts";
import { OfferAnswer, toOfferAnswer } from "../offers/offer-answer.ts";
import { runSearch, searchErrors } from "../searching/run-search.ts";
import { AgedSearch, toSearchQuery } from "../searching/search-input.ts";
import { seeMore } from "../searching/see-offers.ts";

const OFFERS_RETURNED = 3;
const MOST_RETURNED = 10;
const Given = z.looseObject({ origin: z.unknown(), destination: z.unknown(), departureDate: z.unknown() });

export const searchMoreFlights = defineTool({
  name: "search_more_flights",
  title: "Search more flights",
  summary:
    "Search flights for passengers of given ages, or show more of an earlier search: filtered, sorted, in pages.",
  advice:
    "Give either searchId of an earlier answer, without asking the supplier again, or ages with origin, destination and departureDate. Each offer shown, and each of its fares, fits all filters. With nextCursor and the same filters comes the next page. book_flight then takes the travelers by their ages.",
  area: "flights",
  effect: "read",
  price: 2_000n,
  payableWithoutKey: false,
  uses: ["flights", "maps", "travelers", "stores", "clock", "random", "fx"],
  input: AgedSearch.extend({
    ...Wishes,
    limit: z.number().int().min(1).max(MOST_RETURNED).default(OFFERS_RETURNED),
    cursor: z.string().max(200).optional().describe("nextCursor; needs searchId"),
  }).superRefine((input, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const { searchId, cursor } = input;
    if (searchId === undefined) {
      const { issues, missing } = toSearchQuery(input);
      for (const path of missing) issue(path, "is needed where searchId is not given");
      for (const { path, message } of issues) context.addIssue({ code: "custom", path, message });
      if (cursor !== undefined) issue("cursor", "needs the searchId of the same answer");
      return;
    }
    for (const [path, value] of Object.entries(input)) {
      if (value === undefined || path === "searchId" || !Object.hasOwn(AgedSearch.shape, path)) continue;
      issue(path, "belongs to a new search: leave it out, or leave searchId out");
    }
  }),
  output: SupplierResult.extend({
    searchId: z.string(),
    offers: z.array(OfferAnswer).readonly(),
    matching: Comparison.describe("What fits all filters"),
    considered: Comparison.describe("Before the filters"),
    emptiedBy: z
      .array(z.string())
      .readonly()
      .describe("Where nothing fits: filters without any one of which something would"),
    nextCursor: z.string().nullable().describe("null: this is the last page"),
    timeZones: TimeZones,
    notApplied: NotApplied,
  }),
  errors: {
    ...searchErrors,
    search_expired:
      "You have no such search, or its offers can no longer be booked. Search again with search_flights or with ages.",
  },
  example: (today) => ({
    origin: "LHR",
    destination: "JFK",
    departureDate: today.add({ days: 60 }).toString(),
    ages: [38, 6],
    directOnly: true,
    order: "price" as const,
  }),
  remember: ({ origin, destination, departureDate, ages }, { searchId, offers }) => ({
    kind: "search",
    text:
      origin === undefined || destination === undefined || departureDate === undefined
        ? `${offers.length} more offers of an earlier search were shown.`
        : `Flights from ${origin} to ${destination} on ${departureDate} were searched, and ${offers.length} offers shown.`,
    details: {
      searchId,
      passengers: ages?.length ?? null,
      offers: offers.map(({ id, totalAmount, totalCurrency }) => ({ id, totalAmount, totalCurrency })),
    },
  }),

  check(args, { maps, clock }) {
    const { origin, destination, departureDate: date } = Given.safeParse(args).data ?? {};
    const paths = { origin: "origin", destination: "destination", date: "departureDate" };
    return checkSlice({ origin, destination, date }, paths, { maps, clock });
  },

  async run(input, { flights, maps, travelers, stores, clock, random, fx, caller, call, fail }) {
    const { searchId, found, rates } = await (input.searchId === undefined ? search() : resume(input.searchId));
    const { cabinClass } = found;
    const now = clock.now();
    const live = found.offers.filter(
      ({ expiresAt }) => Temporal.Instant.compare(Temporal.Instant.from(expiresAt), now) > 0,
    );
    if (live.length === 0) throw fail("search_expired");
    const { matching, emptiedBy } = narrow(live, input, cabinClass);
    const all = inOrder(matching, input.order, cabinClass);
    const offset = input.cursor === undefined ? 0 : readCursor(input.cursor, searchId, input);
    if (offset === undefined) {
      const message = "must be nextCursor of the answer to the same searchId, filters and order";
      throw invalidInput([{ path: "cursor", message }]);
    }
    const page = all.slice(offset, offset + input.limit);
    const offers = page.map((offer) => toOfferAnswer(offer, matching, rates, cabinClass));
    const shown = new Set(offers.flatMap(({ id, fares }) => [id, ...fares.map((fare) => fare.id)]));
    if (input.searchId !== undefined) {
      const again = matching.filter(({ id }) => shown.has(id));
      await seeMore(stores.seenOffers, caller, searchId, again, rates);
    }
    const next = offset + page.length;
    return {
      searchId,
      offers,
      matching: countOffers(matching),
      emptiedBy,
      considered: { ...countOffers(live), offers: found.considered },
      nextCursor: next < all.length ? writeCursor(next, searchId, input) : null,
      timeZones: findTimeZones(
        page.flatMap(({ slices }) => slices),
        maps,
      ),
      notApplied: found.notApplied,
      ...found.provenance,
      sandbox: found.sandbox,
    };

    async function search() {
      const { query } = toSearchQuery(input);
      if (query === undefined) throw new Error("a search without its arguments was let through");
      const done = await runSearch(query, { flights, travelers, stores, clock, random, fx }, { caller, call });
      // Only a caller that pays without a key has none, and it may not call this.
      if (done.searchId === null) throw new Failure("search_expired");
      return { ...done, searchId: done.searchId };
    }

    async function resume(searchId: string) {
      const found = await stores.foundSearches.find(caller, searchId);
      if (found === undefined) throw fail("search_expired");
      const currencies = found.offers.map(({ totalCurrency }) => totalCurrency);
      return { searchId, found, rates: await saleRates({ fx, clock }, caller.environment, currencies) };
    }
  },
});
