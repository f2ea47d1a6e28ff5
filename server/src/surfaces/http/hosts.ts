import { createHash, timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import type { RouteDescription } from "../../kernel/contracts/route.ts";
import type { Log } from "../../ports/log.ts";
import { renderProblem, renderThrown } from "../render-error.ts";
import { readBearer } from "./admission.ts";
import { type ClosedReason, closedDetail } from "./closed.ts";
import type { HttpHandler } from "./http.ts";
import { isLoopback } from "./limits/client-address.ts";
import type { Metrics } from "./metrics.ts";
import type { OriginGuard } from "./origin-guard.ts";
import { chooseTraceId } from "./trace.ts";
import { serveWeb, type WebClient } from "./web-adapter.ts";

/** Common options of both hosts for a live process. */
export interface HostOptions {
  /** The text at the host's root. */
  welcome: string;
  /** Undefined while serving; otherwise the reason. */
  closedBecause(): ClosedReason | undefined;
  /** Undefined while new callers are welcome; otherwise the reason. */
  unreadyBecause(): ClosedReason | undefined;
  /** For this machine, and for who has the token; omitted while starting. */
  metrics?: Metrics;
  /** Undefined: only this machine sees the metrics. */
  metricsToken: string | undefined;
  /** Why a page may not see it. */
  refuseOrigin?: OriginGuard;
  /** The 404 page. Undefined: the caller does not accept HTML. */
  notFoundPage?: (request: Request) => Response | undefined;
  /** The application host's URL for its callers. */
  appUrl(): string;
  log: Log;
}

type Environment = { Bindings: WebClient };

interface Host {
  fetch(request: Request, client: WebClient): Response | Promise<Response>;
  /** The mounted routes, with paths in the router's syntax. */
  routes: readonly { method: string; path: string }[];
}

/** For web-standard answers, such as bytes. */
export type WebHandler = (request: Request) => Response | Promise<Response>;

/** The same, for handlers that need the client's address, or a body within the limits of every body. */
export type ClientWebHandler = (
  request: Request,
  client: Pick<WebClient, "remoteAddress" | "readBody">,
) => Response | Promise<Response>;

/** A `GET` route also answers `HEAD`. */
type MountedRoute = {
  method: "GET" | "PUT" | "POST" | "DELETE" | "OPTIONS";
  path: string;
  /** Its part of the API description; required under `/api`. */
  description?: RouteDescription;
} & ({ handler: HttpHandler } | { webHandler: ClientWebHandler });

export type Routes = readonly MountedRoute[];

/** A host consists of its health routes, its own routes, and a problem for everything else. */
export function createHost(routes: Routes, options: HostOptions): Host {
  const { appUrl, log } = options;
  const app = new Hono<Environment>();
  app.get("/healthz", (context) => context.json({ ok: true }));
  app.get("/readyz", (context) => {
    const reason = options.unreadyBecause();
    if (reason === undefined) return context.json({ ok: true });
    return context.json({ ok: false, reason }, 503, { "retry-after": "2" });
  });
  app.get("/metrics", async (context) => {
    const { metrics, refuseOrigin } = options;
    const isOwn = isLoopback(context.env.remoteAddress) && refuseOrigin?.(context.req) === undefined;
    const isSeen = isOwn || hasToken(context.req.header("authorization"), options.metricsToken);
    if (!isSeen || metrics === undefined) return problem(context, "not_found", appUrl());
    const { contentType, text } = await metrics.render();
    return context.body(text, 200, { "content-type": contentType });
  });
  for (const route of routes) {
    app.on(route.method, route.path, (context) => {
      const request = context.req.raw;
      if ("webHandler" in route) return route.webHandler(request, context.env);
      return serveWeb(route.handler, request, context.env);
    });
  }
  // Last: a host may have its own page there.
  app.get("/", (context) => context.text(options.welcome));
  app.notFound((context) => {
    const closed = options.closedBecause();
    const page = closed === undefined ? options.notFoundPage?.(context.req.raw) : undefined;
    return page ?? problem(context, closed ?? "not_found", appUrl());
  });
  app.onError((error, context) => {
    const traceId = chooseTraceId(context.req.header("traceparent"));
    const { status, headers, body } = renderThrown(error, { traceId, appUrl: appUrl() }, log);
    return new Response(body, { status, headers });
  });
  return {
    fetch: (request, client) => app.fetch(request, client),
    routes: app.routes.map(({ method, path }) => ({ method, path })),
  };
}

/** Compares hashes, so that the time says nothing about the token. */
function hasToken(authorization: string | undefined, token: string | undefined): boolean {
  const bearer = readBearer(authorization);
  if (token === undefined || bearer.kind !== "token") return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(bearer.token), digest(token));
}

function problem(context: Context, code: "not_found" | ClosedReason, appUrl: string): Response {
  const traceId = chooseTraceId(context.req.header("traceparent"));
  const detail =
    code === "not_found" ? `There is nothing at ${context.req.method} ${context.req.path}.` : closedDetail[code];
  const { status, headers, body } = renderProblem({ code, detail }, { traceId, appUrl });
  return new Response(body, { status, headers });
}
