import { z } from "zod";
import { distanceMeters } from "../../domain/distance.ts";
import { Failure, type Issue, invalidInput } from "../../domain/errors.ts";
import { IsoDate, isCalendarDate, ProviderProvenance, wordsOfOthers } from "../../domain/schemas.ts";
import { isBefore, isEarlier, todayAt } from "../../domain/travel/dates.ts";
import { SupplierResult } from "../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../domain/travel/supplier-errors.ts";
import type { Caller, CallInfo } from "../../kernel/contracts/tool.ts";
import type { TripNote } from "../../kernel/contracts/trip-note.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Maps, Position } from "../../ports/maps.ts";
import type { CallOptions } from "../../ports/supplier/flights.ts";
import type { StaySearch } from "../../ports/supplier/stays.ts";
import { saleRates } from "../bookings/index.ts";
import { resolveText, sayTakenAs } from "../places/index.ts";
import {
  AccommodationAnswer,
  AccommodationPicks,
  pickAccommodations,
  toAccommodationAnswer,
} from "./accommodation-answer.ts";
import type { Ports } from "./context.ts";
import { explainNoStays } from "./explain-no-stays.ts";
import { keepSearch } from "./found-stays.ts";
import { searchWithOwnRates } from "./negotiated-rates.ts";
import { countSleeping, sayParty } from "./say-guests.ts";
import { searchRadii } from "./search-radius.ts";
import { seeAccommodations } from "./see-stays.ts";

const ACCOMMODATIONS_RETURNED = 6;
const LONGEST_LOCATION = 200;
/** The number of same-named places considered and listed. */
const CANDIDATES = 10;
const MOST_OTHERS = 5;
/** Places farther apart than this are different ones. */
const SAME_PLACE_METERS = 50_000;
/** A namesake of less than one part in so many of the inhabitants is not meant without its country or region. */
const NAMESAKE_SHARE = 10;
export const MOST_AT_ONCE = 9;
export const TOO_MANY = "must be at most 9: search and book for two or more groups";

const ORDER =
  "Best first: review score (0 to 10) minus three points for each multiple of the median price. Hotels without beds for all guests come last. Distance does not count: see distanceMeters and picks.nearest. picks.cheapestRefundable considers only those shown";

const Given = z.looseObject({
  location: z.string().optional().catch(undefined),
  checkInDate: z.string().refine(isCalendarDate).optional().catch(undefined),
});

/** The time zone of an airport or city code; other names are resolved later. */
function findTimeZone(location: string, maps: Pick<Maps, "airport">): string | undefined {
  const text = location.trim();
  return /^[a-z]{3}$/i.test(text) ? maps.airport(text.toUpperCase())?.timeZone : undefined;
}

type Sized = Position & { population?: number | undefined };

/** Whoever says "London" does not mean the one in Ohio. */
function couldBeMeant(other: Sized, best: Sized): boolean {
  if (distanceMeters(other, best) <= SAME_PLACE_METERS) return false;
  const { population: most } = best;
  return most === undefined || other.population === undefined || other.population * NAMESAKE_SHARE >= most;
}

/** The best match for a text. Coordinates are kept; there are no hotels at sea. */
async function findPlace(text: string, maps: Maps, signal: AbortSignal) {
  const { candidates, nearMatches, provenance } = await resolveText(maps, text, { limit: CANDIDATES, signal });
  const [best] = candidates;
  const countryCode = best?.countryCode ?? null;
  const place = best === undefined || countryCode === null ? undefined : { ...best, countryCode };
  const others = best === undefined ? [] : candidates.filter((one) => couldBeMeant(one, best));
  const isOne = best?.precision === "point" || best?.precision === "airport";
  const otherPlaces = isOne ? [] : [...new Set(others.map(({ label }) => label))];
  return { place, otherPlaces: otherPlaces.slice(0, MOST_OTHERS), nearMatches, provenance };
}

/** The time zone where a day begins first: an earlier date is past everywhere. */
const FIRST_TIME_ZONE = "+14:00";

/** Checks the day at a place whose time zone was not known from its name alone. */
function checkDay(day: string, place: Position, { maps, clock }: { maps: Maps; clock: Clock }): Issue | undefined {
  if (!isBefore(day, todayAt(FIRST_TIME_ZONE, clock))) return undefined;
  const today = todayAt(maps.timeZonesAt(place)[0], clock);
  return isBefore(day, today) ? pastDay(today) : undefined;
}

const pastDay = (today: Temporal.PlainDate): Issue => ({
  path: "checkInDate",
  message: `must not be before today, ${today.toString()}`,
});

