// Prices that the operator agreed with a hotel or a chain: kept here, and shown in a search that names them.
import { Hono } from "hono";
import { z } from "zod";
import { invalidField, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newId } from "../ids.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { isChain } from "./chains.ts";
import { findHotel } from "./hotels.ts";
import type { NegotiatedRate } from "./search.ts";

type NegotiatedRateRow = {
  id: string;
  seq: string;
  rate_access_code: string;
  display_name: string;
  chain_id: string | null;
  accommodation_ids: string[] | null;
};

const Places = {
  accommodation_ids: z.array(z.string()).min(1).max(500).optional(),
  chain_id: z.string().optional(),
};
const CreateBody = z.object({
  rate_access_code: z.string().trim().min(1).max(100),
  display_name: z.string().trim().min(1).max(200),
  ...Places,
});
const UpdateBody = z.object({
  rate_access_code: z.unknown().optional(),
  display_name: CreateBody.shape.display_name.optional(),
  ...Places,
});

function render(row: NegotiatedRateRow) {
  return {
    id: row.id,
    rate_access_code: row.rate_access_code,
    display_name: row.display_name,
    chain_id: row.chain_id,
    accommodation_ids: row.accommodation_ids,
    live_mode: false,
  };
}

/** The agreed rates that a search names, as they are now. */
export async function findNegotiatedRates(db: Queryable, ids: readonly string[]): Promise<NegotiatedRate[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<NegotiatedRateRow>(
    "SELECT * FROM negotiated_rates WHERE id = ANY ($1) ORDER BY seq",
    [ids],
  );
  for (const [index, id] of ids.entries()) {
    if (!rows.some((row) => row.id === id))
      throw invalidField("validation_inclusion", `negotiated_rate_ids/${index}`, `'${id}' is not a negotiated rate`);
  }
  return rows.map((row) => ({
    id: row.id,
    displayName: row.display_name,
    chainId: row.chain_id,
    accommodationIds: row.accommodation_ids ?? [],
  }));
}

function checkPlaces(
  { seed }: Sandbox,
  body: { accommodation_ids?: string[] | undefined; chain_id?: string | undefined },
): void {
  if (body.accommodation_ids !== undefined && body.chain_id !== undefined)
    throw invalidField("validation_inclusion", "chain_id", "A rate is for accommodation or for a chain, not for both");
  if (body.chain_id !== undefined && !isChain(body.chain_id))
    throw invalidField("validation_inclusion", "chain_id", "is not a chain");
  for (const [index, id] of (body.accommodation_ids ?? []).entries()) {
    if (findHotel(seed, id) === undefined)
      throw invalidField("validation_inclusion", `accommodation_ids/${index}`, "is not an accommodation");
  }
}

async function find({ db }: Sandbox, id: string): Promise<NegotiatedRateRow> {
  const { rows } = await db.query<NegotiatedRateRow>("SELECT * FROM negotiated_rates WHERE id = $1", [id]);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

export function negotiatedRateRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  const { db, clock } = sandbox;

  routes.post("/stays/negotiated_rates", async (context) => {
    const body = await readData(context, CreateBody);
    if (body.accommodation_ids === undefined && body.chain_id === undefined)
      throw invalidField("validation_required", "accommodation_ids", "accommodation_ids or chain_id is required");
    checkPlaces(sandbox, body);
    const { rows } = await db.transaction((tx) =>
      tx.query<NegotiatedRateRow>(
        `INSERT INTO negotiated_rates (id, rate_access_code, display_name, chain_id, accommodation_ids, created_ms)
         VALUES ($1,$2,$3,$4,$5,$6) RETURNING *`,
        [
          newId("nre"),
          body.rate_access_code,
          body.display_name,
          body.chain_id ?? null,
          body.accommodation_ids === undefined ? null : JSON.stringify(body.accommodation_ids),
          Math.floor(clock.nowMs()),
        ],
      ),
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the new negotiated rate was not returned");
    return context.json({ data: render(row) }, 201);
  });
  routes.get("/stays/negotiated_rates", async (context) => {
    const page = readPage(context);
    return context.json(
      toListing(await selectPage<NegotiatedRateRow>(db, "negotiated_rates", [], [], page), page, render),
    );
  });
  routes.get("/stays/negotiated_rates/:id", async (context) =>
    context.json({ data: render(await find(sandbox, context.req.param("id"))) }),
  );
  routes.patch("/stays/negotiated_rates/:id", async (context) => {
    const body = await readData(context, UpdateBody);
    if (body.rate_access_code !== undefined) {
      throw invalidField(
        "validation_inclusion",
        "rate_access_code",
        "Field 'rate_access_code' cannot be changed; create another negotiated rate.",
      );
    }
    checkPlaces(sandbox, body);
    const current = await find(sandbox, context.req.param("id"));
    // Naming one kind of place takes the other away: a rate has exactly one.
    const renewed = body.accommodation_ids !== undefined || body.chain_id !== undefined;
    const ids = renewed ? (body.accommodation_ids ?? null) : current.accommodation_ids;
    const { rows } = await db.transaction((tx) =>
      tx.query<NegotiatedRateRow>(
        "UPDATE negotiated_rates SET display_name = $2, chain_id = $3, accommodation_ids = $4 WHERE id = $1 RETURNING *",
        [
          current.id,
          body.display_name ?? current.display_name,
          renewed ? (body.chain_id ?? null) : current.chain_id,
          ids === null ? null : JSON.stringify(ids),
        ],
      ),
    );
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: render(row) });
  });
  routes.delete("/stays/negotiated_rates/:id", async (context) => {
    const { rowCount } = await db.transaction((tx) =>
      tx.query("DELETE FROM negotiated_rates WHERE id = $1", [context.req.param("id")]),
    );
    if (rowCount !== 1) throw notFound();
    return context.body(null, 204);
  });
  return routes;
}
