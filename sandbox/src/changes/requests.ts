// Asking for a change: `POST /air/order_change_requests`, and the offers that it brings.
import { Hono } from "hono";
import { z } from "zod";
import { fromZod, invalidField, invalidState, notFound } from "../http/errors.ts";
import { pageOfMemory, readData, readPage } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { renderPlace } from "../offers/render.ts";
import { findOrder, type OrderRow } from "../orders/rows.ts";
import { CabinClass, findAirports } from "../reference/data.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { offerChanges, type PricedChange, type WantedSlice } from "./offers.ts";
import { type ChangeOfferRow, type ChangeRequestRow, renderChangeOffer, renderChangeRequest } from "./rows.ts";

const RequestBody = z.object({
  order_id: z.string(),
  slices: z.object({
    remove: z.array(z.object({ slice_id: z.string() })).min(1),
    add: z
      .array(
        z.object({
          origin: z.string(),
          destination: z.string(),
          departure_date: z.string(),
          cabin_class: CabinClass.nullish(),
        }),
      )
      .min(1)
      .max(6),
  }),
});
type RequestBody = z.infer<typeof RequestBody>;

const OffersQuery = z.object({
  order_change_request_id: z.string(),
  sort: z
    .enum(["change_total_amount", "-change_total_amount", "total_duration", "-total_duration"])
    .default("change_total_amount"),
});
const OFFER_LIFE_MS = 30 * 60_000;

function checkSlices(body: RequestBody, nowMs: number): WantedSlice[] {
  return body.slices.add.map((slice, index) => {
    const pointer = `slices/add/${index}`;
    const [origin] = findAirports(slice.origin);
    if (origin === undefined)
      throw invalidField("validation_inclusion", `${pointer}/origin`, "is not an IATA code of an airport or city");
    if (findAirports(slice.destination).length === 0)
      throw invalidField("validation_inclusion", `${pointer}/destination`, "is not an IATA code of an airport or city");
    if (!/^\d{4}-\d{2}-\d{2}$/u.test(slice.departure_date))
      throw invalidField("validation_format", `${pointer}/departure_date`, "must be a date as YYYY-MM-DD");
    let date: Temporal.PlainDate;
    try {
      date = Temporal.PlainDate.from(slice.departure_date, { overflow: "reject" });
    } catch {
      throw invalidField("validation_format", `${pointer}/departure_date`, "is not a date of the calendar");
    }
    const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(origin.tz).toPlainDate();
    if (Temporal.PlainDate.compare(date, today) < 0)
      throw invalidField("validation_date_in_past", `${pointer}/departure_date`, "is in the past");
    return {
      origin: slice.origin,
      destination: slice.destination,
      departureDate: date.toString(),
      cabinClass: slice.cabin_class ?? undefined,
    };
  });
}

function checkRemoved(order: OrderRow, body: RequestBody): boolean[] {
  const { slices } = order.details;
  for (const [index, { slice_id: id }] of body.slices.remove.entries()) {
    const isTwice = body.slices.remove.findIndex((other) => other.slice_id === id) !== index;
    if (isTwice || !slices.some((slice) => slice.id === id))
      throw invalidField("validation_inclusion", `slices/remove/${index}/slice_id`, "is not a slice of the order");
  }
  return slices.map((slice) => body.slices.remove.some((removed) => removed.slice_id === slice.id));
}

async function saveOffer(
  tx: Queryable,
  request: ChangeRequestRow,
  order: OrderRow,
  change: PricedChange,
  nowMs: number,
): Promise<ChangeOfferRow[]> {
  const { rows } = await tx.query<ChangeOfferRow>(
    `INSERT INTO order_change_offers (id, request_id, order_id, plan, order_total_micro, change_micro, new_total_micro, penalty_micro,
       refund_to, duration_ms, expires_ms, created_ms, updated_ms) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$12) RETURNING *`,
    [
      newId("oco"),
      request.id,
      order.id,
      JSON.stringify(change.plan),
      order.total_micro,
      change.changeMicro.toString(),
      change.newTotalMicro.toString(),
      change.penaltyMicro.toString(),
      change.refundTo,
      change.durationMs,
      nowMs + OFFER_LIFE_MS,
      nowMs,
    ],
  );
  return rows;
}

