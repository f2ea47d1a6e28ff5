import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import { invalidField, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { isoOf } from "../orders/rows.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import { EVENT_TYPES, emit, enqueue } from "./events.ts";

type EndpointRow = {
  id: string;
  seq: string;
  url: string;
  events: string[];
  secret: string;
  active: boolean;
  created_ms: string;
  updated_ms: string;
};
type DeliveryRow = {
  id: string;
  seq: string;
  event_id: string;
  endpoint_id: string;
  attempts: number;
  response_status: number | null;
  delivered_ms: string | null;
  created_ms: string;
};

const Url = z.string().refine((text) => URL.canParse(text) && /^https?:/u.test(text), "is not an http or https URL");
const EndpointBody = z.object({ url: Url, events: z.array(z.enum(EVENT_TYPES)).min(1) });
const EndpointChange = z.object({
  url: Url.optional(),
  events: z.array(z.enum(EVENT_TYPES)).min(1).optional(),
  active: z.boolean().optional(),
});

function renderEndpoint(row: EndpointRow) {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    active: row.active,
    live_mode: false,
    created_at: isoOf(row.created_ms),
    updated_at: isoOf(row.updated_ms),
  };
}

function renderDelivery(row: DeliveryRow) {
  return {
    id: row.id,
    event_id: row.event_id,
    endpoint_id: row.endpoint_id,
    attempts: row.attempts,
    response_status_code: row.response_status,
    delivery_success: row.delivered_ms !== null,
    live_mode: false,
    created_at: isoOf(row.created_ms),
  };
}

export function webhookRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  const now = () => Math.floor(sandbox.clock.nowMs());

  async function findEndpoint(id: string): Promise<EndpointRow> {
    const { rows } = await sandbox.db.query<EndpointRow>("SELECT * FROM webhook_endpoints WHERE id = $1", [id]);
    const [row] = rows;
    if (row === undefined) throw notFound();
    return row;
  }

  routes.post("/air/webhooks", async (context) => {
    const body = await readData(context, EndpointBody);
    const { rows } = await sandbox.db.transaction((tx) =>
      tx.query<EndpointRow>(
        "INSERT INTO webhook_endpoints (id, url, events, secret, active, created_ms, updated_ms) VALUES ($1,$2,$3,$4,true,$5,$5) RETURNING *",
        [newId("sev"), body.url, JSON.stringify(body.events), randomBytes(16).toString("base64"), now()],
      ),
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the new webhook was not returned");
    // The secret is told here and nowhere else.
    return context.json({ data: { ...renderEndpoint(row), secret: row.secret } }, 201);
  });
  routes.get("/air/webhooks", async (context) => {
    const page = readPage(context);
    const rows = await selectPage<EndpointRow>(sandbox.db, "webhook_endpoints", [], [], page);
    return context.json(toListing(rows, page, renderEndpoint));
  });
  routes.get("/air/webhooks/deliveries", async (context) => {
    const page = readPage(context);
    const endpointId = context.req.query("endpoint_id");
    const filter = endpointId === undefined ? [] : ["endpoint_id = $1"];
    const rows = await selectPage<DeliveryRow>(
      sandbox.db,
      "webhook_deliveries",
      filter,
      endpointId === undefined ? [] : [endpointId],
      page,
    );
    return context.json(toListing(rows, page, renderDelivery));
  });
  routes.get("/air/webhooks/events/:id", async (context) => {
    const { rows } = await sandbox.db.query<{ body: string }>("SELECT body FROM webhook_events WHERE id = $1", [
      context.req.param("id"),
    ]);
    const [row] = rows;
    if (row === undefined) throw notFound();
    const event: unknown = JSON.parse(row.body);
    return context.json({ data: event });
  });
  routes.post("/air/webhooks/events/:id/actions/redeliver", async (context) => {
    const id = context.req.param("id");
    const { rows } = await sandbox.db.query<{ endpoint_id: string }>(
      "SELECT DISTINCT endpoint_id FROM webhook_deliveries WHERE event_id = $1",
      [id],
    );
    if (rows.length === 0) throw notFound();
    for (const row of rows) await enqueue(sandbox.db, id, row.endpoint_id, now());
    sandbox.wake();
    return context.body(null, 204);
  });
  routes.get("/air/webhooks/:id", async (context) =>
    context.json({ data: renderEndpoint(await findEndpoint(context.req.param("id"))) }),
  );
  routes.patch("/air/webhooks/:id", async (context) => {
    const change = await readData(context, EndpointChange);
    const current = await findEndpoint(context.req.param("id"));
    const { rows } = await sandbox.db.query<EndpointRow>(
      "UPDATE webhook_endpoints SET url = $2, events = $3, active = $4, updated_ms = $5 WHERE id = $1 RETURNING *",
      [
        current.id,
        change.url ?? current.url,
        JSON.stringify(change.events ?? current.events),
        change.active ?? current.active,
        now(),
      ],
    );
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderEndpoint(row) });
  });
  routes.delete("/air/webhooks/:id", async (context) => {
    const { rowCount } = await sandbox.db.query("DELETE FROM webhook_endpoints WHERE id = $1", [
      context.req.param("id"),
    ]);
    if (rowCount !== 1) throw notFound();
    return context.body(null, 204);
  });
  routes.post("/air/webhooks/:id/actions/ping", async (context) => {
    const endpoint = await findEndpoint(context.req.param("id"));
    if (!endpoint.active) throw invalidField("validation_inclusion", "active", "The webhook is not active");
    await sandbox.db.transaction((tx) => emit(tx, "ping.triggered", {}, now(), endpoint.id));
    sandbox.wake();
    return context.body(null, 204);
  });
  return routes;
}
