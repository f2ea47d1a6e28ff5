import { z } from "zod";
import type { Issue } from "../../../domain/errors.ts";
import { IsoDate, isCalendarDate, ProviderProvenance, wordsOfOthers } from "../../../domain/schemas.ts";
import { defineTool } from "../../../kernel/tool.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Maps, Position } from "../../../ports/maps.ts";
import { isBefore, isEarlier, SupplierResult, saleRates, supplierErrors, todayAt } from "../../bookings/index.ts";
import { resolveText } from "../../places/index.ts";
import {
  AccommodationAnswer,
  AccommodationPicks,
  pickAccommodations,
  toAccommodationAnswer,
} from "../accommodation-answer.ts";
import { explainNoStays } from "../explain-no-stays.ts";
import { searchAround } from "../search-around.ts";
import { seeAccommodations } from "../see-stays.ts";

const ACCOMMODATIONS_RETURNED = 6;
const LONGEST_LOCATION = 200;
const MOST_AT_ONCE = 9;
const TOO_MANY = "must be at most 9: search and book for two or more groups";

const ORDER =
  "best first: review score (0 to 10) less three points for each time the median price. How near a place is does not count in it: distanceMeters and picks.nearest say that. picks.cheapestRefundable is of those shown";

const Given = z.looseObject({
  location: z.string().optional().catch(undefined),
  checkInDate: z.string().refine(isCalendarDate).optional().catch(undefined),
});

/** Of an airport or a city by its code; what another name means is found out later. */
function timeZoneOf(location: string, maps: Pick<Maps, "airport">): string | undefined {
  const text = location.trim();
  return /^[a-z]{3}$/i.test(text) ? maps.airport(text.toUpperCase())?.timeZone : undefined;
}

/** The best of what a text names; coordinates stay where they are, and at sea there is no hotel. */
async function findPlace(text: string, maps: Maps, signal: AbortSignal) {
  const { candidates, nearMatches, provenance } = await resolveText(maps, text, { limit: 1, signal });
  const [best] = candidates;
  const countryCode = best?.countryCode ?? null;
  const place = best === undefined || countryCode === null ? undefined : { ...best, countryCode };
  return { place, nearMatches, provenance };
}

/** Where the day begins first: a date before today there may be over at some place. */
const FIRST_TIME_ZONE = "+14:00";

/** What is wrong with a day at a place whose name alone did not say what day it is there. */
function checkDay(day: string, place: Position, { maps, clock }: { maps: Maps; clock: Clock }): Issue | undefined {
  if (!isBefore(day, todayAt(FIRST_TIME_ZONE, clock))) return undefined;
  const today = todayAt(maps.timeZonesAt(place)[0], clock);
  return isBefore(day, today) ? pastDay(today) : undefined;
}

const pastDay = (today: Temporal.PlainDate): Issue => ({
  path: "checkInDate",
  message: `must not be before today, ${today.toString()}`,
});

/** How to see what is not among those that are shown. */
function sayMore(notShown: number): string | null {
  if (notShown <= 0) return null;
  const those = notShown === 1 ? "1 more is" : `${notShown} more are`;
  return `${those} not shown, neither the nearest nor the cheapest: search with a neighborhood, a sight or coordinates as location to see those around it; from coordinates go some hundred meters on, as the nearest to them is always shown.`;
}

