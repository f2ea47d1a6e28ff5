import { resolve } from "node:path";
import type { Config } from "./config/config.ts";
import { routes as moduleRoutes, prompts, type RoutePorts } from "./contributions.ts";
import type { RandomBytes } from "./domain/ids.ts";
import type { Catalog } from "./kernel/catalog.ts";
import type { Kernel } from "./kernel/invoke.ts";
import { CLAIM_PATH } from "./modules/escrow/guest-link.ts";
import type { Clock } from "./ports/clock.ts";
import type { Environment, Identity } from "./ports/identity.ts";
import type { Log } from "./ports/log.ts";
import { claimPageRoutes } from "./surfaces/claims/claim-page.ts";
import { discoveryRoutes } from "./surfaces/discovery/index.ts";
import { loadPages } from "./surfaces/discovery/load-pages.ts";
import { paidOpenApiRoutes } from "./surfaces/discovery/openapi-route.ts";
import { edgeServerCardRoutes } from "./surfaces/discovery/server-card.ts";
import { createDispatch, DISPATCH_PATH } from "./surfaces/dispatch/dispatch.ts";
import type { ClosedReason } from "./surfaces/http/closed.ts";
import { createGate } from "./surfaces/http/gate.ts";
import type { Routes } from "./surfaces/http/hosts.ts";
import type { HttpHandler } from "./surfaces/http/http.ts";
import { mountRoutes } from "./surfaces/http/mount-routes.ts";
import { createRateLimiter, type RateLimiter } from "./surfaces/http/rate-limiter.ts";
import { createSignedAnswers, createSignedExchange } from "./surfaces/http/signed-exchange.ts";
import { APP_MCP_PATH, createMcp, EDGE_MCP_PATH } from "./surfaces/mcp/endpoint.ts";
import type { McpExtras } from "./surfaces/mcp/extras.ts";
import { createPaidTools, type PaidToolsOptions } from "./surfaces/paid/endpoint.ts";
import { createPriceTags, type PaidNetwork } from "./surfaces/paid/price-tags.ts";
import { paidToolPaths, unknownToolRoutes } from "./surfaces/paid/routes.ts";
import { toolListRoutes } from "./surfaces/paid/tool-list.ts";

/** What one host serves. */
export interface HostContent {
  /** By path, whatever the method: served without a router. */
  hot: Map<string, HttpHandler>;
  routes: Routes;
  /** What a person reads who opens the host. */
  welcome: string;
}

export interface SurfaceOptions extends RoutePorts {
  config: Config;
  kernel: Kernel;
  catalog: Catalog;
  identity: Identity;
  openCharge: PaidToolsOptions["openCharge"];
  paidNetworks: Readonly<Partial<Record<Environment, PaidNetwork>>>;
  appUrl: string;
  edgeUrl: string;
  closedBecause(): ClosedReason | undefined;
  translate(error: unknown): unknown;
  /** Signs answers to callers that could not be identified. */
  serviceSigningSecret: string;
  /** What the MCP endpoints offer beside the registry. */
  mcpExtras?: McpExtras;
  clock: Clock;
  random: RandomBytes;
  log: Log;
}

const WELCOME = {
  app: `Wayfare: travel and settlement tools for AI agents.\n\nTools are called at POST ${DISPATCH_PATH} or over MCP at ${APP_MCP_PATH}, with an API key; some can be paid per call without one, on the edge host.\nPages: /docs, with lines to copy at /docs/connect; for language models /llms.txt.\nHealth: /healthz, /readyz. Usage: GET /api/usage.\n`,
  edge: `Wayfare, edge host.\n\nTools are paid per call at POST /tools/<tool>, without an account (x402); GET /tools lists them with their prices.\nOver MCP they are called at ${EDGE_MCP_PATH}, with an API key. Everything else is on the application host.\nHealth: /healthz, /readyz.\n`,
};

const DOCS_FOLDER = resolve(import.meta.dirname, "../../docs");
const MAXIMUM_RATE_LIMITED_IDS = 100_000;

/** Everything by which the world reaches the kernel, of both hosts. */
export async function openSurfaces(options: SurfaceOptions): Promise<{ app: HostContent; edge: HostContent }> {
  const { config, kernel, catalog, identity, translate, appUrl, edgeUrl, closedBecause, clock, random, log } = options;
  const limiter = (ratePerSecond: number, burst: number) =>
    createRateLimiter({ ratePerSecond, burst, maxEntries: MAXIMUM_RATE_LIMITED_IDS, clock });
  const refused = limiter(config.refusedKeysPerMinute / 60, config.refusedKeysPerMinute);
  const answerSigned = createSignedAnswers({
    gate: createGate({
      identity,
      perKey: limiter(config.rateLimitPerSecond, config.rateLimitBurst),
      perAddress: refused,
    }),
    closedBecause,
    translate,
    serviceSigningSecret: options.serviceSigningSecret,
    clock,
    random,
    log,
  });
  const exchange = createSignedExchange(answerSigned);
  const publicRequests = limiter(config.claimsPerMinute / 60, config.claimsPerMinute);
  const routes = [
    ...mountRoutes(moduleRoutes, { answerSigned, publicRequests, refused, ports: options }),
    ...claimPageRoutes(CLAIM_PATH),
  ];
  const pages = loadPages({ folder: DOCS_FOLDER, appUrl, edgeUrl });
  const facts = { appUrl, edgeUrl, catalog, pages, welcome: WELCOME.app };
  const discovery = discoveryRoutes({ ...config, ...facts, routes, clock });
  const serveMcp = createMcp({
    ...{ answerSigned, kernel, catalog, identity, translate, pages, prompts, clock, log },
    guard: { ...config, publicUrls: [appUrl, edgeUrl] },
    fastPath: config.mcpFastPath === "on",
    extras: options.mcpExtras,
  });
  const unpaid = limiter(config.unpaidPerMinute / 60, config.unpaidPerMinute);
  const paid = openPaid(options, { answerSigned, unpaid, refused });
  return {
    app: {
      hot: new Map([
        [DISPATCH_PATH, createDispatch({ exchange, kernel, identity })],
        [APP_MCP_PATH, serveMcp],
      ]),
      routes: [...routes, ...discovery],
      welcome: WELCOME.app,
    },
    edge: {
      hot: new Map([[EDGE_MCP_PATH, serveMcp], ...paid.hot]),
      routes: [...edgeServerCardRoutes({ appUrl, edgeUrl }), ...paid.routes],
      welcome: WELCOME.edge,
    },
  };
}

/** What is bought call by call. */
function openPaid(
  { config, kernel, catalog, openCharge, paidNetworks, appUrl, edgeUrl, clock }: SurfaceOptions,
  shared: { unpaid: RateLimiter; refused: RateLimiter } & Pick<PaidToolsOptions, "answerSigned">,
): { hot: [path: string, handler: HttpHandler][]; routes: Routes } {
  const environment = config.networkMode;
  const network = paidNetworks[environment];
  if (network === undefined) throw new Error("A deployment has the network of its own mode.");
  const servePaid = createPaidTools({
    ...shared,
    ...{ kernel, catalog, openCharge, environment },
    priceTags: createPriceTags({ networks: paidNetworks, edgeUrl, clock }),
  });
  return {
    hot: paidToolPaths(catalog).map((path) => [path, servePaid]),
    routes: [
      ...toolListRoutes({ catalog, edgeUrl, network }),
      ...paidOpenApiRoutes({ catalog, appUrl, edgeUrl, clock }),
      ...unknownToolRoutes(servePaid),
    ],
  };
}
