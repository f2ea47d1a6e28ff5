import type { ServerResponse } from "node:http";
import { Hono } from "hono";
import type { Env, Router } from "../sandbox.ts";

/** Requests that arrived and get no answer, until their clients give up or are given up. */
export class HeldRequests {
  readonly #responses = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    // Its client may have given up meanwhile.
    if (response.closed) return;
    this.#responses.add(response);
    response.once("close", () => this.#responses.delete(response));
  }

  /** Breaks their connections; how many they were. What takes effect late does so all the same. */
  hangUp(): number {
    const responses = [...this.#responses];
    this.#responses.clear();
    for (const response of responses) response.socket?.resetAndDestroy();
    return responses.length;
  }
}

/** Control: a client need not wait for its own time-out to learn that no answer comes. */
export function heldRequestRoutes(held: HeldRequests): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/_sandbox/hang-up", (context) => context.json({ hungUp: held.hangUp() }));
  return routes;
}
