import { Hono } from "hono";
import { z } from "zod";
import { fromZod, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import type { OfferStore } from "../offers/store.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import { createOrder } from "./create.ts";
import { OrderBody } from "./parse.ts";
import { findOrder, Metadata, type OrderRow, renderOrder } from "./rows.ts";

const ListQuery = z.object({
  offer_id: z.string().optional(),
  booking_reference: z.string().optional(),
  awaiting_payment: z.enum(["true", "false"]).optional(),
  user_id: z.string().optional(),
});
const UpdateBody = z.object({ metadata: Metadata.optional(), users: z.array(z.string()).optional() });

export function orderRoutes(sandbox: Sandbox, offers: OfferStore): Router {
  const routes = new Hono<Env>({ strict: false });

  routes.post("/air/orders", async (context) => {
    const row = await createOrder(sandbox, offers, await readData(context, OrderBody), context.env.fault);
    sandbox.wake();
    return context.json({ data: renderOrder(row) }, 201);
  });

  routes.get("/air/orders", async (context) => {
    const query = ListQuery.safeParse(context.req.query());
    if (!query.success) throw fromZod(query.error);
    const page = readPage(context);
    const conditions: string[] = [];
    const values: unknown[] = [];
    const { offer_id: offerId, booking_reference: reference, awaiting_payment: awaiting, user_id: userId } = query.data;
    if (offerId !== undefined) conditions.push(`offer_id = $${values.push(offerId)}`);
    if (reference !== undefined) conditions.push(`booking_reference = $${values.push(reference)}`);
    if (awaiting !== undefined) conditions.push(awaiting === "true" ? "state = 'held'" : "state <> 'held'");
    if (userId !== undefined) {
      const place = values.push(userId);
      const passenger = `details @> jsonb_build_object('passengers', jsonb_build_array(jsonb_build_object('user_id', $${place}::text)))`;
      conditions.push(`(users ? $${place} OR ${passenger})`);
    }
    for (const name of context.req.queries("passenger_name[]") ?? []) {
      const pattern = `%${name.replaceAll(/[\\%_]/gu, "\\$&")}%`;
      conditions.push(
        `EXISTS (SELECT 1 FROM jsonb_array_elements(details->'passengers') AS passenger
           WHERE concat_ws(' ', passenger->>'given_name', passenger->>'family_name') ILIKE $${values.push(pattern)})`,
      );
    }
    const rows = await selectPage<OrderRow>(sandbox.db, "orders", conditions, values, page);
    return context.json(toListing(rows, page, renderOrder));
  });

  routes.get("/air/orders/:id", async (context) => {
    const row = await findOrder(sandbox.db, context.req.param("id"));
    if (row === undefined) throw notFound();
    return context.json({ data: renderOrder(row) });
  });

  routes.patch("/air/orders/:id", async (context) => {
    const body = await readData(context, UpdateBody);
    const { rows } = await sandbox.db.query<OrderRow>(
      "UPDATE orders SET metadata = COALESCE($2, metadata), users = COALESCE($3, users) WHERE id = $1 RETURNING *",
      [
        context.req.param("id"),
        body.metadata === undefined ? null : JSON.stringify(body.metadata),
        body.users === undefined ? null : JSON.stringify(body.users),
      ],
    );
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderOrder(row) });
  });
  return routes;
}
