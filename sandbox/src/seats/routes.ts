import { Hono } from "hono";
import { invalidField } from "../http/errors.ts";
import { openOffer } from "../offers/open.ts";
import { type OfferStore, offerJourney } from "../offers/store.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import { renderSeatMaps } from "./maps.ts";

export function seatRoutes(sandbox: Sandbox, offers: OfferStore): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.get("/air/seat_maps", async (context) => {
    const offerId = context.req.query("offer_id");
    if (offerId === undefined) throw invalidField("validation_required", "offer_id", "Field 'offer_id' can't be blank");
    const found = await openOffer(sandbox, offers, offerId, context.env.fault);
    return context.json({ data: await renderSeatMaps(sandbox.db, offerJourney(found)) });
  });
  return routes;
}
