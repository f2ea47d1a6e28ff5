// Groups of customer users. A user is in one group at most, and says so itself.
import { Hono } from "hono";
import { z } from "zod";
import { invalidField, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newId } from "../ids.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";

type GroupRow = { id: string; seq: string; name: string; user_ids: string[]; created_ms: string };

const Name = z.string().trim().min(1).max(200);
const GroupBody = z.object({ name: Name, user_ids: z.array(z.string()).max(1000).default([]) });
const GroupChange = z.object({ name: Name.optional(), user_ids: z.array(z.string()).max(1000).optional() });

/** Groups with the ids of their users, oldest user first. */
const GROUPS = `(SELECT customer_user_groups.*, COALESCE(
  (SELECT jsonb_agg(customer_users.id ORDER BY customer_users.seq) FROM customer_users WHERE group_id = customer_user_groups.id), '[]') AS user_ids
  FROM customer_user_groups) AS groups`;

function renderGroup(row: GroupRow) {
  return { id: row.id, name: row.name, user_ids: row.user_ids };
}

async function findGroup(db: Queryable, id: string): Promise<GroupRow> {
  const { rows } = await db.query<GroupRow>(`SELECT * FROM ${GROUPS} WHERE id = $1`, [id]);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Exactly these users are in the group afterwards, whichever they were in before. */
async function setMembers(tx: Queryable, groupId: string, userIds: readonly string[]): Promise<void> {
  await tx.query("UPDATE customer_users SET group_id = NULL WHERE group_id = $1 AND id <> ALL ($2)", [
    groupId,
    userIds,
  ]);
  const { rows } = await tx.query<{ id: string }>(
    "UPDATE customer_users SET group_id = $1 WHERE id = ANY ($2) RETURNING id",
    [groupId, userIds],
  );
  for (const [index, id] of userIds.entries()) {
    if (!rows.some((row) => row.id === id))
      throw invalidField("validation_inclusion", `user_ids/${index}`, `'${id}' is not a customer user`);
  }
  const { rowCount } = await tx.query(
    "SELECT 1 FROM customer_users WHERE group_id = $1 GROUP BY lower(email) HAVING count(*) > 1 LIMIT 1",
    [groupId],
  );
  if (rowCount !== 0)
    throw invalidField("emails_not_unique", "user_ids", "Two users of the group have the same e-mail address");
}

export function customerUserGroupRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  const { db, clock } = sandbox;

  routes.post("/identity/customer/user_groups", async (context) => {
    const body = await readData(context, GroupBody);
    const row = await db.transaction(async (tx) => {
      const id = newId("usg");
      await tx.query("INSERT INTO customer_user_groups (id, name, created_ms) VALUES ($1, $2, $3)", [
        id,
        body.name,
        Math.floor(clock.nowMs()),
      ]);
      await setMembers(tx, id, body.user_ids);
      return findGroup(tx, id);
    });
    return context.json({ data: renderGroup(row) }, 201);
  });
  routes.get("/identity/customer/user_groups", async (context) => {
    const page = readPage(context);
    return context.json(toListing(await selectPage<GroupRow>(db, GROUPS, [], [], page), page, renderGroup));
  });
  routes.get("/identity/customer/user_groups/:id", async (context) =>
    context.json({ data: renderGroup(await findGroup(db, context.req.param("id"))) }),
  );
  routes.patch("/identity/customer/user_groups/:id", async (context) => {
    const change = await readData(context, GroupChange);
    const row = await db.transaction(async (tx) => {
      const current = await findGroup(tx, context.req.param("id"));
      if (change.name !== undefined)
        await tx.query("UPDATE customer_user_groups SET name = $2 WHERE id = $1", [current.id, change.name]);
      if (change.user_ids !== undefined) await setMembers(tx, current.id, change.user_ids);
      return findGroup(tx, current.id);
    });
    return context.json({ data: renderGroup(row) });
  });
  routes.delete("/identity/customer/user_groups/:id", async (context) => {
    const { rowCount } = await db.transaction((tx) =>
      tx.query("DELETE FROM customer_user_groups WHERE id = $1", [context.req.param("id")]),
    );
    if (rowCount !== 1) throw notFound();
    return context.body(null, 204);
  });
  return routes;
}
