import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { checkSlice } from "../../../domain/travel/check-slice.ts";
import { NotApplied, SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { findTimeZones, TimeZones } from "../../../domain/travel/time-zones.ts";
import { saleRates } from "../../bookings/index.ts";
import { defineTool } from "../context.ts";
import { Comparison } from "../offers/fares.ts";
import { readCursor, Wishes, writeCursor } from "../offers/narrow-offers.ts";
import { OfferAnswer, toOfferAnswer } from "../offers/offer-answer.ts";
import { task as pageView } from "../searching/page-view.ts";
import { runSearch, searchErrors } from "../searching/run-search.ts";
import { AgedSearch, toSearchQuery } from "../searching/search-input.ts";
import { seeMore } from "../searching/see-offers.ts";
import { task as storedPageView } from "../searching/stored-page-view.ts";

const OFFERS_RETURNED = 3;
const MOST_RETURNED = 10;
/** A stored search is packed to about a tenth. */
const BYTES_PER_PACKED = 10;
const Given = z.looseObject({ origin: z.unknown(), destination: z.unknown(), departureDate: z.unknown() });

export const searchMoreFlights = defineTool({
  name: "search_more_flights",
  title: "Search more flights",
  summary:
    "Search flights for passengers of given ages, or show more results of an earlier search, filtered and sorted.",
  advice:
    "Give the searchId of an earlier answer, or ages with origin, destination and departureDate. Every offer and fare shown fits all filters. Repeat them with nextCursor for the next page. book_flight then assigns travelers by age.",
  area: "flights",
  effect: "read",
  price: 2_000n,
  payableWithoutKey: false,
  uses: ["flights", "maps", "travelers", "stores", "threads", "clock", "random", "fx"],
  input: AgedSearch.extend({
    ...Wishes,
    limit: z.number().int().min(1).max(MOST_RETURNED).default(OFFERS_RETURNED),
    cursor: z.string().max(200).optional().describe("nextCursor; needs searchId"),
  }).superRefine((input, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const { searchId, cursor } = input;
    if (searchId === undefined) {
      const { issues, missing } = toSearchQuery(input);
      for (const path of missing) issue(path, "is required without searchId");
      for (const { path, message } of issues) context.addIssue({ code: "custom", path, message });
      if (cursor !== undefined) issue("cursor", "needs the searchId of the same answer");
      return;
    }
    for (const [path, value] of Object.entries(input)) {
      if (value === undefined || path === "searchId" || !Object.hasOwn(AgedSearch.shape, path)) continue;
      issue(path, "belongs to a new search: omit it, or omit searchId");
    }
  }),
  output: SupplierResult.extend({
    searchId: z.string(),
    offers: z.array(OfferAnswer).readonly(),
    matching: Comparison.describe("Number of results that match all filters"),
    considered: Comparison.describe("Number of results before filtering"),
    emptiedBy: z
      .array(z.string())
      .readonly()
      .describe("If nothing matches: filters that would yield results if any one of them were dropped"),
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

  async run(input, { flights, maps, travelers, stores, threads, clock, random, fx, caller, call, fail }) {
    const given = input.cursor === undefined ? 0 : readCursor(input.cursor, input.searchId ?? "", input);
    const page = { now: clock.now().toString(), wishes: input, offset: given ?? 0, limit: input.limit };
    const { searchId, found, view, rates, credits } = await (input.searchId === undefined
      ? search()
      : resume(input.searchId));
    if (view.live === 0) throw fail("search_expired");
    if (given === undefined) {
      const message = "must be nextCursor from an answer with the same searchId, filters and order";
      throw invalidInput([{ path: "cursor", message }]);
    }
    if (input.searchId !== undefined) await seeMore(stores.seenOffers, caller, searchId, view.seen, rates);
    return {
      searchId,
      offers: view.shown.map(({ offer, fares }) => toOfferAnswer(offer, fares, rates, found.cabinClass, credits)),
      matching: view.matching,
      emptiedBy: view.emptiedBy,
      considered: view.considered,
      nextCursor: view.next === undefined ? null : writeCursor(view.next, searchId, input),
      timeZones: findTimeZones(view.flown, maps),
      notApplied: found.notApplied,
      ...found.provenance,
      sandbox: found.sandbox,
    };

    async function search() {
      const { query } = toSearchQuery(input);
      if (query === undefined) throw new Error("a search without its arguments was let through");
      const done = await runSearch(
        query,
        { flights, travelers, stores, clock, random, fx },
        { caller, call },
        { digest: pageView, ask: { page } },
      );
      // Only a caller that pays without a key has none, and it may not call this.
      if (done.searchId === null) throw new Failure("search_expired");
      return { ...done, searchId: done.searchId };
    }

    async function resume(searchId: string) {
      const packed = await stores.foundSearches.find(caller, searchId);
      if (packed === undefined) throw fail("search_expired");
      const found = await threads.run(storedPageView, {
        input: { packed, page },
        owner: caller.tenantId,
        bytes: packed.byteLength * BYTES_PER_PACKED,
        signal: call.signal,
      });
      if (found === undefined) throw fail("search_expired");
      const rates = await saleRates({ fx, clock }, caller.environment, found.view.currencies);
      return { searchId, found, view: found.view, rates, credits: [] };
    }
  },
});
