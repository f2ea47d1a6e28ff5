import { resolve } from "node:path";
import type { Config } from "./config/config.ts";
import { routes as moduleRoutes, operations, prompts } from "./contributions.ts";
import { ANSWER_PATH, APPROVE_PATH, CLAIM_PATH, UNSUBSCRIBE_PATH } from "./domain/page-paths.ts";
import type { Catalog } from "./kernel/contracts/catalog.ts";
import type { Kernel } from "./kernel/contracts/invocation.ts";
import type { Parts } from "./kernel/contracts/whole.ts";
import { listPaidChains } from "./outside/paid-chain.ts";
import { answerPageRoutes } from "./surfaces/answers/answer-page.ts";
import { approvePageRoutes } from "./surfaces/approvals/approve-page.ts";
import { claimPageRoutes } from "./surfaces/claims/claim-page.ts";
import { type DashboardBundle, dashboardPages } from "./surfaces/dashboard/dashboard-pages.ts";
import { languageModelRoutes } from "./surfaces/discovery/crawl-files.ts";
import { discoveryRoutes } from "./surfaces/discovery/index.ts";
import { paidOpenApiRoutes } from "./surfaces/discovery/openapi/openapi-route.ts";
import { loadPages } from "./surfaces/discovery/pages/load-pages.ts";
import { createNotFoundPage } from "./surfaces/discovery/pages/not-found-page.ts";
import { edgeServerCardRoutes } from "./surfaces/discovery/server-card.ts";
import { createDispatch, DISPATCH_PATH } from "./surfaces/dispatch/dispatch.ts";
import { createAdmission } from "./surfaces/http/admission.ts";
import { LargeBodies } from "./surfaces/http/bodies/large-bodies.ts";
import type { ClosedReason } from "./surfaces/http/closed.ts";
import type { Routes } from "./surfaces/http/hosts.ts";
import type { HttpHandler } from "./surfaces/http/http.ts";
import { mountRoutes } from "./surfaces/http/mount-routes.ts";
import { createOriginGuard, type OriginGuard } from "./surfaces/http/origin-guard.ts";
import { createSignedAnswers, createSignedExchange, type SignedAnswers } from "./surfaces/http/signed-exchange.ts";
import { Confirmations } from "./surfaces/mcp/calls/confirmations.ts";
import { APP_MCP_PATH, createMcp, EDGE_MCP_PATH } from "./surfaces/mcp/endpoint.ts";
import type { McpExtras } from "./surfaces/mcp/extras.ts";
import { openOauth } from "./surfaces/oauth/open-oauth.ts";
import { createPaidTools } from "./surfaces/paid/endpoint.ts";
import { PaidCalls } from "./surfaces/paid/paid-calls.ts";
import { createPriceTags } from "./surfaces/paid/price-tags.ts";
import { paidToolPaths, unknownToolRoutes } from "./surfaces/paid/routes.ts";
import { toolListRoutes } from "./surfaces/paid/tool-list.ts";
import { photoRoutes } from "./surfaces/photos.ts";
import { passkeyRoutes } from "./surfaces/sign-in/passkey-routes.ts";
import { createSessionAdmission } from "./surfaces/sign-in/session-admission.ts";
import { signInPages } from "./surfaces/sign-in/sign-in-pages.ts";
import { unsubscribePageRoutes } from "./surfaces/unsubscribe/unsubscribe-page.ts";

declare module "./kernel/contracts/parts.ts" {
  interface ModuleParts {
    /** Undefined: MCP offers only the registry. */
    readonly "surfaces.mcpExtras": McpExtras | undefined;
  }
}

/** `app`: dispatch, MCP, resources, pages · `edge`: the payment-gated tools and MCP. */
export type HostName = "app" | "edge";

/** The routes of one host. */
interface HostContent {
  /** By path, whatever the method; served without a router. */
  hot: Map<string, HttpHandler>;
  routes: Routes;
  /** The text at the host's root. */
  welcome: string;
  /** For answers that only this machine may see. */
  refuseOrigin: OriginGuard;
  notFoundPage(request: Request): Response | undefined;
}

export interface HostOptions {
  config: Config;
  parts: Parts;
  kernel: Kernel;
  catalog: Catalog;
  /** Undefined: this process does not serve the application host. */
  dashboard: DashboardBundle | undefined;
  closedBecause(): ClosedReason | undefined;
  translate(error: unknown): unknown;
}

const WELCOME = {
  app: `Wayfare: travel and settlement tools for AI agents.\n\nTools are called at POST ${DISPATCH_PATH} or over MCP at ${APP_MCP_PATH}, with an API key; some can be paid per call without one, on the edge host.\nPages: /docs, with configuration to copy at /docs/connect; for language models /llms.txt.\nHealth: /healthz, /readyz. Usage: GET /api/usage.\n`,
  edge: `Wayfare, edge host.\n\nTools are paid per call at POST /tools/<tool>, without an account (x402); GET /tools lists them with their prices.\nOver MCP they are called at ${EDGE_MCP_PATH}, with an API key or paid per call. Everything else is on the application host.\nHealth: /healthz, /readyz.\n`,
};

const DOCS_FOLDER = resolve(import.meta.dirname, "../../docs");