async function requestChange(sandbox: Sandbox, body: RequestBody) {
  const nowMs = sandbox.clock.nowMs();
  const order = await findOrder(sandbox.db, body.order_id);
  if (order === undefined) throw notFound("The order does not exist.");
  if (order.state !== "held" && order.state !== "paid")
    throw invalidState("already_cancelled", "The order has been cancelled.");
  const wanted = checkSlices(body, nowMs);
  const removed = checkRemoved(order, body);
  const changes = offerChanges(sandbox, order, removed, wanted);
  const slices = {
    add: wanted.map((slice) => ({
      origin: renderPlace(slice.origin),
      destination: renderPlace(slice.destination),
      departure_date: slice.departureDate,
      cabin_class: slice.cabinClass ?? null,
    })),
    remove: body.slices.remove.map((slice) => ({ slice_id: slice.slice_id })),
  };
  return sandbox.db.transaction(async (tx) => {
    const { rows } = await tx.query<ChangeRequestRow>(
      "INSERT INTO order_change_requests (id, order_id, slices, created_ms) VALUES ($1,$2,$3,$4) RETURNING *",
      [newId("ocr"), order.id, JSON.stringify(slices), nowMs],
    );
    const [request] = rows;
    if (request === undefined) throw new Error("the new change request was not returned");
    const offers: ChangeOfferRow[] = [];
    for (const change of changes) offers.push(...(await saveOffer(tx, request, order, change, nowMs)));
    return renderChangeRequest(request, offers);
  });
}

function sorted(offers: readonly ChangeOfferRow[], sort: z.infer<typeof OffersQuery>["sort"]): ChangeOfferRow[] {
  const by = (row: ChangeOfferRow) => Number(sort.endsWith("total_duration") ? row.duration_ms : row.change_micro);
  const found = [...offers].sort((a, b) => by(a) - by(b) || Number(a.seq) - Number(b.seq));
  return sort.startsWith("-") ? found.reverse() : found;
}

export function changeRequestRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });

  async function findRequest(id: string): Promise<{ request: ChangeRequestRow; offers: ChangeOfferRow[] }> {
    const { rows } = await sandbox.db.query<ChangeRequestRow>("SELECT * FROM order_change_requests WHERE id = $1", [
      id,
    ]);
    const [request] = rows;
    if (request === undefined) throw notFound();
    const offers = await sandbox.db.query<ChangeOfferRow>(
      "SELECT * FROM order_change_offers WHERE request_id = $1 ORDER BY seq",
      [id],
    );
    return { request, offers: offers.rows };
  }

  routes.post("/air/order_change_requests", async (context) => {
    const data = await requestChange(sandbox, await readData(context, RequestBody));
    return context.json({ data }, 201);
  });
  routes.get("/air/order_change_requests/:id", async (context) => {
    const { request, offers } = await findRequest(context.req.param("id"));
    return context.json({ data: renderChangeRequest(request, offers) });
  });
  routes.get("/air/order_change_offers", async (context) => {
    const query = OffersQuery.safeParse(context.req.query());
    if (!query.success) throw fromZod(query.error);
    const { offers } = await findRequest(query.data.order_change_request_id);
    return context.json(pageOfMemory(sorted(offers, query.data.sort), readPage(context), renderChangeOffer));
  });
  routes.get("/air/order_change_offers/:id", async (context) => {
    const { rows } = await sandbox.db.query<ChangeOfferRow>("SELECT * FROM order_change_offers WHERE id = $1", [
      context.req.param("id"),
    ]);
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderChangeOffer(row) });
  });
  return routes;
}
