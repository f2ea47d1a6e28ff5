// Faults between the supplier and a receiver, on demand: deliveries that are duplicated, late, in the wrong order or
// lost. Stored in the database with the deliveries, so that a restart does not affect them.
import { Hono } from "hono";
import { z } from "zod";
import { newId } from "../ids.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { EVENT_TYPES } from "./event-types.ts";

const KINDS = ["duplicate", "delay", "drop", "reorder"] as const;

const DisturbanceBody = z
  .strictObject({
    kind: z.enum(KINDS),
    /** Every type, when left out. */
    type: z.enum(EVENT_TYPES).optional(),
    /** How many events it meets; a reorder sends that many in reverse. */
    times: z.number().int().min(1).max(10_000).default(1),
    /** Further deliveries of the same event. */
    copies: z.number().int().min(1).max(20).default(1),
    delayMs: z
      .number()
      .int()
      .min(0)
      .max(72 * 3_600_000)
      .default(60_000),
  })
  .refine((body) => body.kind !== "reorder" || body.times > 1, {
    message: "a reorder needs two events at least",
    path: ["times"],
  });

type DisturbanceRow = {
  id: string;
  kind: (typeof KINDS)[number];
  event_type: string | null;
  remaining: number;
  copies: number;
  delay_ms: string;
};

/** The disturbance that this event meets, if one is armed; it is used up once. Part of the event's own transaction. */
async function take(tx: Queryable, type: string): Promise<DisturbanceRow | undefined> {
  const { rows } = await tx.query<DisturbanceRow>(
    `UPDATE webhook_disturbances SET remaining = remaining - 1 WHERE remaining > 0 AND seq = (
       SELECT min(seq) FROM webhook_disturbances WHERE remaining > 0 AND (event_type IS NULL OR event_type = $1)) RETURNING *`,
    [type],
  );
  return rows[0];
}

type NewDelivery = { eventId: string; endpointId: string; dueMs: number | null; nowMs: number; heldBy?: string };

async function insert(tx: Queryable, delivery: NewDelivery): Promise<string> {
  const id = newId("del");
  await tx.query(
    "INSERT INTO webhook_deliveries (id, event_id, endpoint_id, due_ms, created_ms, held_by) VALUES ($1,$2,$3,$4,$5,$6)",
    [id, delivery.eventId, delivery.endpointId, delivery.dueMs, delivery.nowMs, delivery.heldBy ?? null],
  );
  return id;
}

/** Each of the held deliveries waits for the one that was made after it; the newest goes at once. */
async function releaseReversed(tx: Queryable, heldBy: string, endpointId: string, nowMs: number): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    "SELECT id FROM webhook_deliveries WHERE held_by = $1 AND endpoint_id = $2 ORDER BY seq DESC",
    [heldBy, endpointId],
  );
  for (const [index, { id }] of rows.entries()) {
    const before = rows[index - 1]?.id ?? null;
    await tx.query("UPDATE webhook_deliveries SET held_by = NULL, after_id = $2, due_ms = $3 WHERE id = $1", [
      id,
      before,
      before === null ? nowMs : null,
    ]);
  }
}

/** One delivery of a new event for each endpoint, as disturbed as was asked for. */
export async function enqueueAll(
  tx: Queryable,
  event: { id: string; type: string },
  endpointIds: readonly string[],
  nowMs: number,
): Promise<void> {
  if (endpointIds.length === 0) return;
  const disturbance = await take(tx, event.type);
  const kind = disturbance?.kind;
  for (const endpointId of endpointIds) {
    const plain = { eventId: event.id, endpointId, dueMs: nowMs, nowMs };
    if (disturbance === undefined) await insert(tx, plain);
    else if (kind === "drop") await insert(tx, { ...plain, dueMs: null });
    else if (kind === "delay") await insert(tx, { ...plain, dueMs: nowMs + Number(disturbance.delay_ms) });
    else if (kind === "duplicate") for (let copy = 0; copy <= disturbance.copies; copy += 1) await insert(tx, plain);
    else {
      await insert(tx, { ...plain, dueMs: null, heldBy: disturbance.id });
      if (disturbance.remaining === 0) await releaseReversed(tx, disturbance.id, endpointId, nowMs);
    }
  }
}

/** A further delivery, undisturbed. */
export async function enqueueAgain(tx: Queryable, eventId: string, endpointId: string, nowMs: number): Promise<void> {
  await insert(tx, { eventId, endpointId, dueMs: nowMs, nowMs });
}

function render(row: DisturbanceRow) {
  return {
    id: row.id,
    kind: row.kind,
    ...(row.event_type === null ? {} : { type: row.event_type }),
    remaining: row.remaining,
    copies: row.copies,
    delayMs: Number(row.delay_ms),
  };
}

/** Control, as scenarios are: no supplier has these. */
export function disturbanceRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  const { db, clock } = sandbox;

  routes.post("/_sandbox/webhook-disturbances", async (context) => {
    let given: unknown;
    try {
      given = JSON.parse(await context.req.text());
    } catch {
      given = undefined;
    }
    const body = DisturbanceBody.safeParse(given);
    if (!body.success) return context.json({ error: z.prettifyError(body.error) }, 400);
    const { kind, type, times, copies, delayMs } = body.data;
    const { rows } = await db.query<DisturbanceRow>(
      "INSERT INTO webhook_disturbances (id, kind, event_type, remaining, copies, delay_ms) VALUES ($1,$2,$3,$4,$5,$6) RETURNING *",
      [newId("dis"), kind, type ?? null, times, copies, delayMs],
    );
    return context.json(rows.map(render)[0], 201);
  });
  routes.get("/_sandbox/webhook-disturbances", async (context) => {
    const { rows } = await db.query<DisturbanceRow>(
      "SELECT * FROM webhook_disturbances WHERE remaining > 0 ORDER BY seq",
    );
    return context.json({ disturbances: rows.map(render) });
  });
  /** Disarms all; deliveries held by a reorder are sent. */
  routes.delete("/_sandbox/webhook-disturbances", async (context) => {
    const cleared = await db.transaction(async (tx) => {
      const { rowCount } = await tx.query("DELETE FROM webhook_disturbances");
      await tx.query("UPDATE webhook_deliveries SET held_by = NULL, due_ms = $1 WHERE held_by IS NOT NULL", [
        Math.floor(clock.nowMs()),
      ]);
      return rowCount ?? 0;
    });
    sandbox.wake();
    return context.json({ cleared });
  });
  return routes;
}
