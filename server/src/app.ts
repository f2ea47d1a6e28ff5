import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { createGate } from "./access/gate.ts";
import { createRateLimiter } from "./access/rate-limiter.ts";
import { createVault } from "./adapters/vault.ts";
import { createChargeByKey } from "./billing/charge-by-key.ts";
import { type Config, ConfigError } from "./config.ts";
import { CHAIN_AWAY, chainAway, databaseAway, Failure } from "./domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "./domain/ids.ts";
import { prepareDemo, writeQuickstart } from "./embedded/first-run.ts";
import { readMasterKey } from "./embedded/master-key.ts";
import { startEmbedded } from "./embedded/start-embedded.ts";
import { createBookingReconciler } from "./jobs/reconcile-bookings.ts";
import { repeat } from "./jobs/repeat.ts";
import { sweepAbandonedCalls } from "./jobs/sweep-calls.ts";
import { createCatalog } from "./kernel/catalog.ts";
import { createKernel } from "./kernel/invoke.ts";
import type { Ports, Tool } from "./kernel/tool.ts";
import { equipMissingTenants, sandboxPayer, sandboxPrefund } from "./open-chain.ts";
import { equipTenant } from "./open-identity.ts";
import { openChains, openPorts } from "./open-ports.ts";
import { createHttpClient } from "./outbound/http-client.ts";
import { type Clock, systemClock } from "./ports/clock.ts";
import type { Environment } from "./ports/identity.ts";
import { prompts } from "./prompts/index.ts";
import { describeChain, differencesOf, startChains } from "./start-chains.ts";
import { createCalls } from "./storage/calls.ts";
import { openDatabase } from "./storage/database.ts";
import { createIdentity } from "./storage/identity.ts";
import { ledgerImbalance } from "./storage/ledger.ts";
import { migrateUnlocked, withPreparationLock } from "./storage/migrate.ts";
import { createStores } from "./storage/stores.ts";
import { checkMasterKey } from "./storage/tenants.ts";
import { isDatabaseAway } from "./storage/transient.ts";
import { createTravelers } from "./storage/travelers.ts";
import { createUsage } from "./storage/usage.ts";
import { whileDatabaseIsAway } from "./storage/while-database-is-away.ts";
import type { ClosedReason } from "./surfaces/closed.ts";
import { discoveryRoutes } from "./surfaces/discovery/index.ts";
import { loadPages } from "./surfaces/discovery/load-pages.ts";
import { edgeServerCardRoutes } from "./surfaces/discovery/server-card.ts";
import { createDispatch, DISPATCH_PATH } from "./surfaces/dispatch.ts";
import { createHost } from "./surfaces/hosts.ts";
import type { HttpHandler } from "./surfaces/http.ts";
import { APP_MCP_PATH, createMcp, EDGE_MCP_PATH } from "./surfaces/mcp/endpoint.ts";
import type { McpExtras } from "./surfaces/mcp/extras.ts";
import { createMetrics } from "./surfaces/metrics.ts";
import { createNodeHost, type NodeHost } from "./surfaces/node-host.ts";
import { resourceRoutes } from "./surfaces/resources.ts";
import { createSignedAnswers, createSignedExchange } from "./surfaces/signed-exchange.ts";
import { registry } from "./tools/index.ts";

export interface AppOptions {
  /** Beside the registry; for benches and tests of the kernel. */
  extraTools?: readonly Tool[];
  clock?: Clock;
  /** For ids, keys and secrets of what callers ask for. Background jobs draw from the system's, so that a seeded run repeats. */
  random?: RandomBytes;
  /** Further arguments of the supplier sandbox, such as a clock that stands still. */
  supplierOptions?: readonly string[];
  /** The same for the development chain. */
  devnetOptions?: readonly string[];
  /** Lines for the operator while something takes long. */
  progress?(line: string): void;
  /** Ends a start that is under way; what was started is stopped, and `startApp` rejects. */
  signal?: AbortSignal;
}

