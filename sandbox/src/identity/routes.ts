import { Hono } from "hono";
import { z } from "zod";
import { notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { isoOf } from "../orders/rows.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";

type UserRow = {
  id: string;
  seq: string;
  email: string;
  given_name: string;
  family_name: string;
  phone_number: string | null;
  created_ms: string;
};

const UserBody = z.object({
  email: z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/u, "is not an e-mail address"),
  given_name: z.string().trim().min(1),
  family_name: z.string().trim().min(1),
  phone_number: z.string().nullish(),
});

function renderUser(row: UserRow) {
  return {
    id: row.id,
    email: row.email,
    given_name: row.given_name,
    family_name: row.family_name,
    phone_number: row.phone_number,
    group: null,
    live_mode: false,
    created_at: isoOf(row.created_ms),
  };
}

export function customerUserRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/identity/customer/users", async (context) => {
    const body = await readData(context, UserBody);
    // In a transaction, so that a lost connection is answered as the unknown outcome that it is.
    const { rows } = await sandbox.db.transaction((tx) =>
      tx.query<UserRow>(
        "INSERT INTO customer_users (id, email, given_name, family_name, phone_number, created_ms) VALUES ($1,$2,$3,$4,$5,$6) RETURNING *",
        [newId("icu"), body.email, body.given_name, body.family_name, body.phone_number ?? null, sandbox.clock.nowMs()],
      ),
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the new customer user was not returned");
    return context.json({ data: renderUser(row) }, 201);
  });
  routes.get("/identity/customer/users", async (context) => {
    const page = readPage(context);
    const email = context.req.query("email");
    const filter = email === undefined ? [] : ["lower(email) = lower($1)"];
    const rows = await selectPage<UserRow>(
      sandbox.db,
      "customer_users",
      filter,
      email === undefined ? [] : [email],
      page,
    );
    return context.json(toListing(rows, page, renderUser));
  });
  routes.get("/identity/customer/users/:id", async (context) => {
    const { rows } = await sandbox.db.query<UserRow>("SELECT * FROM customer_users WHERE id = $1", [
      context.req.param("id"),
    ]);
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderUser(row) });
  });
  routes.put("/identity/customer/users/:id", async (context) => {
    const body = await readData(context, UserBody);
    const { rows } = await sandbox.db.query<UserRow>(
      "UPDATE customer_users SET email = $2, given_name = $3, family_name = $4, phone_number = $5 WHERE id = $1 RETURNING *",
      [context.req.param("id"), body.email, body.given_name, body.family_name, body.phone_number ?? null],
    );
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderUser(row) });
  });
  return routes;
}
