import { Hono } from "hono";
import { z } from "zod";
import { toIso } from "../clock.ts";
import { apiError, fromZod, invalidField, notFound } from "../http/errors.ts";
import { pageOfMemory, readData, readPage } from "../http/wire.ts";
import { derivedId, newRequestCore, readDerivedId } from "../ids.ts";
import { findTestRoute } from "../inventory/test-routes.ts";
import { airportByCode } from "../reference/data.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import { renderAvailableBag } from "../seats/booked.ts";
import { bagServices } from "../seats/services.ts";
import type { Offer } from "./build.ts";
import { openOffer } from "./open.ts";
import { type OfferRequestBody, OfferRequestBody as RequestBody, toOfferRequest } from "./parse.ts";
import { PriceBody, priceOffer } from "./price.ts";
import { renderOffer, renderOfferPassengers, renderPlace } from "./render.ts";
import type { OfferRequest } from "./request.ts";
import { type OfferStore, offerJourney } from "./store.ts";

const SearchQuery = z.object({
  return_offers: z.enum(["true", "false"]).default("true"),
  supplier_timeout: z.coerce.number().int().min(2000).max(60_000).default(20_000),
});
const OffersQuery = z.object({
  offer_request_id: z.string(),
  sort: z.enum(["total_amount", "-total_amount", "total_duration", "-total_duration"]).optional(),
  max_connections: z.coerce.number().int().min(0).max(2).optional(),
});

function renderRequest(request: OfferRequest) {
  return {
    id: derivedId("orq", request.core, 0),
    live_mode: false,
    created_at: toIso(request.createdAtMs),
    cabin_class: request.cabinClass,
    slices: request.slices.map((slice) => ({
      origin_type: airportByCode.has(slice.origin) ? "airport" : "city",
      origin: renderPlace(slice.origin),
      destination_type: airportByCode.has(slice.destination) ? "airport" : "city",
      destination: renderPlace(slice.destination),
      departure_date: slice.departureDate,
    })),
    passengers: renderOfferPassengers(request),
    client_key: null,
  };
}

function durationMs(offer: Offer): number {
  return offer.slices.reduce((sum, slice) => {
    const last = slice.flights.at(-1) ?? slice.flights[0];
    return sum + last.arrivesMs - slice.flights[0].departsMs;
  }, 0);
}

function sortOffers(offers: readonly Offer[], sort: z.infer<typeof OffersQuery>["sort"]): readonly Offer[] {
  const sorted = [...offers];
  if (sort?.endsWith("total_amount")) sorted.sort((a, b) => Number(a.totalMicro - b.totalMicro) || a.place - b.place);
  if (sort?.endsWith("total_duration")) sorted.sort((a, b) => durationMs(a) - durationMs(b) || a.place - b.place);
  return sort?.startsWith("-") ? sorted.reverse() : sorted;
}

async function usableCredits(sandbox: Sandbox, ids: readonly string[]): Promise<OfferRequest["credits"]> {
  if (ids.length === 0) return [];
  const { rows } = await sandbox.db.query<{ id: string; airline: string; usable: boolean }>(
    `SELECT id, airline, spent_ms IS NULL AND invalidated_ms IS NULL AND expires_on >= $2 AS usable
     FROM airline_credits WHERE id = ANY ($1)`,
    [ids, toIso(sandbox.clock.nowMs()).slice(0, 10)],
  );
  for (const id of ids) {
    if (!rows.some((row) => row.id === id))
      throw invalidField("validation_inclusion", "airline_credit_ids", `'${id}' is not an airline credit`);
  }
  return rows.filter((row) => row.usable).map((row) => ({ id: row.id, airline: row.airline }));
}

export function offerRoutes(sandbox: Sandbox, offers: OfferStore): Router {
  const routes = new Hono<Env>({ strict: false });

  async function search(body: OfferRequestBody, supplierTimeoutMs: number): Promise<OfferRequest> {
    const nowMs = sandbox.clock.nowMs();
    const credits = await usableCredits(sandbox, body.airline_credit_ids ?? []);
    const request = toOfferRequest(body, { core: newRequestCore(), nowMs, credits });
    const [slice] = request.slices;
    if (slice !== undefined && findTestRoute(slice.origin, slice.destination) === "timeout") {
      await sandbox.clock.waitUntil(nowMs + supplierTimeoutMs);
      throw apiError(504, "gateway_timeout", "The airline did not answer in time.");
    }
    await offers.save(request);
    return request;
  }

  routes.post("/air/offer_requests", async (context) => {
    const query = SearchQuery.safeParse(context.req.query());
    if (!query.success) throw fromZod(query.error);
    const request = await search(await readData(context, RequestBody), query.data.supplier_timeout);
    if (query.data.return_offers === "false") return context.json({ data: renderRequest(request) }, 201);
    const found = await offers.listOffers(request);
    return context.json(
      { data: { ...renderRequest(request), offers: found.map((offer) => renderOffer(offer, request)) } },
      201,
    );
  });

  async function findRequest(id: string): Promise<OfferRequest> {
    const parts = readDerivedId("orq", id);
    const request = parts === undefined ? undefined : await offers.findRequest(parts.core);
    if (request === undefined) throw notFound();
    return request;
  }

  routes.get("/air/offer_requests/:id", async (context) => {
    const request = await findRequest(context.req.param("id"));
    const found = sandbox.clock.nowMs() > request.createdAtMs + 30 * 60_000 ? [] : await offers.listOffers(request);
    return context.json({
      data: { ...renderRequest(request), offers: found.map((offer) => renderOffer(offer, request)) },
    });
  });

  routes.get("/air/offers", async (context) => {
    const query = OffersQuery.safeParse(context.req.query());
    if (!query.success) throw fromZod(query.error);
    const { offer_request_id: id, sort, max_connections: most } = query.data;
    const request = await findRequest(id);
    const open = (await offers.listOffers(request)).filter(
      (offer) =>
        offer.expiresAtMs > sandbox.clock.nowMs() &&
        (most === undefined || offer.slices.every((slice) => slice.flights.length - 1 <= most)),
    );
    return context.json(
      pageOfMemory(sortOffers(open, sort), readPage(context), (offer) => renderOffer(offer, request)),
    );
  });

  routes.get("/air/offers/:id", async (context) => {
    const found = await openOffer(sandbox, offers, context.req.param("id"), context.env.fault);
    const bags =
      context.req.query("return_available_services") === "true"
        ? bagServices(offerJourney(found)).map((bag) => renderAvailableBag(bag, 0))
        : null;
    return context.json({ data: { ...renderOffer(found.offer, found.request), available_services: bags } });
  });
  routes.post("/air/offers/:id/actions/price", async (context) => {
    const body = await readData(context, PriceBody);
    const found = await openOffer(sandbox, offers, context.req.param("id"), context.env.fault);
    return context.json({ data: await priceOffer(sandbox, found, body) });
  });
  return routes;
}