export interface App {
  appUrl: string;
  edgeUrl: string;
  /** What the application host has mounted, with paths in the router's words. */
  routes: readonly { method: string; path: string }[];
  /** Undefined in production, which has no demo tenant. */
  demo: { tenantId: string; quickstartPath: string } | undefined;
  /** Finishes or parks what is under way, flushes, and stops what was started. */
  stop(): Promise<void>;
}

/** Every tool with its schemas, compiled once. */
export const catalog = createCatalog(registry);

const WELCOME = {
  starting: "Wayfare is starting.\n",
  app: `Wayfare: travel and settlement tools for AI agents.\n\nTools are called at POST ${DISPATCH_PATH} or over MCP at ${APP_MCP_PATH}, with an API key.\nPages: /docs, with lines to copy at /docs/connect; for language models /llms.txt.\nHealth: /healthz, /readyz. Usage: GET /api/usage.\n`,
  edge: `Wayfare, edge host.\n\nTools are called over MCP at ${EDGE_MCP_PATH}, with an API key. Everything else is on the application host.\nHealth: /healthz, /readyz.\n`,
};

const DOCS_FOLDER = resolve(import.meta.dirname, "../../docs");
const HEARTBEAT_MILLISECONDS = 1_000;
const SWEEP_MILLISECONDS = 2_000;
const RECONCILE_MILLISECONDS = 1_000;
const PRUNE_MILLISECONDS = 600_000;
const DRAIN_MILLISECONDS = 5_000;
/** How long a call waits for a database that is away: longer than the embedded one needs to come back. */
const DATABASE_RETRY_MILLISECONDS = 8_000;
const MAXIMUM_RATE_LIMITED_IDS = 100_000;

/** The composition root: both hosts listen first and say that they are starting, then the parts come up behind them. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: true }));
  const status: { closed: ClosedReason | undefined } = { closed: "starting" };
  const closedBecause = () => status.closed;
  const fronts = [config.port, config.edgePort].map((port) => {
    const front = {
      port,
      hot: new Map<string, HttpHandler>(),
      host: createHost([], { welcome: WELCOME.starting, closedBecause, metrics: undefined, log }),
    };
    const node = createNodeHost({
      hot: (path) => front.hot.get(path),
      fallback: (request, remoteAddress) => front.host.fetch(request, remoteAddress),
      log,
    });
    return Object.assign(front, { node });
  });
  const undo: (() => Promise<unknown>)[] = [];
  const stopEverything = async () => {
    for (const step of undo.toReversed()) {
      await step().catch((error: unknown) => log.error({ err: error }, "a part did not stop cleanly"));
    }
  };
  try {
    for (const front of fronts) {
      front.port = await listen(front.node, front.port, config.host);
      undo.push(() => front.node.close(0));
    }
    const [appFront, edgeFront] = fronts;
    if (appFront === undefined || edgeFront === undefined) throw new Error("There are two hosts.");
    const appUrl = config.publicAppUrl ?? urlOf(config.host, appFront.port);
    const edgeUrl = config.publicEdgeUrl ?? urlOf(config.host, edgeFront.port);
    const service = await startService(config, { ...options, log, closedBecause, undo, appUrl, edgeUrl });
    options.signal?.throwIfAborted();
    const { metrics } = service;
    appFront.hot = service.hot;
    edgeFront.hot = service.edgeHot;
    appFront.host = createHost(service.routes, { welcome: WELCOME.app, closedBecause, metrics, log });
    edgeFront.host = createHost(edgeServerCardRoutes({ appUrl, edgeUrl }), {
      welcome: WELCOME.edge,
      closedBecause,
      metrics,
      log,
    });
    status.closed = undefined;
    return {
      appUrl,
      edgeUrl,
      routes: [...[...service.hot.keys()].map((path) => ({ method: "POST", path })), ...appFront.host.routes],
      demo: service.demo,
      async stop() {
        status.closed = "draining";
        await Promise.all(fronts.map((front) => front.node.close(DRAIN_MILLISECONDS)));
        await stopEverything();
      },
    };
  } catch (error) {
    await stopEverything();
    throw error;
  }
}

interface ServiceOptions extends AppOptions {
  log: Logger;
  closedBecause(): ClosedReason | undefined;
  /** What was started, in order; stopped in reverse. */
  undo: (() => Promise<unknown>)[];
  appUrl: string;
  edgeUrl: string;
}

