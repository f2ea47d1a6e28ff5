import { setImmediate as nextTurn } from "node:timers/promises";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import type { TenantEventKind } from "../../../kernel/contracts/events.ts";
import type { RouteDescription } from "../../../kernel/contracts/route.ts";
import type { JsonObject } from "./openapi-json.ts";
import { paidHeaders, paidParameters, paidPaths } from "./openapi-paid.ts";
import { components, problemSchema, tags } from "./openapi-parts.ts";
import { routeOperation } from "./openapi-routes.ts";
import { toolOperation, toolPath, toolSchemas } from "./openapi-tools.ts";
import { eventWebhooks } from "./openapi-webhooks.ts";

/** The version of the description, not of the product: interface specification, "Versioning". */
const DESCRIPTION_VERSION = "1.0.0";

const INTRODUCTION = `Travel and settlement tools for AI agents. Every tool is called with its arguments at one address, and is charged only if it succeeds.

Each tool is listed as a separate operation. The part of its path after \`#\` only distinguishes the tools and is never sent: the request goes to the address before it, with the tool's name in the body.

Errors are \`application/problem+json\`; \`retryable\` says whether sending the same call again can help.`;

interface OpenApiOptions {
  appUrl: string;
  /** Every described route of the application host. */
  routes: readonly RouteDescription[];
  events: readonly TenantEventKind[];
  /** Examples use later dates. */
  today: Temporal.PlainDate;
  /** The tenant named in examples. Default: one that does not exist. */
  exampleTenantId?: string | undefined;
}

/**
 * The OpenAPI 3.1 description of the application host, from the registry and the routes' own descriptions. Describing all of
 * them takes long, so other requests run between any two.
 */
export async function createOpenApi(
  catalog: Catalog,
  { appUrl, routes, events, today, exampleTenantId }: OpenApiOptions,
): Promise<string> {
  const paths = new Map<string, Record<string, JsonObject>>();
  const schemas: [string, JsonObject][] = [];
  for (const entry of catalog.entries) {
    await nextTurn();
    schemas.push(...toolSchemas(entry));
    paths.set(toolPath(entry.tool.name), { post: toolOperation(entry, { today, appUrl, exampleTenantId }) });
  }
  // Sorted, so that the description does not depend on the mounting order.
  const described = routes.map((route) => ({ route, path: templatePath(route.path) }));
  for (const { route, path } of described.toSorted((one, other) => one.path.localeCompare(other.path))) {
    await nextTurn();
    const item = paths.get(path) ?? {};
    item[route.method.toLowerCase()] = routeOperation(route, appUrl);
    paths.set(path, item);
  }
  const used = new Set([...catalog.entries.map(({ tool }) => tool.area), ...routes.map(({ tag }) => tag)]);
  const document: JsonObject = {
    openapi: "3.1.0",
    info: {
      title: "Wayfare",
      version: DESCRIPTION_VERSION,
      summary: "Travel and settlement tools for AI agents.",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: appUrl, description: "This deployment" }],
    externalDocs: { url: `${appUrl}/docs`, description: "Guides, prices and what to do about errors" },
    tags: tags.filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(paths),
    webhooks: eventWebhooks(events),
    components: {
      ...components,
      schemas: { Problem: problemSchema, ...Object.fromEntries(schemas) },
    },
  };
  return JSON.stringify(document);
}

/** Converts the router's `:name` to OpenAPI's `{name}`. */
function templatePath(routerPath: string): string {
  return routerPath.replaceAll(/:(\w+)/g, "{$1}");
}

const PAID_INTRODUCTION = `Travel and settlement tools for AI agents, paid per call with a wallet (x402), most of them without an account.

A request without a payment returns 402 and the terms. Errors are \`application/problem+json\`; \`retryable\` says whether sending the same call again can help.`;

/** The OpenAPI 3.1 description of the edge host's payment-gated tools. Other requests run in between, too. */
export async function createPaidOpenApi(
  catalog: Catalog,
  { appUrl, edgeUrl, today }: { appUrl: string; edgeUrl: string; today: Temporal.PlainDate },
): Promise<string> {
  const schemas: [string, JsonObject][] = [];
  for (const entry of catalog.entries) {
    await nextTurn();
    schemas.push(...toolSchemas(entry));
  }
  const used = new Set<string>(["discovery", ...catalog.entries.map(({ tool }) => tool.area)]);
  return JSON.stringify({
    openapi: "3.1.0",
    info: {
      title: "Wayfare, paid per call",
      version: DESCRIPTION_VERSION,
      summary: "Travel and settlement tools for AI agents.",
      description: PAID_INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: edgeUrl, description: "The edge host of this deployment" }],
    externalDocs: {
      url: `${appUrl}/docs/paying-per-call`,
      description: "How to pay for a call, and what happens if it is not paid",
    },
    tags: tags.filter(({ name }) => used.has(name)),
    paths: paidPaths(catalog.entries, { today, appUrl }),
    components: {
      ...components,
      headers: { ...components.headers, ...paidHeaders },
      parameters: { ...paidParameters, Traceparent: components.parameters.Traceparent },
      schemas: { Problem: problemSchema, ...Object.fromEntries(schemas) },
    },
    "x-discovery": { llmsTxtUrl: `${appUrl}/llms.txt` },
  });
}
