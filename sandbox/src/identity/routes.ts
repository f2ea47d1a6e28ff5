import { Hono } from "hono";
import { z } from "zod";
import { invalidField, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { formatIso } from "../orders/rows.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { customerUserGroupRoutes } from "./groups.ts";

type UserRow = {
  id: string;
  seq: string;
  email: string;
  given_name: string;
  family_name: string;
  phone_number: string | null;
  group_id: string | null;
  group_name: string | null;
  created_ms: string;
};

const UserBody = z.object({
  email: z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/u, "is not an e-mail address"),
  given_name: z.string().trim().min(1),
  family_name: z.string().trim().min(1),
  phone_number: z.string().nullish(),
  group_id: z.string().nullish(),
});

/** Users with the name of their group. */
const USERS = `(SELECT customer_users.*, customer_user_groups.name AS group_name
  FROM customer_users LEFT JOIN customer_user_groups ON customer_user_groups.id = group_id) AS users`;

function renderUser(row: UserRow) {
  return {
    id: row.id,
    email: row.email,
    given_name: row.given_name,
    family_name: row.family_name,
    phone_number: row.phone_number,
    group: row.group_id === null ? null : { id: row.group_id, name: row.group_name },
    live_mode: false,
    created_at: formatIso(row.created_ms),
  };
}

async function findUser(db: Queryable, id: string): Promise<UserRow> {
  const { rows } = await db.query<UserRow>(`SELECT * FROM ${USERS} WHERE id = $1`, [id]);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

async function checkGroup(tx: Queryable, id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const { rowCount } = await tx.query("SELECT 1 FROM customer_user_groups WHERE id = $1 FOR SHARE", [id]);
  if (rowCount !== 1) throw invalidField("validation_inclusion", "group_id", "is not a customer user group");
}

/** An e-mail address is had once in a group, and once by users who are in none. */
async function checkEmailIsFree(
  tx: Queryable,
  user: { id: string; email: string; groupId: string | null },
): Promise<void> {
  // Two that take the same address at once wait for each other here.
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended(lower($1), 0))", [user.email]);
  const { rowCount } = await tx.query(
    "SELECT 1 FROM customer_users WHERE lower(email) = lower($1) AND group_id IS NOT DISTINCT FROM $2 AND id <> $3 LIMIT 1",
    [user.email, user.groupId, user.id],
  );
  if (rowCount !== 0)
    throw invalidField("emails_not_unique", "email", "Another customer user already has this e-mail address");
}

export function customerUserRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/identity/customer/users", async (context) => {
    const body = await readData(context, UserBody);
    // In a transaction, so that a lost connection is answered as the unknown outcome that it is.
    const row = await sandbox.db.transaction(async (tx) => {
      await checkGroup(tx, body.group_id);
      const id = newId("icu");
      await checkEmailIsFree(tx, { id, email: body.email, groupId: body.group_id ?? null });
      await tx.query(
        "INSERT INTO customer_users (id, email, given_name, family_name, phone_number, group_id, created_ms) VALUES ($1,$2,$3,$4,$5,$6,$7)",
        [
          id,
          body.email,
          body.given_name,
          body.family_name,
          body.phone_number ?? null,
          body.group_id ?? null,
          sandbox.clock.nowMs(),
        ],
      );
      return findUser(tx, id);
    });
    return context.json({ data: renderUser(row) }, 201);
  });
  routes.get("/identity/customer/users", async (context) => {
    const page = readPage(context);
    const email = context.req.query("email");
    const filter = email === undefined ? [] : ["lower(email) = lower($1)"];
    const rows = await selectPage<UserRow>(sandbox.db, USERS, filter, email === undefined ? [] : [email], page);
    return context.json(toListing(rows, page, renderUser));
  });
  routes.get("/identity/customer/users/:id", async (context) =>
    context.json({ data: renderUser(await findUser(sandbox.db, context.req.param("id"))) }),
  );
  routes.put("/identity/customer/users/:id", async (context) => {
    const body = await readData(context, UserBody);
    const row = await sandbox.db.transaction(async (tx) => {
      const current = await findUser(tx, context.req.param("id"));
      await checkGroup(tx, body.group_id);
      // Who does not speak of the group leaves it as it is.
      const groupId = body.group_id === undefined ? current.group_id : body.group_id;
      await checkEmailIsFree(tx, { id: current.id, email: body.email, groupId });
      await tx.query(
        "UPDATE customer_users SET email = $2, given_name = $3, family_name = $4, phone_number = $5, group_id = $6 WHERE id = $1",
        [current.id, body.email, body.given_name, body.family_name, body.phone_number ?? null, groupId],
      );
      return findUser(tx, current.id);
    });
    return context.json({ data: renderUser(row) });
  });
  routes.route("/", customerUserGroupRoutes(sandbox));
  return routes;
}
