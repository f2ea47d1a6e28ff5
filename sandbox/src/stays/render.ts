import { toIso } from "../clock.ts";
import { formatIn } from "../currencies.ts";
import { chance } from "../hash.ts";
import { derivedId } from "../ids.ts";
import type { Hotel } from "./hotels.ts";
import { listRoomTypes, negotiatedFor, type Rate, renderRate } from "./rates.ts";
import { STAY_SEARCH_LIFE_MS, type StaySearch } from "./search.ts";

const AMENITIES = [
  { type: "wifi", description: "Wi-Fi", fromRating: 1 },
  { type: "parking", description: "Parking", fromRating: 2 },
  { type: "restaurant", description: "Restaurant", fromRating: 3 },
  { type: "gym", description: "Fitness room", fromRating: 3 },
  { type: "pool", description: "Swimming pool", fromRating: 4 },
  { type: "spa", description: "Spa", fromRating: 5 },
  { type: "accessibility_mobility", description: "Step-free access", fromRating: 1 },
] as const;
const PHOTOS = 4;

export function renderLocation(hotel: Hotel) {
  return {
    address: {
      line_one: hotel.street,
      city_name: hotel.city?.name ?? "Sandbox",
      region: null,
      postal_code: hotel.postalCode,
      country_code: hotel.country,
    },
    geographic_coordinates: { latitude: hotel.position.lat, longitude: hotel.position.lon },
  };
}

export function renderAccommodation(hotel: Hotel, baseUrl: string, rates: readonly Rate[], expiresAtMs: number) {
  const photos = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ url: `${baseUrl}/photos/${hotel.id}/${from + index}.svg` }));
  return {
    id: hotel.id,
    name: hotel.name,
    description: `An invented hotel of the supplier sandbox${hotel.city === undefined ? "" : ` in ${hotel.city.name}`}.`,
    location: renderLocation(hotel),
    rating: hotel.rating,
    ratings: [{ source: "sandbox", value: hotel.rating }],
    review_score: hotel.reviewScore,
    review_count: hotel.reviewCount,
    photos: photos(1, PHOTOS),
    amenities: AMENITIES.filter(
      (amenity) => hotel.rating >= amenity.fromRating && chance(hotel.id, amenity.type) < 0.85,
    ).map(({ type, description }) => ({ type, description })),
    check_in_information: { check_in_after_time: "15:00", check_out_before_time: "11:00" },
    key_collection: { instructions: "At the reception." },
    chain: hotel.chain === null ? null : { id: hotel.chain.id, name: hotel.chain.name },
    brand: hotel.chain === null ? null : hotel.chain.brand,
    phone_number: null,
    email: null,
    supported_loyalty_programme: hotel.chain?.loyaltyProgramme ?? null,
    rooms: listRoomTypes(hotel).map((room, index) => ({
      name: room.name,
      beds: room.beds,
      photos: photos(PHOTOS + 1 + index, 1),
      rates: rates.filter((rate) => rate.roomIndex === index).map((rate) => renderRate(rate, hotel, expiresAtMs)),
    })),
  };
}

export function renderGuests(search: StaySearch): ({ type: "adult" } | { type: "child"; age: number })[] {
  return search.guests.map(({ age }) => (age === null ? { type: "adult" } : { type: "child", age }));
}

export type StayResult = { readonly hotel: Hotel; readonly place: number; readonly rates: readonly [Rate, ...Rate[]] };

/** A search result; without `withRates` its rooms carry none yet, as the supplier's search answers. */
export function renderResult(result: StayResult, search: StaySearch, baseUrl: string, withRates: boolean) {
  const expiresAtMs = search.createdAtMs + STAY_SEARCH_LIFE_MS;
  const [first, ...others] = result.rates;
  const cheapest = others.reduce((best, rate) => (rate.totalMicro < best.totalMicro ? rate : best), first);
  return {
    id: derivedId("srr", search.core, result.place),
    check_in_date: search.checkIn,
    check_out_date: search.checkOut,
    rooms: search.rooms,
    guests: renderGuests(search),
    created_at: toIso(search.createdAtMs),
    expires_at: toIso(expiresAtMs),
    cheapest_rate_total_amount: formatIn(cheapest.currency, cheapest.totalMicro),
    cheapest_rate_currency: cheapest.currency,
    cheapest_rate_base_amount: formatIn(cheapest.currency, cheapest.totalMicro - cheapest.taxMicro),
    cheapest_rate_base_currency: cheapest.currency,
    cheapest_rate_public_amount: null,
    cheapest_rate_public_currency: null,
    cheapest_rate_due_at_accommodation_amount: formatIn(cheapest.currency, cheapest.dueAtHotelMicro),
    cheapest_rate_due_at_accommodation_currency: cheapest.currency,
    supported_negotiated_rates: negotiatedFor(result.hotel, search).map(({ id, displayName }) => ({
      id,
      display_name: displayName,
    })),
    accommodation: renderAccommodation(result.hotel, baseUrl, withRates ? result.rates : [], expiresAtMs),
  };
}
