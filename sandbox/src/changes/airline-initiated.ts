// The airline changes its schedule; the order's owner accepts, cancels or changes.
import { Hono } from "hono";
import { z } from "zod";
import { invalidState, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { derivedId, newId, newRequestCore } from "../ids.ts";
import { findOrder, type OrderRow } from "../orders/rows.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { BookedService } from "../seats/booked.ts";
import type { WireSegment, WireSlice } from "../seats/services.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { type ActionTaken, type AirlineChangeRow, renderAirlineChange, showOnOrder } from "./airline-rows.ts";

export const ScheduleChangeBody = z.strictObject({
  order_id: z.string(),
  slice: z.number().int().min(0).default(0),
  /** How much later the slice leaves; null when its flights are cancelled. */
  shift_minutes: z.number().int().min(-1440).max(2880).nullable().default(95),
});

const UpdateBody = z.object({ action_taken: z.enum(["accepted", "cancelled", "changed"]) });

function later(local: string, minutes: number): string {
  return Temporal.PlainDateTime.from(local).add({ minutes }).toString({ smallestUnit: "second" });
}

function shifted(slice: WireSlice, minutes: number): WireSlice {
  const core = newRequestCore();
  const move = (segment: WireSegment, index: number): WireSegment => ({
    ...segment,
    id: derivedId("seg", core, 0, 0, index),
    departing_at: later(segment.departing_at, minutes),
    arriving_at: later(segment.arriving_at, minutes),
    stops: segment.stops.map((stop) => ({
      ...stop,
      arriving_at: later(stop.arriving_at, minutes),
      departing_at: later(stop.departing_at, minutes),
    })),
  });
  return { ...slice, id: derivedId("sli", core, 0, 0), segments: slice.segments.map(move) };
}

/** Undefined when there is no such order or slice, or when the order has ended. */
export async function changeSchedule(
  sandbox: Sandbox,
  body: z.infer<typeof ScheduleChangeBody>,
): Promise<AirlineChangeRow | undefined> {
  const nowMs = sandbox.clock.nowMs();
  return sandbox.db.transaction(async (tx) => {
    const order = await findOrder(tx, body.order_id, true);
    const slice = order?.details.slices[body.slice];
    if (order === undefined || slice === undefined || (order.state !== "held" && order.state !== "paid")) return;
    const added = body.shift_minutes === null ? [] : [shifted(slice, body.shift_minutes)];
    const { rows } = await tx.query<AirlineChangeRow>(
      `INSERT INTO airline_initiated_changes (id, order_id, added, removed, created_ms, updated_ms)
       VALUES ($1,$2,$3,$4,$5,$5) RETURNING *`,
      [newId("aic"), order.id, JSON.stringify(added), JSON.stringify([slice]), nowMs],
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the new schedule change was not returned");
    await showOnOrder(tx, order.id);
    await emit(tx, "order.airline_initiated_change_detected", renderAirlineChange(row), nowMs);
    return row;
  });
}

export const AirportClosureBody = z.strictObject({
  airport: z.string().regex(/^[A-Z]{3}$/),
  /** The last local day on which its flights are cancelled; left out: all that are booked. */
  until: z.iso.date().optional(),
});

/** Cancels every slice of an open order that uses the airport and that its airline has not changed already. */
export async function closeAirport(
  sandbox: Sandbox,
  { airport, until }: z.infer<typeof AirportClosureBody>,
): Promise<readonly AirlineChangeRow[]> {
  const { rows: orders } = await sandbox.db.query<Pick<OrderRow, "id" | "details">>(
    "SELECT id, details FROM orders WHERE state IN ('held', 'paid') ORDER BY id",
    [],
  );
  const { rows: changed } = await sandbox.db.query<Pick<AirlineChangeRow, "removed">>(
    "SELECT removed FROM airline_initiated_changes WHERE action_taken IS NULL",
    [],
  );
  const known = new Set(changed.flatMap(({ removed }) => removed.map(({ id }) => id)));
  const isHit = ({ id, segments }: WireSlice): boolean =>
    !known.has(id) &&
    segments.some(
      ({ origin, destination, departing_at }) =>
        (origin.iata_code === airport || destination.iata_code === airport) &&
        (until === undefined || departing_at.slice(0, 10) <= until),
    );
  const made: AirlineChangeRow[] = [];
  for (const { id, details } of orders) {
    for (const [slice, flown] of details.slices.entries()) {
      if (!isHit(flown)) continue;
      const row = await changeSchedule(sandbox, { order_id: id, slice, shift_minutes: null });
      if (row !== undefined) made.push(row);
    }
  }
  return made;
}

/** Seats and bags move with their flights. */
function moveServices(order: OrderRow, change: AirlineChangeRow): BookedService[] {
  const renamed = new Map<string, string>();
  for (const [place, slice] of change.removed.entries()) {
    for (const [index, segment] of slice.segments.entries()) {
      const next = change.added[place]?.segments[index];
      if (next !== undefined) renamed.set(segment.id, next.id);
    }
  }
  return order.services.map((service) => ({
    ...service,
    segmentIds: service.segmentIds.map((id) => renamed.get(id) ?? id),
  }));
}

async function acceptSlices(tx: Queryable, order: OrderRow, change: AirlineChangeRow): Promise<void> {
  const slices = order.details.slices.map((slice) => {
    const place = change.removed.findIndex((removed) => removed.id === slice.id);
    return change.added[place] ?? slice;
  });
  await tx.query("UPDATE orders SET details = $2, services = $3 WHERE id = $1", [
    order.id,
    JSON.stringify({ ...order.details, slices }),
    JSON.stringify(moveServices(order, change)),
  ]);
}

async function answer(sandbox: Sandbox, id: string, action: ActionTaken): Promise<AirlineChangeRow> {
  const nowMs = sandbox.clock.nowMs();
  return sandbox.db.transaction(async (tx) => {
    const seen = await tx.query<{ order_id: string }>("SELECT order_id FROM airline_initiated_changes WHERE id = $1", [
      id,
    ]);
    const order = await findOrder(tx, seen.rows[0]?.order_id ?? "", true);
    const { rows } = await tx.query<AirlineChangeRow>("SELECT * FROM airline_initiated_changes WHERE id = $1", [id]);
    const [change] = rows;
    if (order === undefined || change === undefined) throw notFound();
    if (change.action_taken !== null)
      throw invalidState("already_actioned", "An action has already been taken on this change.");
    if (action === "accepted") {
      if (change.added.length === 0)
        throw invalidState("action_not_available", "The flights were cancelled: there is nothing to accept.");
      await acceptSlices(tx, order, change);
    }
    const updated = await tx.query<AirlineChangeRow>(
      "UPDATE airline_initiated_changes SET action_taken = $2, action_taken_ms = $3, updated_ms = $3 WHERE id = $1 RETURNING *",
      [id, action, nowMs],
    );
    const [row] = updated.rows;
    if (row === undefined) throw new Error("the answered schedule change was not returned");
    await showOnOrder(tx, order.id);
    return row;
  });
}

export function airlineChangeRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.get("/air/airline_initiated_changes", async (context) => {
    const page = readPage(context);
    const orderId = context.req.query("order_id");
    const [filter, values] = orderId === undefined ? [[], []] : [["order_id = $1"], [orderId]];
    const rows = await selectPage<AirlineChangeRow>(sandbox.db, "airline_initiated_changes", filter, values, page);
    return context.json(toListing(rows, page, renderAirlineChange));
  });
  routes.post("/air/airline_initiated_changes/:id/actions/accept", async (context) => {
    const row = await answer(sandbox, context.req.param("id"), "accepted");
    return context.json({ data: renderAirlineChange(row) });
  });
  routes.patch("/air/airline_initiated_changes/:id", async (context) => {
    const body = await readData(context, UpdateBody);
    const row = await answer(sandbox, context.req.param("id"), body.action_taken);
    return context.json({ data: renderAirlineChange(row) });
  });
  return routes;
}
