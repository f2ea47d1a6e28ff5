import { Hono } from "hono";
import type { Env, Router } from "../sandbox.ts";

const MOST_KEPT = 1_000;
const LONGEST_BODY = 20_000;

type RecordedRequest = { at: string; method: string; path: string; traceparent: string | null; body: string | null };

/** The last requests as received; kept in memory only. */
export class RecordedRequests {
  readonly #requests: RecordedRequest[] = [];

  add(request: RecordedRequest): void {
    this.#requests.push({ ...request, body: request.body?.slice(0, LONGEST_BODY) ?? null });
    if (this.#requests.length > MOST_KEPT) this.#requests.shift();
  }

  /** Those in whose path, trace or body `text` stands, the oldest first. */
  find(text: string): readonly RecordedRequest[] {
    return this.#requests.filter(({ path, traceparent, body }) =>
      [path, traceparent, body].some((part) => part?.includes(text) === true),
    );
  }
}

/** Control: what clients really sent. */
export function recordedRequestRoutes(recorded: RecordedRequests): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.get("/_sandbox/requests", (context) =>
    context.json({ requests: recorded.find(context.req.query("contains") ?? "") }),
  );
  return routes;
}
