import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import { fromZod, invalidField, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { formatIso } from "../orders/rows.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { disturbanceRoutes, enqueueAgain } from "./disturbances.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { emit } from "./events.ts";

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
  url: string;
  type: string;
  attempts: number;
  response_body: string | null;
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

const DeliveriesQuery = z.object({
  endpoint_id: z.string().optional(),
  type: z.enum(EVENT_TYPES).optional(),
  delivery_success: z.enum(["true", "false"]).optional(),
  "created_at[before]": z.iso.datetime({ offset: true }).optional(),
  "created_at[after]": z.iso.datetime({ offset: true }).optional(),
});

/** Deliveries with what their event and endpoint say. */
const DELIVERIES = `(SELECT webhook_deliveries.*, webhook_events.type, webhook_endpoints.url FROM webhook_deliveries
  JOIN webhook_events ON webhook_events.id = event_id JOIN webhook_endpoints ON webhook_endpoints.id = endpoint_id) AS deliveries`;

function renderEndpoint(row: EndpointRow) {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    active: row.active,
    live_mode: false,
    created_at: formatIso(row.created_ms),
    updated_at: formatIso(row.updated_ms),
  };
}

function renderDelivery(row: DeliveryRow) {
  return {
    id: row.id,
    event_id: row.event_id,
    type: row.type,
    url: row.url,
    endpoint_id: row.endpoint_id,
    attempts: row.attempts,
    response_status_code: row.response_status,
    response_body: row.response_body ?? "",
    delivery_success: row.delivered_ms !== null,
    live_mode: false,
    created_at: formatIso(row.created_ms),
  };
}

const nowMilliseconds = ({ clock }: Sandbox): number => Math.floor(clock.nowMs());

async function findEndpoint({ db }: Sandbox, id: string): Promise<EndpointRow> {
  const { rows } = await db.query<EndpointRow>("SELECT * FROM webhook_endpoints WHERE id = $1", [id]);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** An account has one webhook for test orders and one for live ones, switched off or not; here all orders are test orders. */
async function refuseSecond(tx: Queryable): Promise<void> {
  // Two that are made at once wait for each other here.
  await tx.query("LOCK TABLE webhook_endpoints IN SHARE ROW EXCLUSIVE MODE");
  const { rowCount } = await tx.query("SELECT 1 FROM webhook_endpoints LIMIT 1");
  if (rowCount !== 0) throw invalidField("unsafe_unique", "live_mode", "A webhook for this mode already exists");
}

/** The order counts: a name such as `deliveries` would be taken for the id of an endpoint. */
export function webhookRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.route("/", eventRoutes(sandbox));
  routes.route("/", endpointRoutes(sandbox));
  routes.route("/", disturbanceRoutes(sandbox));
  return routes;
}

function endpointRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/air/webhooks", async (context) => {
    const body = await readData(context, EndpointBody);
    const { rows } = await sandbox.db.transaction(async (tx) => {
      await refuseSecond(tx);
      return tx.query<EndpointRow>(
        "INSERT INTO webhook_endpoints (id, url, events, secret, active, created_ms, updated_ms) VALUES ($1,$2,$3,$4,true,$5,$5) RETURNING *",
        [
          newId("sev"),
          body.url,
          JSON.stringify(body.events),
          randomBytes(16).toString("base64"),
          nowMilliseconds(sandbox),
        ],
      );
    });
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
  routes.get("/air/webhooks/:id", async (context) =>
    context.json({ data: renderEndpoint(await findEndpoint(sandbox, context.req.param("id"))) }),
  );
  routes.patch("/air/webhooks/:id", async (context) => {
    const change = await readData(context, EndpointChange);
    const current = await findEndpoint(sandbox, context.req.param("id"));
    const active = change.active ?? current.active;
    const row = await sandbox.db.transaction(async (tx) => {
      const { rows } = await tx.query<EndpointRow>(
        "UPDATE webhook_endpoints SET url = $2, events = $3, active = $4, updated_ms = $5 WHERE id = $1 RETURNING *",
        [
          current.id,
          change.url ?? current.url,
          JSON.stringify(change.events ?? current.events),
          active,
          nowMilliseconds(sandbox),
        ],
      );
      // Pending deliveries and retries end when the endpoint becomes inactive.
      if (!active) {
        await tx.query(
          "UPDATE webhook_deliveries SET due_ms = NULL, held_by = NULL, after_id = NULL WHERE endpoint_id = $1",
          [current.id],
        );
      }
      return rows[0];
    });
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
    const endpoint = await findEndpoint(sandbox, context.req.param("id"));
    if (!endpoint.active) throw invalidField("validation_inclusion", "active", "The webhook is not active");
    await sandbox.db.transaction((tx) => emit(tx, "ping.triggered", {}, nowMilliseconds(sandbox), endpoint.id));
    sandbox.wake();
    return context.body(null, 204);
  });
  return routes;
}

function eventRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.get("/air/webhooks/deliveries", async (context) => {
    const query = DeliveriesQuery.safeParse(context.req.query());
    if (!query.success) throw fromZod(query.error);
    const page = readPage(context);
    const { endpoint_id: endpointId, type, delivery_success: success } = query.data;
    const { "created_at[before]": before, "created_at[after]": after } = query.data;
    const filter: string[] = [];
    const values: unknown[] = [];
    if (endpointId !== undefined) filter.push(`endpoint_id = $${values.push(endpointId)}`);
    if (type !== undefined) filter.push(`type = $${values.push(type)}`);
    if (success !== undefined) filter.push(`delivered_ms IS ${success === "true" ? "NOT NULL" : "NULL"}`);
    if (before !== undefined) filter.push(`created_ms < $${values.push(Date.parse(before))}`);
    if (after !== undefined) filter.push(`created_ms > $${values.push(Date.parse(after))}`);
    const rows = await selectPage<DeliveryRow>(sandbox.db, DELIVERIES, filter, values, page);
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
    await sandbox.db.transaction(async (tx) => {
      const { rows } = await tx.query<{ endpoint_id: string; active: boolean }>(
        `SELECT DISTINCT endpoint_id, active FROM webhook_deliveries
         JOIN webhook_endpoints ON webhook_endpoints.id = endpoint_id WHERE event_id = $1`,
        [id],
      );
      if (rows.length === 0) throw notFound();
      for (const row of rows) if (row.active) await enqueueAgain(tx, id, row.endpoint_id, nowMilliseconds(sandbox));
    });
    sandbox.wake();
    return context.body(null, 204);
  });
  return routes;
}
