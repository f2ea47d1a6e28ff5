import { z } from "zod";
import { checkSlice } from "../../../domain/travel/check-slice.ts";
import { NotApplied, SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { findTimeZones, TimeZones } from "../../../domain/travel/time-zones.ts";
import { defineTool } from "../context.ts";
import { Comparison, Picks } from "../offers/fares.ts";
import { OfferAnswer, toOfferAnswer } from "../offers/offer-answer.ts";
import { task as bestView } from "../searching/best-view.ts";
import { runSearch, searchErrors } from "../searching/run-search.ts";
import { SearchFlightsInput } from "../searching/search-input.ts";
import { findUnusedCredits, UnusedCredits } from "../searching/unused-credits.ts";

const OFFERS_RETURNED = 3;
const Given = z.looseObject({ origin: z.unknown(), destination: z.unknown(), departureDate: z.unknown() });

export const searchFlights = defineTool({
  name: "search_flights",
  title: "Search flights",
  summary: "Find the three best flight offers for a route and date, by price, duration, stops and cabin.",
  advice:
    "Codes, not names: LHR is an airport, LON all of London's. Each offer has its flights' other fares, with bags and what changes and refunds of the order cost: book any id. For adults; search_more_flights takes ages and shows the rest. picks: best, fastest, cheapest (also direct, changeable, refundable). Multi-city and open-jaw trips are separate bookings, which do not protect each other. Next: display_offer_conditions or list_flight_ancillaries, then book_flight.",
  area: "flights",
  effect: "read",
  price: 2_000n,
  payableWithoutKey: true,
  keyOnlyInputs: ["customerUserId", "airlineCreditIds", "linkSessionTraveler", "privateFares.*.*.account_number"],
  uses: ["flights", "flightServicing", "maps", "travelers", "stores", "clock", "random", "fx"],
  input: SearchFlightsInput,
  output: SupplierResult.extend({
    offers: z.array(OfferAnswer).readonly(),
    picks: Picks,
    considered: Comparison,
    searchId: z
      .string()
      .nullable()
      .describe("For search_more_flights, which shows the rest; null: called without a key"),
    timeZones: TimeZones,
    notApplied: NotApplied,
    unusedCredits: UnusedCredits,
  }),
  errors: searchErrors,
  // Business fares are changeable and refundable, which examples of other tools need.
  example: (today) => ({
    origin: "LHR",
    destination: "JFK",
    departureDate: today.add({ days: 60 }).toString(),
    cabinClass: "business" as const,
  }),
  gives: ({ offers: [best, ...others] }) => ({
    ...(best === undefined ? {} : { offerId: best.id }),
    holdableOfferId: others.find(({ paymentRequirements }) => !paymentRequirements.requiresInstantPayment)?.id,
  }),
  remember: ({ origin, destination, departureDate, returnDate = null, cabinClass, passengers }, { offers }) => ({
    kind: "search",
    text: `Flights from ${origin} to ${destination} on ${departureDate} were searched, and ${offers.length} offers shown.`,
    details: {
      origin,
      destination,
      departureDate,
      returnDate,
      cabinClass,
      passengers,
      offers: offers.map(({ id, totalAmount, totalCurrency }) => ({ id, totalAmount, totalCurrency })),
    },
  }),

  check(args, { maps, clock }) {
    const { origin, destination, departureDate: date } = Given.safeParse(args).data ?? {};
    const paths = { origin: "origin", destination: "destination", date: "departureDate" };
    return checkSlice({ origin, destination, date }, paths, { maps, clock });
  },

  async run(query, { flights, flightServicing, maps, travelers, stores, clock, random, fx, caller, call }) {
    const ports = { flights, travelers, stores, clock, random, fx };
    const { found, view, rates, searchId, credits } = await runSearch(
      query,
      ports,
      { caller, call },
      { digest: bestView, ask: { most: OFFERS_RETURNED } },
    );
    const { considered, picks, shown, flown } = view;
    const unused = await findUnusedCredits({ stores, flightServicing, travelers }, caller, {
      named: query.airlineCreditIds,
      offers: shown.map(({ offer }) => offer),
    });
    return {
      offers: shown.map(({ offer, fares }) => toOfferAnswer(offer, fares, rates, query.cabinClass, credits)),
      considered,
      picks,
      searchId,
      timeZones: findTimeZones(flown, maps),
      notApplied: found.notApplied,
      ...unused,
      ...found.provenance,
      sandbox: found.sandbox,
    };
  },
});
