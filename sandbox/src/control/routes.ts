import { Hono } from "hono";
import { z } from "zod";
import { AirportClosureBody, changeSchedule, closeAirport, ScheduleChangeBody } from "../changes/airline-initiated.ts";
import { renderAirlineChange } from "../changes/airline-rows.ts";
import { toIso } from "../clock.ts";
import { invalidateCredit, renderCredit } from "../credits/rows.ts";
import { accountCurrency } from "../currencies.ts";
import { formatMoney } from "../money.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { Workers } from "../workers.ts";
import { BooksBody, readBooks } from "./books.ts";
import { CapabilitiesBody, readCapabilities, setCapabilities } from "./capabilities.ts";
import { readLedger } from "./ledger.ts";
import { ScenarioBody, type Scenarios } from "./scenarios.ts";

const TickBody = z.strictObject({
  advanceSeconds: z
    .number()
    .min(0)
    .max(400 * 86_400),
});

export const CLOCK_OFFSET_KEY = "clock_offset_ms";

async function readJson(request: { text(): Promise<string> }): Promise<unknown> {
  try {
    return JSON.parse(await request.text());
  } catch {
    return undefined;
  }
}

/** For tests and demonstrations: arms faults, shows what really happened, moves the clock. No supplier has these. */
export function controlRoutes(sandbox: Sandbox, scenarios: Scenarios, workers: Workers): Router {
  const routes = new Hono<Env>({ strict: false });

  routes.post("/_sandbox/scenarios", async (context) => {
    const body = ScenarioBody.safeParse(await readJson(context.req));
    if (!body.success) return context.json({ error: z.prettifyError(body.error) }, 400);
    return context.json(await scenarios.arm(body.data, sandbox.clock.nowMs()), 201);
  });
  routes.get("/_sandbox/scenarios", async (context) => context.json({ scenarios: await scenarios.list() }));
  routes.delete("/_sandbox/scenarios", async (context) =>
    context.json({ cleared: await scenarios.clear(context.req.query("tenant")) }),
  );

  routes.post("/_sandbox/tick", async (context) => {
    const body = TickBody.safeParse(await readJson(context.req));
    if (!body.success) return context.json({ error: z.prettifyError(body.error) }, 400);
    const { rows } = await sandbox.db.query<{ value: string }>(
      `INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = settings.value + $2 RETURNING value`,
      [CLOCK_OFFSET_KEY, Math.round(body.data.advanceSeconds * 1000)],
    );
    const offset = Number(rows[0]?.value ?? sandbox.clock.offsetMs());
    sandbox.clock.moveTo(offset);
    await workers.runDueJobs();
    return context.json({ now: toIso(sandbox.clock.nowMs()), offsetSeconds: offset / 1000 });
  });

  routes.get("/_sandbox/capabilities", async (context) => context.json(await readCapabilities(sandbox.db)));
  routes.put("/_sandbox/capabilities", async (context) => {
    const body = CapabilitiesBody.safeParse(await readJson(context.req));
    if (!body.success) return context.json({ error: z.prettifyError(body.error) }, 400);
    return context.json(await setCapabilities(sandbox.db, body.data));
  });

  routes.post("/_sandbox/schedule_changes", async (context) => {
    const body = ScheduleChangeBody.safeParse(await readJson(context.req));
    if (!body.success) return context.json({ error: z.prettifyError(body.error) }, 400);
    const row = await changeSchedule(sandbox, body.data);
    if (row === undefined) return context.json({ error: "no open order has such a slice" }, 404);
    sandbox.wake();
    return context.json({ airline_initiated_change: renderAirlineChange(row) }, 201);
  });

  routes.post("/_sandbox/airport_closures", async (context) => {
    const body = AirportClosureBody.safeParse(await readJson(context.req));
    if (!body.success) return context.json({ error: z.prettifyError(body.error) }, 400);
    const changes = await closeAirport(sandbox, body.data);
    sandbox.wake();
    return context.json({ airline_initiated_changes: changes.map(renderAirlineChange) }, 201);
  });

  routes.post("/_sandbox/airline_credits/:id/invalidate", async (context) => {
    const id = context.req.param("id");
    const row = await sandbox.db.transaction((tx) => invalidateCredit(tx, id, sandbox.clock.nowMs()));
    if (row === undefined) return context.json({ error: "no credit of this id can be invalidated" }, 404);
    sandbox.wake();
    return context.json({ airline_credit: renderCredit(row) });
  });

  routes.get("/_sandbox/ledger", async (context) => {
    const ledger = await readLedger(sandbox.db);
    return context.json({
      now: toIso(sandbox.clock.nowMs()),
      ...ledger,
      balance: { amount: formatMoney(ledger.balanceMicro), currency: accountCurrency() },
      balanceMicro: undefined,
    });
  });
  routes.post("/_sandbox/books", async (context) => {
    const body = BooksBody.safeParse(await readJson(context.req));
    if (!body.success) return context.json({ error: z.prettifyError(body.error) }, 400);
    return context.json({ now: toIso(sandbox.clock.nowMs()), orders: await readBooks(sandbox.db, body.data) });
  });
  return routes;
}