/** Opens all surfaces of the kernel, on both hosts. */
export async function openHosts(options: HostOptions): Promise<Readonly<Record<HostName, HostContent>>> {
  const { config, parts, kernel, catalog, translate, closedBecause } = options;
  const { identity, internalTokens, clock, random, log, urls, requestLimits } = parts;
  const refuseOrigin = createOriginGuard({ ...config, publicUrls: [urls.app, urls.edge] });
  const oauth = openOauth({
    agents: parts.connectedAgents,
    signIn: parts.signIn,
    app: { url: urls.app, mcpPath: APP_MCP_PATH },
    edge: { url: urls.edge, mcpPath: EDGE_MCP_PATH },
    allowedHosts: config.allowedHosts,
    refuseOrigin,
    vault: parts.vault,
    clock,
    log,
    ...requestLimits,
  });
  const answerSigned = createSignedAnswers({
    admission: createAdmission({ identity, internalTokens, ...requestLimits }),
    admitSession: createSessionAdmission({
      signIn: parts.signIn,
      appUrl: urls.app,
      notFor: [APP_MCP_PATH],
      ...requestLimits,
    }),
    admitAgent: oauth.admitAgent,
    closedBecause,
    translate,
    appUrl: urls.app,
    serviceSigningSecret: parts.vault.deriveKey("service-signing-secret"),
    clock,
    random,
    log,
  });
  const exchange = createSignedExchange(answerSigned);
  const routes = [
    ...mountRoutes(moduleRoutes, { answerSigned, ...requestLimits, ports: parts }),
    ...pageRoutes(options),
    ...oauth.routes.app,
  ];
  const addresses = { appUrl: urls.app, edgeUrl: urls.edge };
  const pages = loadPages({ folder: DOCS_FOLDER, ...addresses });
  const facts = { ...addresses, catalog, pages, welcome: WELCOME.app };
  // With the demo tenant in its examples, the first call sent from the reference works unchanged.
  const exampleTenantId = (await parts.demo)?.tenantId;
  const discovery = discoveryRoutes({
    ...config,
    ...facts,
    routes,
    operations,
    events: parts.tenantEvents,
    clock,
    exampleTenantId,
  });
  const largeBodies = new LargeBodies(catalog);
  const paidChains = listPaidChains(parts.chains);
  const payments = new PaidCalls({
    kernel,
    environment: config.networkMode,
    limits: parts.requestLimits,
    openCharge: (request) => parts.paymentCharges.open(request),
    priceTags: createPriceTags({ paidChains, edgeUrl: urls.edge, clock }),
  });
  const mcp = {
    answerSigned,
    kernel,
    catalog,
    identity,
    confirmations: new Confirmations({ vault: parts.vault, clock }),
    translate,
    pages,
    prompts,
    clock,
    log,
    refuseOrigin,
    largeBodies,
    fastPath: config.mcpFastPath === "on",
    extras: parts.mcpExtras,
  };
  const paid = openPaid(options, answerSigned, { payments, paidChains });
  const common = { refuseOrigin, notFoundPage: createNotFoundPage(urls.app) };
  return {
    app: {
      hot: new Map([
        [
          DISPATCH_PATH,
          createDispatch({ answerSigned, exchange, kernel, identity, largeBodies, beginTurn: parts.converse }),
        ],
        [APP_MCP_PATH, createMcp({ ...mcp, payments: undefined, challenge: oauth.challenge.app })],
      ]),
      routes: [...routes, ...photoRoutes(parts.suppliers.sandbox?.stays, requestLimits.photos, urls.app), ...discovery],
      welcome: WELCOME.app,
      ...common,
    },
    edge: {
      hot: new Map([[EDGE_MCP_PATH, createMcp({ ...mcp, payments, challenge: oauth.challenge.edge })], ...paid.hot]),
      routes: [...oauth.routes.edge, ...edgeServerCardRoutes(addresses), ...languageModelRoutes(facts), ...paid.routes],
      welcome: WELCOME.edge,
      ...common,
    },
  };
}

/** Pages that people open. */
function pageRoutes({ parts, dashboard }: HostOptions): Routes {
  const { signIn, passkeys, urls, requestLimits } = parts;
  const appUrl = urls.app;
  return [
    ...claimPageRoutes(CLAIM_PATH),
    ...approvePageRoutes(APPROVE_PATH),
    ...answerPageRoutes(ANSWER_PATH),
    ...unsubscribePageRoutes(UNSUBSCRIBE_PATH),
    ...signInPages({ signIn, appUrl, hasPasskeys: passkeys !== undefined, ...requestLimits }),
    ...passkeyRoutes({ passkeys, signIn, appUrl, ...requestLimits }),
    ...(dashboard === undefined ? [] : dashboardPages({ bundle: dashboard, signIn, appUrl })),
  ];
}

/** The surface for single paid calls. */
function openPaid(
  { config, parts, catalog }: HostOptions,
  answerSigned: SignedAnswers,
  { payments, paidChains }: { payments: PaidCalls; paidChains: ReturnType<typeof listPaidChains> },
): { hot: [path: string, handler: HttpHandler][]; routes: Routes } {
  const { clock, urls } = parts;
  const environment = config.networkMode;
  const servePaid = createPaidTools({ answerSigned, catalog, calls: payments });
  return {
    hot: paidToolPaths(catalog).map((path) => [path, servePaid]),
    routes: [
      ...toolListRoutes({ answerSigned, catalog, edgeUrl: urls.edge, paidChains, environment }),
      ...paidOpenApiRoutes({ catalog, appUrl: urls.app, edgeUrl: urls.edge, clock }),
      ...unknownToolRoutes(servePaid),
    ],
  };
}