async function startService(config: Config, options: ServiceOptions) {
  const { log, undo, closedBecause } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const processId = newId("proc_", clock.now().epochMilliseconds);
  const production = config.networkMode === "production";

  const vault = createVault(
    readMasterKey({ masterKeyFile: config.masterKeyFile, dataDir: config.dataDir, production }),
  );
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    supplierSandbox: config.embeddedSandbox === "on",
    ...(config.embeddedSandbox === "on" ? { devnetPrefund: sandboxPrefund(vault) } : {}),
    log,
    devnetOptions: [...(options.devnetOptions ?? []), ...(config.breakGuard === "chain-log" ? ["--log-late"] : [])],
    ...(options.supplierOptions === undefined ? {} : { supplierOptions: options.supplierOptions }),
    ...(options.progress === undefined ? {} : { progress: options.progress }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  undo.push(() => embedded.stop());
  const { databaseUrl } = embedded;
  const database = openDatabase(databaseUrl, {
    poolSize: config.databasePoolSize,
    onError: (error) => log.warn({ err: error }, "lost a database connection"),
  });
  undo.push(() => database.close());
  const { db, pool } = database;
  const travelers = createTravelers({ db, vault, clock });
  const stores = createStores(db, clock, vault);
  const http = createHttpClient();
  undo.push(async () => http.close());

  const prepare = async () => {
    await migrateUnlocked(database);
    await checkMasterKey(db, vault);
    const chains = await openChains(config, embedded, { db, vault, clock, stores, http, log });
    await equipMissingTenants({ db, vault, clock }, config.sandboxBalanceUsdc);
    const identity = createIdentity({
      db,
      pool,
      databaseUrl,
      vault,
      clock,
      random,
      networkMode: config.networkMode,
      log,
      onTenantCreated: equipTenant(config, clock, vault),
    });
    try {
      const demo = production ? undefined : await prepareDemo({ dataDir: config.dataDir, identity, travelers });
      return { identity, demo, chains };
    } catch (error) {
      await identity.close();
      throw error;
    }
  };
  // A database that dies in the middle of a start comes back like at any other time.
  const prepared = await whileDatabaseIsAway(() => withPreparationLock(databaseUrl, prepare), options.signal);
  undo.push(() => prepared.identity.close());
  const { identity, chains } = prepared;
  undo.push(await startChains(chains, { config, db, vault, clock, stores, log }));

  const portsByEnvironment = openPorts(config, embedded, chains, { clock, random, log, travelers, stores, http });
  const portsFor = (environment: Environment): Ports | undefined => portsByEnvironment[environment];
  const calls = createCalls(pool);
  const charge = createChargeByKey({
    calls,
    processId,
    clock,
    random,
    isTransient: isDatabaseAway,
    pause: (milliseconds) => delay(milliseconds),
    retryMilliseconds: DATABASE_RETRY_MILLISECONDS,
    onLooseEnd: (error) => log.error({ err: error }, "a call could not be settled"),
    broken:
      config.breakGuard === "idempotency" || config.breakGuard === "durable-flush" ? config.breakGuard : undefined,
  });
  undo.push(() => charge.idle());
  const metrics = createMetrics({
    ledgerImbalanceMicroUsdc: () => ledgerImbalance(db),
    ledgerChainDifferences: () => differencesOf(chains),
  });
  const translate = (error: unknown) => {
    if (error instanceof Failure) return error.code === CHAIN_AWAY ? chainAway(error) : error;
    return isDatabaseAway(error) ? databaseAway(error) : error;
  };
  const callable = options.extraTools === undefined ? catalog : createCatalog([...registry, ...options.extraTools]);
  const kernel = createKernel({
    catalog: callable,
    charge,
    portsFor,
    clock,
    random,
    log,
    translate,
    onCall: metrics.countCall,
  });
  const limiter = (ratePerSecond: number, burst: number) =>
    createRateLimiter({ ratePerSecond, burst, maxEntries: MAXIMUM_RATE_LIMITED_IDS, clock });
  const answerSigned = createSignedAnswers({
    gate: createGate({
      identity,
      perKey: limiter(config.rateLimitPerSecond, config.rateLimitBurst),
      perAddress: limiter(config.refusedKeysPerMinute / 60, config.refusedKeysPerMinute),
    }),
    closedBecause,
    translate,
    serviceSigningSecret: vault.deriveKey("service-signing-secret"),
    clock,
    random,
    log,
  });
  const exchange = createSignedExchange(answerSigned);

  await whileDatabaseIsAway(() => calls.heartbeat(processId), options.signal);
  const reconciler = createBookingReconciler({
    stores,
    portsFor,
    workerId: processId,
    clock,
    log,
  });
  const jobs = [
    repeat("heartbeat", HEARTBEAT_MILLISECONDS, () => calls.heartbeat(processId), log),
    repeat("sweep-calls", SWEEP_MILLISECONDS, () => sweepAbandonedCalls({ calls, processId, clock, log }), log),
    repeat("reconcile-bookings", RECONCILE_MILLISECONDS, () => reconciler.runOnce(), log),
    repeat("prune", PRUNE_MILLISECONDS, () => calls.prune(clock.now()), log),
    repeat("prune-private-offers", PRUNE_MILLISECONDS, () => stores.privateOffers.prune(clock.now()), log),
  ];
  undo.push(() => Promise.all(jobs.map((stop) => stop())));

  const { demo } = prepared;
  const { appUrl, edgeUrl } = options;
  const routes = resourceRoutes({ exchange, travelers, usage: createUsage(db), clock });
  const pages = loadPages({ folder: DOCS_FOLDER, appUrl, edgeUrl });
  const facts = { appUrl, edgeUrl, catalog: callable, pages, welcome: WELCOME.app };
  const discovery = discoveryRoutes({ ...config, ...facts, routes, clock });
  const serveMcp = createMcp({
    ...{ answerSigned, kernel, catalog: callable, identity, translate, pages, prompts, clock, log },
    guard: { ...config, publicUrls: [appUrl, edgeUrl] },
    fastPath: config.mcpFastPath === "on",
    extras: config.conformance === undefined ? undefined : await loadConformanceExtras(),
  });
  return {
    hot: new Map([
      [DISPATCH_PATH, createDispatch({ exchange, kernel, identity })],
      [APP_MCP_PATH, serveMcp],
    ]),
    edgeHot: new Map([[EDGE_MCP_PATH, serveMcp]]),
    routes: [...routes, ...discovery],
    metrics,
    demo:
      demo === undefined
        ? undefined
        : {
            tenantId: demo.tenantId,
            quickstartPath: writeQuickstart(config.dataDir, {
              appUrl,
              edgeUrl,
              ...demo,
              supplierUrl: embedded.supplier?.url,
              chain: describeChain(chains.sandbox, embedded.chain?.rpcUrl),
              payer: sandboxPayer(vault),
            }),
          },
  };
}

/** Loaded by who asks for them only: they are no part of the product. */
async function loadConformanceExtras(): Promise<McpExtras> {
  const { conformanceExtras } = await import("./surfaces/mcp/conformance/index.ts");
  return conformanceExtras;
}

async function listen(node: NodeHost, port: number, host: string): Promise<number> {
  try {
    return await node.listen(port, host);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new ConfigError(
        `Not started: port ${port} on ${host} is taken. Stop what uses it, or set PORT and EDGE_PORT.`,
      );
    }
    throw new ConfigError(
      `Not started: cannot listen on ${host}:${port} (${String(code)}). Set HOST, PORT and EDGE_PORT.`,
    );
  }
}

function urlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
