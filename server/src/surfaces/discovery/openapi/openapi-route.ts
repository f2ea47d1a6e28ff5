import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import type { TenantEventKind } from "../../../kernel/contracts/events.ts";
import type { RouteDescription } from "../../../kernel/contracts/route.ts";
import type { Clock } from "../../../ports/clock.ts";
import { cachedAnswer, cachedRoutes } from "../../http/cached-answer.ts";
import type { Routes } from "../../http/hosts.ts";
import { createOpenApi, createPaidOpenApi } from "./openapi.ts";
import { healthOperations, mcpOperation, openApiOperation } from "./service-operations.ts";

const PLAIN_PATH = "/openapi.json";

export interface OpenApiRouteOptions {
  catalog: Catalog;
  appUrl: string;
  /** The application host's other routes; those with a description are included. */
  routes: Routes;
  /** Operations of routes that are served without a router. */
  operations: readonly RouteDescription[];
  events: readonly TenantEventKind[];
  clock: Clock;
  /** As in `createOpenApi`. */
  exampleTenantId: string | undefined;
}

/**
 * `GET /api/openapi.json`, and the same at `/openapi.json`, where generators look by default: rendered once, from the routes
 * that are mounted.
 */
export function openApiRoutes({
  catalog,
  appUrl,
  routes,
  operations,
  events,
  clock,
  exampleTenantId,
}: OpenApiRouteOptions): Routes {
  const mounted = routes.flatMap(({ description }) => (description === undefined ? [] : [description]));
  const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
  const described = [...mounted, ...operations, mcpOperation, openApiOperation, ...healthOperations];
  const answer = cachedAnswer(
    () => createOpenApi(catalog, { appUrl, routes: described, events, today, exampleTenantId }),
    { contentType: "application/json; charset=utf-8" },
  );
  return [...cachedRoutes(openApiOperation.path, answer, openApiOperation), ...cachedRoutes(PLAIN_PATH, answer)];
}

/** `GET /openapi.json` of the edge host, where crawlers of x402 look first. */
export function paidOpenApiRoutes(options: {
  catalog: Catalog;
  appUrl: string;
  edgeUrl: string;
  clock: Clock;
}): Routes {
  const today = options.clock.now().toZonedDateTimeISO("UTC").toPlainDate();
  const text = () => createPaidOpenApi(options.catalog, { ...options, today });
  return cachedRoutes(PLAIN_PATH, cachedAnswer(text, { contentType: "application/json; charset=utf-8" }));
}