/** How to see the results that are not shown. */
function sayMore(notShown: number, searchId: string | null): string | null {
  if (notShown <= 0) return null;
  const those = notShown === 1 ? "1 more is" : `${notShown} more are`;
  if (searchId !== null) {
    return `${those} not shown, neither the nearest nor the cheapest: search_more_stays with this searchId shows them, filtered and sorted.`;
  }
  return `${those} not shown, neither the nearest nor the cheapest: search with a neighborhood, a sight or coordinates as location to see those around it; from coordinates, move a few hundred meters, because the nearest hotel to them is always shown.`;
}

export const whereAndWhen = {
  location: z.string().describe("City, neighborhood, sight, airport code or 51.5, -0.12"),
  checkInDate: IsoDate,
  checkOutDate: IsoDate,
};

/** The rules for place and dates. */
export function checkStay(
  query: { location: string; checkInDate: string; checkOutDate: string },
  context: { addIssue(issue: { code: "custom"; path: string[]; message: string }): unknown },
): void {
  const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (query.location.trim() === "") issue("location", "must not be empty");
  if (query.location.length > LONGEST_LOCATION) {
    issue("location", `must not be longer than ${LONGEST_LOCATION} characters`);
  }
  if (query.checkOutDate === query.checkInDate || isEarlier(query.checkOutDate, query.checkInDate)) {
    issue("checkOutDate", "must be after the check-in date");
  }
}

export const HotelsFound = SupplierResult.extend({
  searchId: z.string().nullable().describe("For search_more_stays; null: nothing is kept for a call without a key"),
  accommodations: z.array(AccommodationAnswer).readonly(),
  order: z.string(),
  picks: AccommodationPicks.describe("Accommodation ids; cheapest and nearest of all that were considered"),
  searchedFor: z
    .object({ adults: z.number(), childAges: z.array(z.number()).readonly(), rooms: z.number() })
    .describe("Whom the rates are for"),
  considered: z.number().describe("Number of places that the supplier has there"),
  more: z.string().nullable().describe("How to see the results that are not shown; null: there are none"),
  location: z.object({
    label: wordsOfOthers(),
    latitude: z.number(),
    longitude: z.number(),
    countryCode: z.string(),
    timeZone: z.string().describe("For the local time of fullRefundUntil, which is in UTC"),
    precision: z.string(),
    radiusKilometers: z.number().describe("Search radius; larger if there is nothing nearby"),
    unknownPart: z
      .string()
      .nullable()
      .describe("The unknown part of the location; the hotels are then those of the larger place, such as the city"),
    otherPlaces: z.array(wordsOfOthers()).readonly().describe("Other meanings of the location"),
    note: z.string().nullable().describe("What to settle before booking; null: nothing"),
    provenance: ProviderProvenance,
  }),
});

export const hotelErrors = {
  ...supplierErrors,
  location_not_found:
    "No place has this name; nearMatches lists similar ones. Give a district together with its city; a city, an airport code or coordinates on land always work.",
  no_accommodations:
    "The supplier has no matching rooms there; emptiedBy names the arguments that exclude all rooms. Try other dates or a larger area.",
} as const;

/** Checks the day at the place, for arguments that are not validated yet. */
export function checkFirstDay(args: unknown, { maps, clock }: Pick<Ports, "maps" | "clock">): Issue[] {
  const { location, checkInDate } = Given.safeParse(args).data ?? {};
  const today = todayAt(findTimeZone(location ?? "", maps), clock);
  if (checkInDate === undefined || !isBefore(checkInDate, today)) return [];
  return [pastDay(today)];
}

interface HotelQuery {
  location: string;
  checkInDate: string;
  checkOutDate: string;
  /** Including children. */
  guests: number;
  /** The ages of the children. */
  childAges?: readonly number[];
  rooms: number;
}

/** The entry of a search in the record of its trip. */
export function rememberHotels(
  { location, checkInDate, checkOutDate, guests, rooms }: HotelQuery,
  { accommodations }: z.output<typeof HotelsFound>,
): TripNote {
  return {
    kind: "search",
    text: `Hotels at ${location} from ${checkInDate} to ${checkOutDate} were searched, and ${accommodations.length} shown.`,
    details: {
      location,
      checkInDate,
      checkOutDate,
      guests,
      rooms,
      offers: accommodations.map(({ id, cheapestRate: { id: rateId, totalAmount, totalCurrency } }) => ({
        accommodationId: id,
        rateId,
        totalAmount,
        totalCurrency,
      })),
    },
  };
}

/** The larger place may be far from the wanted one. */
function sayUnknownPart({ label, unknownPart }: { label: string; unknownPart: string | null }): string[] {
  if (unknownPart === null) return [];
  return [
    `${unknownPart} was not found, so these hotels and distances are those of ${label}, which may be far from it. Search with coordinates or another nearby place before you book.`,
  ];
}

