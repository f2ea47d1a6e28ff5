import type { z } from "zod";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Caller, CallInfo, Ports } from "../../kernel/tool.ts";
import type { Airport, Place } from "../../ports/maps.ts";
import { saleRates } from "../bookings/index.ts";
import { deepLinksOf } from "../maps/index.ts";
import {
  pickAccommodations,
  searchRadiusKilometers,
  searchWithOwnRates,
  seeAccommodations,
  toAccommodationAnswer,
} from "../stays/index.ts";
import { findWay, saidOfWays } from "./find-way.ts";
import { CANDIDATES, takeNearAirport } from "./near-airport.ts";
import { AVAILABLE, type HotelAnswer, type TransferAnswer, unavailable } from "./replan-parts.ts";

const STAYS_RETURNED = 3;
const LONGEST_LOCATION = 200;
const NO_HOTELS = { accommodations: [], picks: null };

export interface NightStay {
  location: string;
  checkInDate: string;
  checkOutDate: string;
  guests: number;
}

interface Asker {
  caller: Caller;
  call: CallInfo;
}

export interface StayPlace {
  /** Undefined: nobody knows it. */
  place: Place | undefined;
  /** What else the name could mean. */
  others: readonly string[];
}

/** Of several places of the name one near the airports of the leg. */
export async function findStayPlace(
  location: string,
  airports: readonly (Airport | undefined)[],
  { maps }: Pick<Ports, "maps">,
  { call }: Asker,
): Promise<StayPlace> {
  const text = toVisibleText(location, LONGEST_LOCATION);
  const { candidates } = await maps.findPlaces(text, { limit: CANDIDATES, signal: call.signal });
  const { taken: place, others } = takeNearAirport(
    candidates,
    airports.filter((airport) => airport !== undefined),
  );
  return { place, others };
}

export async function findHotels(
  { place, others }: StayPlace,
  { checkInDate, checkOutDate, guests }: NightStay,
  { stays, stores, fx, clock }: Pick<Ports, "stays" | "stores" | "fx" | "clock">,
  { caller, call }: Asker,
): Promise<z.input<typeof HotelAnswer>> {
  const dates = { checkInDate, checkOutDate, otherCandidates: [...others] };
  if (place === undefined) {
    return { ...unavailable("stayLocation is not known: give the city."), takenAs: null, ...dates, ...NO_HOTELS };
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
    const reason = "The supplier has no rooms there for these dates.";
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
  const shown = accommodations
    .slice(0, STAYS_RETURNED)
    .map((accommodation) => toAccommodationAnswer(accommodation, { center: place, nights, saleRates: rates }));
  return { ...AVAILABLE, takenAs, ...dates, accommodations: shown, picks: pickAccommodations(shown, place) };
}

/** The hotel that is named first, where it is known where that is; else the place that was asked for. */
export function placeOfNight({ place }: StayPlace, hotel: z.input<typeof HotelAnswer> | null): Place | undefined {
  const [first] = hotel?.accommodations ?? [];
  if (place === undefined || first === undefined || first.latitude === null || first.longitude === null) return place;
  return { ...place, latitude: first.latitude, longitude: first.longitude };
}

/** To the first of the airports that is near, from where the night is spent; or from it to the stay at the destination. */
export async function findTransfer(
  place: Place | undefined,
  { airports, isArrival }: { airports: readonly (Airport | undefined)[]; isArrival: boolean },
  mode: "driving" | "transit",
  ports: Pick<Ports, "ways">,
  { call }: Pick<Asker, "call">,
): Promise<z.input<typeof TransferAnswer>> {
  const nothing = { airport: null, minutes: null, roadKilometers: null, links: null };
  const nobody = { isEstimate: true, source: "distance", attribution: [], notes: [] };
  if (place === undefined) return { ...unavailable("The place of the stay is not known."), ...nothing, ...nobody };
  for (const airport of airports) {
    if (airport === undefined) continue;
    const [from, to] = isArrival ? [airport, place] : [place, airport];
    const known = await findWay([from, to], mode, ports, call.signal);
    const { way, routedBy } = known;
    if (way === undefined) continue;
    return {
      ...{ ...AVAILABLE, airport: airport.iataCode, roadKilometers: way.roadKilometers },
      ...{ isEstimate: routedBy === undefined, source: routedBy?.source ?? "distance", ...saidOfWays([known]) },
      minutes: { fewest: way.fewestMinutes, likely: way.minutes, most: way.mostMinutes },
      links: deepLinksOf([from, to], mode),
    };
  }
  return { ...unavailable("The stay is over 300 km from both airports of the leg."), ...nothing, ...nobody };
}
