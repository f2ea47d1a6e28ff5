// How many calls may come in a stretch of time. Every answer says so, as the supplier's do.
import { Hono } from "hono";
import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { Env, Router } from "../sandbox.ts";

/** Far more than a test or a demonstration makes. */
const DEFAULT_LIMIT = 1_000_000;
const DEFAULT_WINDOW_MS = 60_000;

export type Allowance = { readonly allowed: boolean; readonly headers: Readonly<Record<string, string>> };

export class RateLimit {
  readonly #clock: Clock;
  #limit = DEFAULT_LIMIT;
  #windowMs = DEFAULT_WINDOW_MS;
  #startedMs = 0;
  #used = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts from now on, anew. */
  set(limit = DEFAULT_LIMIT, windowMs = DEFAULT_WINDOW_MS): void {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#startedMs = this.#clock.nowMs();
    this.#used = 0;
  }

  /** Counts one call, if it is allowed. */
  take(): Allowance {
    const nowMs = this.#clock.nowMs();
    if (nowMs >= this.#startedMs + this.#windowMs) {
      this.#startedMs = nowMs;
      this.#used = 0;
    }
    const allowed = this.#used < this.#limit;
    if (allowed) this.#used += 1;
    return { allowed, headers: this.#headers(this.#limit - this.#used, this.#startedMs + this.#windowMs) };
  }

  /** As when everything was used up, for as long as told. */
  refuse(forMs: number): Allowance {
    return { allowed: false, headers: this.#headers(0, this.#clock.nowMs() + forMs) };
  }

  #headers(remaining: number, resetMs: number): Record<string, string> {
    // A date to the second, by the caller's clock, which no tick moves.
    const resetAt = Math.ceil((resetMs - this.#clock.offsetMs()) / 1_000) * 1_000;
    return {
      "ratelimit-limit": String(this.#limit),
      "ratelimit-remaining": String(remaining),
      "ratelimit-reset": new Date(resetAt).toUTCString(),
    };
  }
}

const LimitBody = z.strictObject({
  limit: z.number().int().min(0).max(DEFAULT_LIMIT),
  windowSeconds: z.number().int().min(1).max(86_400).default(60),
});

/** Control: not remembered over a restart. */
export function rateLimitRoutes(limits: RateLimit): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/_sandbox/rate-limit", async (context) => {
    let given: unknown;
    try {
      given = JSON.parse(await context.req.text());
    } catch {
      given = undefined;
    }
    const body = LimitBody.safeParse(given);
    if (!body.success) return context.json({ error: z.prettifyError(body.error) }, 400);
    limits.set(body.data.limit, body.data.windowSeconds * 1_000);
    return context.json(body.data, 201);
  });
  routes.delete("/_sandbox/rate-limit", (context) => {
    limits.set();
    return context.json({ limit: DEFAULT_LIMIT, windowSeconds: DEFAULT_WINDOW_MS / 1_000 });
  });
  return routes;
}