/** Throws Failure with the codes of `hotelErrors`. */
export async function findHotels(
  query: HotelQuery,
  { stays, maps, stores, clock, fx, random }: Pick<Ports, "stays" | "maps" | "stores" | "clock" | "fx" | "random">,
  { caller, call }: { caller: Caller; call: CallInfo },
): Promise<z.input<typeof HotelsFound>> {
  const text = query.location.trim();
  call.progress("Looking up the place");
  const { place, otherPlaces, nearMatches, provenance } = await findPlace(text, maps, call.signal);
  if (place === undefined) {
    throw new Failure("location_not_found", { detail: hotelErrors.location_not_found, extra: { nearMatches } });
  }
  const past = checkDay(query.checkInDate, place, { maps, clock });
  if (past !== undefined) throw invalidInput([past]);
  const timeZone = findTimeZone(text, maps) ?? maps.timeZonesAt(place)[0];
  const nights = Temporal.PlainDate.from(query.checkInDate).until(query.checkOutDate).days;
  call.progress(`Requesting rooms near ${place.label} from the supplier`);
  const { checkInDate, checkOutDate, guests, childAges = [], rooms } = query;
  const { latitude, longitude } = place;
  const { accommodations, found, wanted } = await searchAround(
    { stays, negotiatedRates: stores.negotiatedRates },
    caller,
    {
      query: { latitude, longitude, checkInDate, checkOutDate, guests, childAges, rooms },
      precision: place.precision,
    },
    ACCOMMODATIONS_RETURNED,
    { signal: call.signal, owner: caller.tenantId },
  );
  if (accommodations.length === 0) {
    const { detail, emptiedBy } = await explainNoStays(stays, wanted, { signal: call.signal, owner: caller.tenantId });
    throw new Failure("no_accommodations", { detail, extra: { emptiedBy } });
  }
  const currencies = accommodations.flatMap(({ rates }) => rates.map(({ totalCurrency }) => totalCurrency));
  const rates = await saleRates({ fx, clock }, caller.environment, currencies);
  const search = { place, timeZone, checkInDate, checkOutDate, guests, childAges, rooms };
  await seeAccommodations(stores.seenOffers, caller, search, accommodations, rates);
  const searchId = await keepSearch({ stores, clock, random }, caller, search, found);
  const party = { guests, childAges, rooms };
  const answers = accommodations
    .slice(0, ACCOMMODATIONS_RETURNED)
    .map((accommodation) => toAccommodationAnswer(accommodation, { center: place, nights, saleRates: rates, party }));
  // Each has either only rates that may fit, or only rates that do not.
  const [fitting = [], tooSmall = []] = [true, false].map((fits) =>
    answers.filter(({ rates: [rate] }) => countSleeping(rate?.beds ?? [], party).mayFit === fits),
  );
  const shown = [...fitting, ...tooSmall];
  const notes = [
    ...sayUnknownPart(place),
    ...[sayTakenAs(text, place.label, otherPlaces) ?? []].flat(),
    ...sayParty(party, fitting.length > 0),
    ...(rooms > 1
      ? [
          `Every amount is for all ${rooms} rooms, perNightAmount too: divide it by ${rooms} for a price per room. beds are those of one room; sleeps counts all rooms.`,
        ]
      : []),
  ];
  return {
    searchId,
    accommodations: shown,
    picks: pickAccommodations(fitting.length > 0 ? fitting : shown, place),
    order: ORDER,
    searchedFor: { adults: guests - childAges.length, childAges, rooms },
    considered: found.length,
    more: sayMore(found.length - shown.length, searchId),
    location: {
      ...place,
      timeZone: timeZone ?? maps.timeZonesAt(place)[0] ?? "Etc/UTC",
      radiusKilometers: wanted.radiusKilometers,
      otherPlaces,
      note: notes.length === 0 ? null : notes.join(" "),
      provenance,
    },
    ...stays.provenance(),
    sandbox: stays.sandbox,
  };
}

interface Around {
  query: Omit<StaySearch, "radiusKilometers" | "negotiatedRateIds">;
  precision: Parameters<typeof searchRadii>[0];
}

/** Searches around a place; if nothing is near, with the radius of a city. */
async function searchAround(
  ports: Parameters<typeof searchWithOwnRates>[0],
  caller: Parameters<typeof searchWithOwnRates>[1],
  { query, precision }: Around,
  limit: number,
  options: CallOptions,
) {
  const search = async (radiusKilometers: number) => {
    const wanted = { ...query, radiusKilometers };
    return { wanted, ...(await searchWithOwnRates(ports, caller, wanted, limit, options)) };
  };
  const [near, wider] = searchRadii(precision);
  const found = await search(near);
  return found.accommodations.length > 0 || wider === undefined ? found : await search(wider);
}
