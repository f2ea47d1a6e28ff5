// Faults that are the same for every commit of flights. "Accepted, but not complete": the call is answered 202 with nothing in
// it, and what comes of it comes later and by webhook.
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { airlineError } from "../http/errors.ts";
import type { Env, Sandbox } from "../sandbox.ts";
import { emit } from "../webhooks/events.ts";

const ORDERS = "/air/orders";

/** The order that was promised will not be made; its metadata is all that tells which one it would have been. */
async function tellCreationFailed(sandbox: Sandbox, body: string): Promise<void> {
  const parsed: unknown = JSON.parse(body);
  const data = typeof parsed === "object" && parsed !== null && "data" in parsed ? parsed.data : undefined;
  const asked = typeof data === "object" && data !== null ? data : {};
  const object = {
    live_mode: false,
    metadata: "metadata" in asked ? asked.metadata : {},
    selected_offers: "selected_offers" in asked ? asked.selected_offers : [],
  };
  await sandbox.db.transaction((tx) => emit(tx, "order.creation_failed", object, sandbox.clock.nowMs()));
  sandbox.wake();
}

/** An accepted call is done after the delay, or never. Like every late effect, it is lost when the process ends first. */
export function flightFaults(sandbox: Sandbox, handle: (request: Request, env: Env["Bindings"]) => Promise<Response>) {
  async function finish(
    request: Request,
    env: Env["Bindings"],
    body: string,
    dueMs: number,
    done: boolean,
  ): Promise<void> {
    await sandbox.clock.waitUntil(dueMs);
    const isOrder = new URL(request.url).pathname.replace(/\/$/u, "") === ORDERS;
    const made = done && (await handle(request, { ...env, fault: undefined })).ok;
    if (isOrder && !made) await tellCreationFailed(sandbox, body);
  }

  return createMiddleware<Env>(async (context: Context<Env>, next) => {
    const fault = context.env.fault;
    if (fault?.kind === "insufficient_balance")
      throw airlineError("insufficient_balance", "Your balance does not cover this payment.");
    const accepted = fault?.kind === "accepted_then_done" || fault?.kind === "accepted_then_failed";
    if (fault === undefined || !accepted || context.req.method === "GET") return next();
    const body = await context.req.text();
    const { method, url } = context.req.raw;
    const request = new Request(url, { method, headers: context.req.raw.headers, body });
    const dueMs = sandbox.clock.nowMs() + fault.delayMs;
    finish(request, context.env, body, dueMs, fault.kind === "accepted_then_done").catch((error: unknown) => {
      process.stderr.write(`an accepted call ended badly: ${String(error)}\n`);
    });
    return context.body(null, 202);
  });
}
