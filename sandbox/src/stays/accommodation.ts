// Hotels by themselves: one, those around a place, what guests said, and names to choose from.
import { Hono } from "hono";
import { z } from "zod";
import { toIso } from "../clock.ts";
import { chance, pickWhole } from "../hash.ts";
import { fromZod, notFound } from "../http/errors.ts";
import { pageOfMemory, readData, readPage } from "../http/wire.ts";
import { newRequestCore } from "../ids.ts";
import type { Position } from "../inventory/geography.ts";
import { cities } from "../reference/data.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { StayFinder } from "./finder.ts";
import { findHotel, type Hotel, hotelsAround, TEST_PLACE } from "./hotels.ts";
import { renderAccommodation, renderLocation } from "./render.ts";
import { STAY_SEARCH_LIFE_MS, StaySearchBody, toStaySearch } from "./search.ts";

const Coordinates = { latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) };
const Radius = z.number().positive().max(100).default(5);
const ListQuery = z.object({
  latitude: z.coerce.number().pipe(Coordinates.latitude),
  longitude: z.coerce.number().pipe(Coordinates.longitude),
  radius: z.coerce.number().pipe(Radius.unwrap()).default(5),
});
const SuggestionsBody = z.object({
  query: z.string().trim().min(3).max(200),
  location: z.object({ radius: Radius, geographic_coordinates: z.object(Coordinates) }).nullish(),
});

const MOST_SUGGESTIONS = 20;
const MOST_CITIES = 3;
const CITY_RADIUS_KM = 10;
const MOST_REVIEWS = 8;
const REVIEWS = [
  "Quiet rooms and a good bed.",
  "Close to the station, and easy to find late in the evening.",
  "Breakfast was plain but fresh.",
  "The lift was slow; the staff were not.",
] as const;

function splitWords(text: string): string[] {
  const plain = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** Every word that was typed begins a word of the hotel's name or town. */
function fits(hotel: Hotel, typed: readonly string[]): boolean {
  const known = splitWords(`${hotel.name} ${hotel.city?.name ?? ""}`);
  return typed.every((word) => known.some((candidate) => candidate.startsWith(word)));
}

/** Without a place to look at, the towns that the query names, largest first, and the place of the test hotels. */
function placesNamed(typed: readonly string[]): readonly Position[] {
  const named = cities
    .filter((city) => splitWords(city.name).every((word) => typed.some((begun) => word.startsWith(begun))))
    .sort((a, b) => b.population - a.population);
  return [TEST_PLACE, ...named.slice(0, MOST_CITIES)];
}

function buildReviews(hotel: Hotel, nowMs: number) {
  const day = 86_400_000;
  const today = Math.floor(nowMs / day) * day;
  return Array.from({ length: Math.min(MOST_REVIEWS, hotel.reviewCount) }, (_, index) => ({
    reviewer_name: `Guest ${index + 1} (Sandbox)`,
    score:
      Math.round(Math.min(10, Math.max(1, hotel.reviewScore - 1 + chance(hotel.id, "review", index) * 2)) * 10) / 10,
    text: REVIEWS[pickWhole(0, REVIEWS.length - 1, hotel.id, "said", index)] ?? REVIEWS[0],
    created_at: toIso(today - pickWhole(index * 30 + 1, index * 30 + 30, hotel.id, "when", index) * day),
  }));
}

export function accommodationRoutes(sandbox: Sandbox, finder: StayFinder): Router {
  const routes = new Hono<Env>({ strict: false });
  const { seed, clock } = sandbox;

  function find(id: string): Hotel {
    const hotel = findHotel(seed, id);
    if (hotel === undefined) throw notFound();
    return hotel;
  }

  routes.post("/stays/accommodation/suggestions", async (context) => {
    const { query, location } = await readData(context, SuggestionsBody);
    const typed = splitWords(query);
    const around = location?.geographic_coordinates;
    const hotels =
      around === undefined
        ? placesNamed(typed).flatMap((place) => hotelsAround(seed, place, CITY_RADIUS_KM))
        : hotelsAround(seed, { lat: around.latitude, lon: around.longitude }, location?.radius ?? 5);
    const data = hotels
      .filter((hotel) => fits(hotel, typed))
      .slice(0, MOST_SUGGESTIONS)
      .map((hotel) => ({
        accommodation_id: hotel.id,
        accommodation_name: hotel.name,
        accommodation_location: renderLocation(hotel),
      }));
    return context.json({ data });
  });

  routes.get("/stays/accommodation", (context) => {
    const query = ListQuery.safeParse(context.req.query());
    if (!query.success) throw fromZod(query.error);
    const { latitude: lat, longitude: lon, radius } = query.data;
    const hotels = hotelsAround(seed, { lat, lon }, radius);
    return context.json(
      pageOfMemory(hotels, readPage(context), (hotel) =>
        renderAccommodation(hotel, context.env.baseUrl, [], clock.nowMs()),
      ),
    );
  });

  routes.get("/stays/accommodation/:id/reviews", (context) => {
    const hotel = find(context.req.param("id"));
    const page = pageOfMemory(buildReviews(hotel, clock.nowMs()), readPage(context), (review) => review);
    return context.json({ data: { reviews: page.data }, meta: page.meta });
  });

  /** With check-in and check-out dates in the query also every rate for them; guests default to one adult. */
  routes.get("/stays/accommodation/:id", async (context) => {
    const hotel = find(context.req.param("id"));
    const { check_in_date: checkIn, check_out_date: checkOut, rooms = "1", adults = "1" } = context.req.query();
    if (checkIn === undefined && checkOut === undefined) {
      return context.json({ data: renderAccommodation(hotel, context.env.baseUrl, [], clock.nowMs()) });
    }
    const body = StaySearchBody.safeParse({
      rooms: Number(rooms),
      guests: Array.from({ length: Math.min(36, Number(adults) || 0) }, () => ({ type: "adult" })),
      check_in_date: checkIn,
      check_out_date: checkOut,
      accommodation: { ids: [hotel.id] },
    });
    if (!body.success) throw fromZod(body.error);
    const search = toStaySearch(body.data, newRequestCore(), clock.nowMs());
    await finder.save(search);
    const rates = finder.buildResult(search, hotel, 0)?.rates ?? [];
    return context.json({
      data: renderAccommodation(hotel, context.env.baseUrl, rates, search.createdAtMs + STAY_SEARCH_LIFE_MS),
    });
  });
  return routes;
}