export const searchHotels = defineTool({
  name: "search_hotels",
  title: "Search hotels",
  summary: "Find up to six hotels at a place.",
  advice:
    "Each has up to four rates, the cheapest and the cheapest refundable among them: totalAmount is for the whole stay, all rooms and all guests as adults, fullRefundUntil when giving back stops being free. picks says which is nearest or cheapest, more how to see others. Next: quote_stay with a rate's id.",
  area: "stays",
  effect: "read",
  price: 2_000n,
  payableWithoutKey: true,
  uses: ["stays", "maps", "stores", "clock", "fx"],
  input: z
    .strictObject({
      location: z.string().describe("City, neighborhood, sight, airport code or 51.5, -0.12"),
      checkInDate: IsoDate,
      checkOutDate: IsoDate,
      guests: z.number().int().min(1).max(MOST_AT_ONCE, { error: TOO_MANY }).default(1),
      rooms: z.number().int().min(1).max(MOST_AT_ONCE, { error: TOO_MANY }).default(1).describe("At most guests"),
    })
    .superRefine((query, context) => {
      const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
      if (query.location.trim() === "") issue("location", "must not be empty");
      if (query.location.length > LONGEST_LOCATION) {
        issue("location", `must not be longer than ${LONGEST_LOCATION} characters`);
      }
      const isInRange = query.guests >= 1 && query.rooms <= MOST_AT_ONCE;
      if (isInRange && query.guests < query.rooms)
        issue("guests", `must be at least one for each room (${query.rooms})`);
      if (query.checkOutDate === query.checkInDate || isEarlier(query.checkOutDate, query.checkInDate)) {
        issue("checkOutDate", "must be after the check-in date");
      }
    }),
  output: SupplierResult.extend({
    accommodations: z.array(AccommodationAnswer).readonly(),
    order: z.string(),
    picks: AccommodationPicks.describe("Ids of accommodations; cheapest and nearest of all that were considered"),
    searchedFor: z
      .object({ adults: z.number(), childAges: z.array(z.number()).readonly(), rooms: z.number() })
      .describe("Whom the rates are for. Every guest counts as an adult here; book_stay tells the hotel of children"),
    considered: z.number().describe("So many places the supplier has there"),
    more: z.string().nullable().describe("How to see those that are not shown; null: there are none"),
    location: z.object({
      label: wordsOfOthers(),
      latitude: z.number(),
      longitude: z.number(),
      countryCode: z.string(),
      precision: z.string(),
      radiusKilometers: z.number().describe("How far around it was searched: farther where there is nothing nearer"),
      unknownPart: z
        .string()
        .nullable()
        .describe("What of the location is not known: the hotels are those of the wider place then, such as the city"),
      provenance: ProviderProvenance,
    }),
  }),
  errors: {
    ...supplierErrors,
    location_not_found:
      "No place has this name; nearMatches lists similar ones. Write a district with its city; a city, an airport code or coordinates on land always work.",
    no_accommodations:
      "The supplier has no rooms there that fit everything; emptiedBy names the arguments without which it has. Try other dates or a larger place.",
  },
  example: (today) => ({
    location: "London",
    checkInDate: today.add({ days: 60 }).toString(),
    checkOutDate: today.add({ days: 62 }).toString(),
  }),

  gives: ({ accommodations: [first] }) =>
    first === undefined ? {} : { accommodationId: first.id, rateId: first.cheapestRate.id },
  remember: ({ location, checkInDate, checkOutDate, guests, rooms }, { accommodations }) => ({
    kind: "search",
    text: `Hotels at ${location} from ${checkInDate} to ${checkOutDate} were searched, and ${accommodations.length} shown.`,
    details: {
      ...{ location, checkInDate, checkOutDate, guests, rooms },
      offers: accommodations.map(({ id, cheapestRate: { id: rateId, totalAmount, totalCurrency } }) => ({
        ...{ accommodationId: id, rateId, totalAmount, totalCurrency },
      })),
    },
  }),

  check(args, { maps, clock }) {
    const { location, checkInDate } = Given.safeParse(args).data ?? {};
    const today = todayAt(timeZoneOf(location ?? "", maps), clock);
    if (checkInDate === undefined || !isBefore(checkInDate, today)) return [];
    return [pastDay(today)];
  },

  async run(query, { stays, maps, stores, clock, fx, caller, call, fail, invalid }) {
    const text = query.location.trim();
    call.progress("Looking the place up");
    const { place, nearMatches, provenance } = await findPlace(text, maps, call.signal);
    if (place === undefined) throw fail("location_not_found", { extra: { nearMatches } });
    const past = checkDay(query.checkInDate, place, { maps, clock });
    if (past !== undefined) throw invalid(past);
    const timeZone = timeZoneOf(text, maps);
    const nights = Temporal.PlainDate.from(query.checkInDate).until(query.checkOutDate).days;
    call.progress(`Asking the supplier for rooms near ${place.label}`);
    const { checkInDate, checkOutDate, guests, rooms } = query;
    const { latitude, longitude } = place;
    const { accommodations, considered, wanted } = await searchAround(
      { stays, negotiatedRates: stores.negotiatedRates },
      caller,
      { query: { latitude, longitude, checkInDate, checkOutDate, guests, rooms }, precision: place.precision },
      ACCOMMODATIONS_RETURNED,
      { signal: call.signal },
    );
    if (accommodations.length === 0) {
      const { detail, emptiedBy } = await explainNoStays(stays, wanted, { signal: call.signal });
      throw fail("no_accommodations", { detail, extra: { emptiedBy } });
    }
    const currencies = accommodations.flatMap(({ rates }) => rates.map(({ totalCurrency }) => totalCurrency));
    const rates = await saleRates({ fx, clock }, caller.environment, currencies);
    await seeAccommodations(stores.seenOffers, caller, { ...query, place, timeZone }, accommodations, rates);
    const shown = accommodations
      .slice(0, ACCOMMODATIONS_RETURNED)
      .map((accommodation) => toAccommodationAnswer(accommodation, { center: place, nights, saleRates: rates }));
    return {
      accommodations: shown,
      picks: pickAccommodations(shown, place),
      order: ORDER,
      searchedFor: { adults: guests, childAges: [], rooms },
      considered,
      more: sayMore(considered - shown.length),
      location: { ...place, radiusKilometers: wanted.radiusKilometers, provenance },
      ...stays.provenance(),
      sandbox: stays.sandbox,
    };
  },
});
