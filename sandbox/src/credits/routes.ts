import { Hono } from "hono";
import { z } from "zod";
import { accountCurrency } from "../currencies.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { parseMoney } from "../money.ts";
import { airlineByCode } from "../reference/data.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import { type CreditRow, createCredit, renderCredit } from "./rows.ts";

const PlainDate = z.string().regex(/^\d{4}-\d{2}-\d{2}$/u, "must be a date as YYYY-MM-DD");
const CreditBody = z.object({
  airline_iata_code: z.string(),
  amount: z.string(),
  amount_currency: z.string().refine((code) => code === accountCurrency(), "is not the currency of the account"),
  code: z.string().min(1),
  type: z.enum(["eticket", "mco"]),
  issued_on: PlainDate,
  expires_at: z.string().regex(/^\d{4}-\d{2}-\d{2}/u, "must be a date or time in ISO 8601"),
  given_name: z.string().nullish(),
  family_name: z.string().nullish(),
  user_id: z.string().nullish(),
});

export function creditRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/air/airline_credits", async (context) => {
    const body = await readData(context, CreditBody);
    const amountMicro = parseMoney(body.amount);
    if (amountMicro === undefined || amountMicro === 0n)
      throw invalidField("validation_format", "amount", "Field 'amount' is not a positive decimal amount");
    if (!airlineByCode.has(body.airline_iata_code))
      throw invalidField("validation_inclusion", "airline_iata_code", "is not a known airline");
    const userId = body.user_id ?? null;
    if (userId !== null) {
      const { rowCount } = await sandbox.db.query("SELECT 1 FROM customer_users WHERE id = $1", [userId]);
      if (rowCount !== 1) throw invalidField("validation_inclusion", "user_id", "is not a customer user");
    }
    const nowMs = sandbox.clock.nowMs();
    const row = await sandbox.db.transaction((tx) =>
      createCredit(
        tx,
        {
          airline: body.airline_iata_code,
          amountMicro,
          code: body.code,
          type: body.type,
          issued_on: body.issued_on,
          expires_on: body.expires_at.slice(0, 10),
          given_name: body.given_name ?? null,
          family_name: body.family_name ?? null,
          user_id: userId,
          order_id: null,
          passenger_id: null,
        },
        nowMs,
      ),
    );
    sandbox.wake();
    return context.json({ data: renderCredit(row) }, 201);
  });
  routes.get("/air/airline_credits", async (context) => {
    const page = readPage(context);
    const userId = context.req.query("user_id");
    const filter = userId === undefined ? [] : ["user_id = $1"];
    const rows = await selectPage<CreditRow>(
      sandbox.db,
      "airline_credits",
      filter,
      userId === undefined ? [] : [userId],
      page,
    );
    return context.json(toListing(rows, page, renderCredit));
  });
  routes.get("/air/airline_credits/:id", async (context) => {
    const { rows } = await sandbox.db.query<CreditRow>("SELECT * FROM airline_credits WHERE id = $1", [
      context.req.param("id"),
    ]);
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderCredit(row) });
  });
  return routes;
}
