import { Hono } from "hono";
import { toIso } from "../clock.ts";
import { readData } from "../http/wire.ts";
import { newRequestCore } from "../ids.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import { accommodationRoutes } from "./accommodation.ts";
import { bookingRoutes } from "./bookings.ts";
import { chainRoutes } from "./chains.ts";
import { StayFinder } from "./finder.ts";
import { findNegotiatedRates, negotiatedRateRoutes } from "./negotiated-rates.ts";
import { quoteRoutes } from "./quotes.ts";
import { renderResult } from "./render.ts";
import { StaySearchBody, toStaySearch } from "./search.ts";

export function stayRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  const finder = new StayFinder(sandbox);

  routes.post("/stays/search", async (context) => {
    const body = await readData(context, StaySearchBody);
    const agreed = await findNegotiatedRates(sandbox.db, body.negotiated_rate_ids ?? []);
    const search = toStaySearch(body, newRequestCore(), sandbox.clock.nowMs(), agreed);
    await finder.save(search);
    const results = finder
      .findHotels(search)
      .map((hotel, place) => finder.buildResult(search, hotel, place))
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
    const { search, result } = await finder.findResult(context.req.param("id"));
    return context.json({ data: renderResult(result, search, context.env.baseUrl, true) });
  });

  routes.route("/", accommodationRoutes(sandbox, finder));
  routes.route("/", chainRoutes());
  routes.route("/", negotiatedRateRoutes(sandbox));
  routes.route("/", quoteRoutes(sandbox, finder));
  routes.route("/", bookingRoutes(sandbox));
  return routes;
}
