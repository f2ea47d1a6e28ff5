import { z } from "zod";
import { defineTool } from "../../../kernel/tool.ts";
import type { FlightSearch } from "../../../ports/flights.ts";
import {
  checkSlice,
  NotApplied,
  SupplierResult,
  saleRates,
  supplierErrors,
  TimeZones,
  timeZonesOf,
} from "../../bookings/index.ts";
import { findOwnCredit, findOwnCustomer } from "../../travelers/index.ts";
import { chooseOffers } from "../best-offers.ts";
import { explainNoOffers } from "../explain-no-offers.ts";
import { Comparison, compareOffers, Picks, pickedOffers } from "../fares.ts";
import { OfferAnswer, toOfferAnswer } from "../offer-answer.ts";
import { toPrivateFares } from "../private-fares.ts";
import { hasPrivateInputs, keepPrivate } from "../private-offers.ts";
import { recognizeTravelers } from "../recognize-travelers.ts";
import { SearchFlightsInput } from "../search-input.ts";
import { searchPassengers } from "../search-passengers.ts";
import { seeSearch } from "../see-offers.ts";

const OFFERS_RETURNED = 3;
const Given = z.looseObject({ origin: z.unknown(), destination: z.unknown(), departureDate: z.unknown() });

export const searchFlights = defineTool({
  name: "search_flights",
  title: "Search flights",
  summary: "Find the three best flight offers for a route and date, by price, duration, stops and cabin.",
  advice:
    "Codes, not names: LHR is an airport, LON all of London's. Each offer has the other fares of its flights, with bags (weight not told) and what changing or giving back costs for the whole order: book any id. Children are searched as adults. picks: the best; of all considered the fastest and the cheapest, also direct, to change or to give back. mixedCabins: not all of it is in the cabin asked for. Next: display_offer_conditions or list_flight_ancillaries, then book_flight.",
  area: "flights",
  effect: "read",
  price: 2_000n,
  payableWithoutKey: true,
  keyOnlyInputs: ["customerUserId", "airlineCreditIds", "linkSessionTraveler", "privateFares.*.*.account_number"],
  uses: ["flights", "maps", "travelers", "stores", "clock", "random", "fx"],
  input: SearchFlightsInput,
  output: SupplierResult.extend({
    offers: z.array(OfferAnswer).readonly(),
    picks: Picks,
    considered: Comparison,
    timeZones: TimeZones,
    notApplied: NotApplied,
  }),
  errors: {
    ...supplierErrors,
    no_offers: "The supplier has no flights for this route and date. Try nearby dates or airports.",
    customer_not_found: "You have no such customer user. ensure_flight_customer gives the id.",
    credit_not_found: "You have no such airline credit.",
    traveler_incomplete: "The traveler's profile lacks the listed fields; save_traveler sets them.",
  },
  // Business fares can be changed and given back, which examples of other tools do with it.
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
      ...{ origin, destination, departureDate, returnDate, cabinClass, passengers },
      offers: offers.map(({ id, totalAmount, totalCurrency }) => ({ id, totalAmount, totalCurrency })),
    },
  }),

  check(args, { maps, clock }) {
    const { origin, destination, departureDate: date } = Given.safeParse(args).data ?? {};
    const paths = { origin: "origin", destination: "destination", date: "departureDate" };
    return checkSlice({ origin, destination, date }, paths, { maps, clock });
  },

  async run(query, { flights, maps, travelers, stores, clock, random, fx, caller, call, fail }) {
    const origin = query.origin.toUpperCase();
    const destination = query.destination.toUpperCase();

    const travelerId = await chooseTraveler();
    const traveler =
      travelerId === undefined ? undefined : await travelers.get(caller.tenantId, travelerId, caller.environment);
    if (travelerId !== undefined) {
      const fields = (["givenName", "familyName"] as const).filter((field) => traveler?.[field] === undefined);
      if (fields.length > 0) {
        throw fail("traveler_incomplete", { extra: { travelers: [{ userId: travelerId, fields }] } });
      }
    }

    const airlineCreditIds: string[] = [];
    const creditsNotApplied = [];
    for (const value of new Set(query.airlineCreditIds)) {
      const credit = await findOwnCredit({ flights, travelers }, caller, value);
      if (credit === undefined) throw fail("credit_not_found", { extra: { airlineCreditId: value } });
      if (credit.usable) airlineCreditIds.push(value);
      else creditsNotApplied.push({ input: "airlineCreditIds", value, reason: "spent, expired or invalidated" });
    }

    call.progress("Asking the supplier for offers");
    const loyaltyAccounts = query.loyaltyProgrammeAccounts ?? [];
    const wanted: FlightSearch = {
      origin,
      destination,
      departureDate: query.departureDate,
      ...(query.returnDate === undefined ? {} : { returnDate: query.returnDate }),
      cabinClass: query.cabinClass,
      passengers: searchPassengers(
        {
          passengers: query.passengers,
          leisureFareTypes: query.leisureFareTypes ?? [],
          loyaltyAccounts,
        },
        await recognizeTravelers(travelers, caller, loyaltyAccounts, traveler),
      ),
      privateFares: toPrivateFares(query.privateFares ?? {}),
      airlineCreditIds,
    };
    const found = await flights.searchOffers(wanted, { signal: call.signal });
    call.progress(`Choosing among ${found.offers.length} offers`);
    const { cabinClass } = query;
    const chosen = chooseOffers(found.offers, OFFERS_RETURNED, cabinClass);
    if (chosen === undefined) {
      const { detail, emptiedBy } = await explainNoOffers(flights, wanted, { signal: call.signal });
      throw fail("no_offers", { detail, extra: { emptiedBy } });
    }
    const offers = chosen.shown;
    const comparison = compareOffers(chosen, found.offers, cabinClass);
    if (hasPrivateInputs(query)) await keepPrivate(stores.privateOffers, caller, found.offers, loyaltyAccounts);
    const currencies = found.offers.map(({ totalCurrency }) => totalCurrency);
    const rates = await saleRates({ fx, clock }, caller.environment, currencies);
    await seeSearch({ seenOffers: stores.seenOffers, clock, random }, caller, found.offers, rates);
    return {
      offers: offers.map((offer) => toOfferAnswer(offer, found.offers, rates, cabinClass)),
      ...comparison,
      timeZones: timeZonesOf(
        [...offers, ...pickedOffers(comparison.picks, found.offers)].flatMap(({ slices }) => slices),
        maps,
      ),
      notApplied: [...found.notApplied, ...creditsNotApplied],
      ...found.provenance,
      sandbox: found.sandbox,
    };

    async function chooseTraveler(): Promise<string | undefined> {
      if (query.customerUserId === undefined) return query.linkSessionTraveler ? caller.travelerId : undefined;
      const userId = await findOwnCustomer(travelers, caller, query.customerUserId);
      if (userId === undefined) {
        throw fail("customer_not_found", { extra: { customerUserId: query.customerUserId } });
      }
      return userId;
    }
  },
});
