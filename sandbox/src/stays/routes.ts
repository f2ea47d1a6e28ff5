import { Hono } from "hono";
import { toIso } from "../clock.ts";
import { fromZod, invalidState, notFound } from "../http/errors.ts";
import { readData } from "../http/wire.ts";
import { newRequestCore, readDerivedId } from "../ids.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import { findHotel, type Hotel, hotelsAround } from "./hotels.ts";
import { isSoldOut, ratesOf } from "./rates.ts";
import { renderAccommodation, renderResult, type StayResult } from "./render.ts";
import { STAY_SEARCH_LIFE_MS, StaySearch, StaySearchBody, toStaySearch } from "./search.ts";

export function stayRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  const { db, seed, clock } = sandbox;

  async function save(search: StaySearch): Promise<void> {
    await db.query("INSERT INTO stay_searches (id, params, created_ms) VALUES ($1, $2, $3)", [
      search.core,
      JSON.stringify(search),
      search.createdAtMs,
    ]);
  }

  function hotelsOf(search: StaySearch): readonly Hotel[] {
    if (search.location !== null) return hotelsAround(seed, search.location, search.location.radiusKm);
    return search.accommodationIds.map((id) => findHotel(seed, id)).filter((hotel) => hotel !== undefined);
  }

  function resultOf(search: StaySearch, hotel: Hotel, place: number): StayResult | undefined {
    if (isSoldOut(seed, hotel, search)) return undefined;
    const [first, ...others] = ratesOf(seed, hotel, search, place);
    return first === undefined ? undefined : { hotel, place, rates: [first, ...others] };
  }

  routes.post("/stays/search", async (context) => {
    const body = await readData(context, StaySearchBody);
    const search = toStaySearch(body, newRequestCore(), clock.nowMs());
    await save(search);
    const results = hotelsOf(search)
      .map((hotel, place) => resultOf(search, hotel, place))
      .filter((result) => result !== undefined);
    const withRates = body.accommodation?.fetch_rates ?? false;
    return context.json({
      data: {
        created_at: toIso(search.createdAtMs),
        results: results.map((result) => renderResult(result, search, context.env.baseUrl, withRates)),
      },
    });
  });

  routes.post("/stays/search_results/:id/actions/fetch_all_rates", async (context) => {
    const parts = readDerivedId("srr", context.req.param("id"));
    if (parts === undefined) throw notFound();
    const { rows } = await db.query<{ params: unknown }>("SELECT params FROM stay_searches WHERE id = $1", [
      parts.core,
    ]);
    if (rows[0] === undefined) throw notFound();
    const search = StaySearch.parse(rows[0].params);
    const hotel = hotelsOf(search)[parts.place];
    const result = hotel === undefined ? undefined : resultOf(search, hotel, parts.place);
    if (result === undefined) throw notFound();
    if (search.createdAtMs + STAY_SEARCH_LIFE_MS <= clock.nowMs()) {
      throw invalidState("search_result_expired", "The search result has expired. Please search again.");
    }
    return context.json({ data: renderResult(result, search, context.env.baseUrl, true) });
  });

  /** With check-in and check-out dates in the query also every rate for them; guests default to one adult. */
  routes.get("/stays/accommodation/:id", async (context) => {
    const hotel = findHotel(seed, context.req.param("id"));
    if (hotel === undefined) throw notFound();
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
    await save(search);
    const rates = resultOf(search, hotel, 0)?.rates ?? [];
    return context.json({
      data: renderAccommodation(hotel, context.env.baseUrl, rates, search.createdAtMs + STAY_SEARCH_LIFE_MS),
    });
  });
  return routes;
}
