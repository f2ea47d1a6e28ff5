import type { z } from "zod";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Caller, CallInfo } from "../../kernel/contracts/tool.ts";
import type { Airport, Place, Position } from "../../ports/maps.ts";
import { saleRates } from "../bookings/index.ts";
import { CANDIDATES, takeNearAirport } from "../maps/index.ts";
import { resolveText } from "../places/index.ts";
import {
  pickAccommodations,
  searchRadiusKilometers,
  searchWithOwnRates,
  seeAccommodations,
  toAccommodationAnswer,
} from "../stays/index.ts";
import type { Ports } from "./context.ts";
import { AVAILABLE, type HotelAnswer, unavailable } from "./replan-parts.ts";

const STAYS_RETURNED = 3;
const LONGEST_LOCATION = 200;
export const NO_HOTELS = { accommodations: [], picks: null, next: null };

export interface NightStay {
  checkInDate: string;
  checkOutDate: string;
  guests: number;
}

interface Asker {
  caller: Caller;
  call: CallInfo;
}

export interface StayPlace {
  /** Undefined if it is unknown, or at sea. */
  place: (Omit<Place, "precision"> & { precision: Place["precision"] | "point" }) | undefined;
  /** Other meanings of the name. */
  others: readonly string[];
}

/** Takes the place of that name near the airports of the leg; coordinates stay as they are. */
export async function findStayPlace(
  location: string,
  airports: readonly (Airport | undefined)[],
  { maps }: Pick<Ports, "maps">,
  { call }: Asker,
): Promise<StayPlace> {
  const text = toVisibleText(location, LONGEST_LOCATION);
  const { candidates } = await resolveText(maps, text, { limit: CANDIDATES, signal: call.signal });
  const isPoint = candidates[0]?.precision === "point";
  const known = airports.filter((airport) => airport !== undefined);
  const { taken, isNear, others } = takeNearAirport(isPoint ? candidates.slice(0, 1) : candidates, known);
  // A name with no place near the leg means another place.
  if (taken !== undefined && !isPoint && !isNear && known.length > 0) {
    return { place: undefined, others: [taken.label, ...others] };
  }
  const countryCode = taken?.countryCode ?? null;
  return { place: taken === undefined || countryCode === null ? undefined : { ...taken, countryCode }, others };
}

export async function findHotels(
  { place, others }: StayPlace,
  { checkInDate, checkOutDate, guests }: NightStay,
  { stays, stores, fx, clock }: Pick<Ports, "stays" | "stores" | "fx" | "clock">,
  { caller, call }: Asker,
): Promise<z.input<typeof HotelAnswer>> {
  const dates = { checkInDate, checkOutDate, otherCandidates: [...others] };
  if (place === undefined) {
    return {
      ...unavailable(
        "stayLocation is not known near the airports of the leg: give the city, or coordinates such as 51.5, -0.12.",
      ),
      takenAs: null,
      ...dates,
      ...NO_HOTELS,
    };
  }
  const { latitude, longitude, precision, label: takenAs } = place;
  const radiusKilometers = searchRadiusKilometers[precision];
  const { accommodations } = await searchWithOwnRates(
    { stays, negotiatedRates: stores.negotiatedRates },
    caller,
    { latitude, longitude, radiusKilometers, checkInDate, checkOutDate, guests, rooms: 1 },
    STAYS_RETURNED,
    { signal: call.signal },
  );
  if (accommodations.length === 0) {
    const reason = "The supplier has no rooms there on these dates.";
    return { ...unavailable(reason), takenAs, ...dates, ...NO_HOTELS };
  }
  const currencies = accommodations.flatMap(({ rates }) => rates.map(({ totalCurrency }) => totalCurrency));
  const rates = await saleRates({ fx, clock }, caller.environment, currencies);
  await seeAccommodations(
    stores.seenOffers,
    caller,
    { checkInDate, checkOutDate, place, timeZone: undefined, rooms: 1 },
    accommodations,
    rates,
  );
  const nights = Temporal.PlainDate.from(checkInDate).until(checkOutDate).days;
  const ranked = accommodations.slice(0, STAYS_RETURNED).map((accommodation) =>
    toAccommodationAnswer(accommodation, {
      center: place,
      nights,
      saleRates: rates,
      party: { guests, rooms: 1 },
    }),
  );
  const picks = pickAccommodations(ranked, place);
  // Somebody who is stranded late takes the nearest bed rather than the best hotel.
  const distance = ({ distanceMeters }: (typeof ranked)[number]) => distanceMeters ?? Number.POSITIVE_INFINITY;
  const shown = ranked.toSorted((one, other) => distance(one) - distance(other));
  const near = shown.find(({ id }) => id === (picks.nearest ?? picks.best)) ?? shown[0];
  const next = near === undefined ? null : { tool: "quote_stay", args: { rateId: near.cheapestRate.id } };
  return { ...AVAILABLE, takenAs, ...dates, accommodations: shown, picks, next };
}

/** The first hotel's position if known, else the requested place. */
export function placeOfNight(
  place: Position | undefined,
  hotel: z.input<typeof HotelAnswer> | null,
): Position | undefined {
  const [first] = hotel?.accommodations ?? [];
  if (first === undefined || first.latitude === null || first.longitude === null) return place;
  return { latitude: first.latitude, longitude: first.longitude };
}

export function placeOfAirport(airport: Airport | undefined): StayPlace {
  if (airport === undefined) return { place: undefined, others: [] };
  const { name, iataCode, countryCode, latitude, longitude } = airport;
  const label = `${name} (${iataCode})`;
  return { place: { latitude, longitude, label, countryCode, precision: "airport", unknownPart: null }, others: [] };
}
