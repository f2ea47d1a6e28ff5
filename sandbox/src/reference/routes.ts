import { Hono } from "hono";
import { z } from "zod";
import { fromZod, notFound } from "../http/errors.ts";
import { pageOfMemory, readPage } from "../http/wire.ts";
import { distanceKm } from "../inventory/geography.ts";
import type { Env, Router } from "../sandbox.ts";
import { AIRPORTS_DATE, type AirportRecord, aircraft, airlines, airportByCode, airports } from "./data.ts";
import {
  airportId,
  isMetropolitan,
  renderAircraft,
  renderAirline,
  renderAirport,
  renderAirportPlace,
  renderCityPlace,
  renderProgramme,
} from "./render.ts";

const MOST_SUGGESTIONS = 20;
const DEFAULT_RADIUS_METRES = 100_000;

const SuggestionsQuery = z
  .object({
    query: z.string().trim().min(1).optional(),
    lat: z.coerce.number().min(-90).max(90).optional(),
    lng: z.coerce.number().min(-180).max(180).optional(),
    rad: z.coerce.number().positive().max(20_000_000).optional(),
  })
  .refine((query) => (query.lat === undefined) === (query.lng === undefined), {
    message: "lat and lng go together",
    path: ["lng"],
  })
  .refine((query) => query.query !== undefined || query.lat !== undefined, {
    message: "query, or lat and lng, is required",
    path: ["query"],
  });

function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Lower is better; undefined is no match. */
function matchRank(airport: AirportRecord, wanted: string): number | undefined {
  if (airport.iata.toLowerCase() === wanted) return 0;
  if (airport.cityCode.toLowerCase() === wanted) return 1;
  const names = [plain(airport.city), plain(airport.name)];
  if (names.some((name) => name.startsWith(wanted))) return 2 + airport.tier;
  if (names.some((name) => name.includes(` ${wanted}`))) return 6 + airport.tier;
  return undefined;
}

function near(query: z.infer<typeof SuggestionsQuery>) {
  const { lat, lng, rad } = query;
  if (lat === undefined || lng === undefined) return airports.map((airport) => ({ airport, km: 0 }));
  const limitKm = (rad ?? DEFAULT_RADIUS_METRES) / 1000;
  return airports
    .map((airport) => ({ airport, km: distanceKm({ lat, lon: lng }, airport) }))
    .filter((candidate) => candidate.km <= limitKm)
    .sort((a, b) => a.km - b.km);
}

function suggest(query: z.infer<typeof SuggestionsQuery>) {
  const wanted = query.query === undefined ? undefined : plain(query.query);
  let candidates = near(query);
  if (wanted !== undefined) {
    const ranked = candidates.flatMap((candidate) => {
      const rank = matchRank(candidate.airport, wanted);
      return rank === undefined ? [] : [{ ...candidate, rank }];
    });
    candidates = ranked.sort((a, b) => a.rank - b.rank || a.km - b.km || (a.airport.iata < b.airport.iata ? -1 : 1));
  }
  const places = [];
  const cities = new Set<string>();
  for (const { airport } of candidates) {
    if (places.length >= MOST_SUGGESTIONS) break;
    const city = airport.cityCode;
    const namesCity = wanted !== undefined && wanted !== airport.iata.toLowerCase();
    if (namesCity && isMetropolitan(city) && !cities.has(city)) {
      cities.add(city);
      const place = renderCityPlace(city);
      if (place !== null) places.push(place);
    }
    places.push(renderAirportPlace(airport));
  }
  return places;
}

export function referenceRoutes(): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.get("/air/airlines", (context) => context.json(pageOfMemory(airlines, readPage(context), renderAirline)));
  routes.get("/air/airports", (context) => {
    const country = context.req.query("iata_country_code");
    const listed = country === undefined ? airports : airports.filter((airport) => airport.country === country);
    return context.json(pageOfMemory(listed, readPage(context), renderAirport));
  });
  routes.get("/air/aircraft", (context) => context.json(pageOfMemory(aircraft, readPage(context), renderAircraft)));
  routes.get("/air/airlines/:id", (context) => {
    const found = airlines.map(renderAirline).find((airline) => airline.id === context.req.param("id"));
    if (found === undefined) throw notFound();
    return context.json({ data: found });
  });
  routes.get("/air/airports/:id", (context) => {
    const id = context.req.param("id");
    const found = airportByCode.get(id.slice(4, 7).toUpperCase());
    if (found === undefined || airportId(found) !== id) throw notFound();
    return context.json({ data: renderAirport(found) });
  });
  routes.get("/air/aircraft/:id", (context) => {
    const found = aircraft.map(renderAircraft).find((type) => type.id === context.req.param("id"));
    if (found === undefined) throw notFound();
    return context.json({ data: found });
  });
  const programmes = airlines.filter((airline) => airline.programme !== null).map(renderProgramme);
  routes.get("/air/loyalty_programmes", (context) =>
    context.json(pageOfMemory(programmes, readPage(context), (programme) => programme)),
  );
  routes.get("/air/loyalty_programmes/:id", (context) => {
    const found = programmes.find((programme) => programme.id === context.req.param("id"));
    if (found === undefined) throw notFound();
    return context.json({ data: found });
  });
  routes.get("/places/suggestions", (context) => {
    const query = SuggestionsQuery.safeParse(context.req.query());
    if (!query.success) throw fromZod(query.error);
    context.header("last-modified", new Date(AIRPORTS_DATE).toUTCString());
    return context.json({ data: suggest(query.data) });
  });
  return routes;
}
