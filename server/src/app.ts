import { setTimeout as delay } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { createGate } from "./access/gate.ts";
import { createRateLimiter } from "./access/rate-limiter.ts";
import { createDuffel } from "./adapters/duffel/index.ts";
import { createEmbeddedMaps } from "./adapters/embedded-maps/index.ts";
import { createVault } from "./adapters/vault.ts";
import { createChargeByKey } from "./billing/charge-by-key.ts";
import { type Config, ConfigError } from "./config.ts";
import { databaseAway, Failure } from "./domain/errors.ts";
import { newId } from "./domain/ids.ts";
import { prepareDemo, writeQuickstart } from "./embedded/first-run.ts";
import { readMasterKey } from "./embedded/master-key.ts";
import { type Embedded, startEmbedded } from "./embedded/start-embedded.ts";
import { createBookingReconciler } from "./jobs/reconcile-bookings.ts";
import { repeat } from "./jobs/repeat.ts";
import { sweepAbandonedCalls } from "./jobs/sweep-calls.ts";
import { createCatalog } from "./kernel/catalog.ts";
import { createKernel } from "./kernel/invoke.ts";
import type { Ports, Tool } from "./kernel/tool.ts";
import { equipTenant } from "./open-identity.ts";
import { createHttpClient } from "./outbound/http-client.ts";
import { type Clock, systemClock } from "./ports/clock.ts";
import type { Environment } from "./ports/identity.ts";
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
import type { ClosedReason } from "./surfaces/closed.ts";
import { createDispatch, DISPATCH_PATH } from "./surfaces/dispatch.ts";
import { createHost } from "./surfaces/hosts.ts";
import type { HttpHandler } from "./surfaces/http.ts";
import { createMetrics } from "./surfaces/metrics.ts";
import { createNodeHost, type NodeHost } from "./surfaces/node-host.ts";
import { resourceRoutes } from "./surfaces/resources.ts";
import { createSignedExchange } from "./surfaces/signed-exchange.ts";
import { registry } from "./tools/index.ts";

export interface AppOptions {
  /** Beside the registry; for benches and tests of the kernel. */
  extraTools?: readonly Tool[];
  clock?: Clock;
  /** Lines for the operator while something takes long. */
  progress?(line: string): void;
  /** Ends a start that is under way; what was started is stopped, and `startApp` rejects. */
  signal?: AbortSignal;
}

export interface App {
  appUrl: string;
  edgeUrl: string;
  /** Undefined in production, which has no demo tenant. */
  demo: { tenantId: string; quickstartPath: string } | undefined;
  /** Finishes or parks what is under way, flushes, and stops what was started. */
  stop(): Promise<void>;
}

/** Every tool with its schemas, compiled once. */
export const catalog = createCatalog(registry);

const WELCOME = {
  starting: "Wayfare is starting.\n",
  app: `Wayfare: travel and settlement tools for AI agents.\n\nTools are called at POST ${DISPATCH_PATH} with an API key; the README has a first call to copy.\nHealth: /healthz, /readyz. Usage: GET /api/usage.\n`,
  edge: "Wayfare, edge host.\n\nHealth: /healthz, /readyz. The tools are on the application host.\n",
};

const HEARTBEAT_MILLISECONDS = 1_000;
const SWEEP_MILLISECONDS = 2_000;
const RECONCILE_MILLISECONDS = 1_000;
const PRUNE_MILLISECONDS = 600_000;
const DRAIN_MILLISECONDS = 5_000;
/** How long a call waits for a database that is away: longer than the embedded one needs to come back. */
const DATABASE_RETRY_MILLISECONDS = 8_000;
/** How long a start waits for a database that went away in the middle of it. */
const DATABASE_START_MILLISECONDS = 30_000;
const DATABASE_START_PAUSE_MILLISECONDS = 200;
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
    appFront.host = createHost(service.routes, { welcome: WELCOME.app, closedBecause, metrics, log });
    edgeFront.host = createHost([], { welcome: WELCOME.edge, closedBecause, metrics, log });
    status.closed = undefined;
    return {
      appUrl,
      edgeUrl,
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
  const clock = options.clock ?? systemClock;
  const processId = newId("proc_", clock.now().epochMilliseconds);
  const production = config.networkMode === "production";

  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    supplierSandbox: config.embeddedSandbox === "on",
    log,
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
  const vault = createVault(
    readMasterKey({ masterKeyFile: config.masterKeyFile, dataDir: config.dataDir, production }),
  );
  const travelers = createTravelers({ db, vault, clock });
  const stores = createStores(db, clock);

  const prepare = async () => {
    await migrateUnlocked(database);
    await checkMasterKey(db, vault);
    const identity = createIdentity({
      db,
      pool,
      databaseUrl,
      vault,
      clock,
      networkMode: config.networkMode,
      log,
      onTenantCreated: equipTenant(config, clock),
    });
    try {
      const demo = production ? undefined : await prepareDemo({ dataDir: config.dataDir, identity, travelers });
      return { identity, demo };
    } catch (error) {
      await identity.close();
      throw error;
    }
  };
  // A database that dies in the middle of a start comes back like at any other time.
  const prepared = await whileDatabaseIsAway(() => withPreparationLock(databaseUrl, prepare), options.signal);
  undo.push(() => prepared.identity.close());
  const { identity } = prepared;

  const portsByEnvironment = makePorts(config, embedded, { clock, log, travelers, stores, undo });
  const portsFor = (environment: Environment): Ports | undefined => portsByEnvironment[environment];
  const calls = createCalls(pool);
  const charge = createChargeByKey({
    calls,
    processId,
    clock,
    isTransient: isDatabaseAway,
    pause: (milliseconds) => delay(milliseconds),
    retryMilliseconds: DATABASE_RETRY_MILLISECONDS,
    onLooseEnd: (error) => log.error({ err: error }, "a call could not be settled"),
    broken:
      config.breakGuard === "idempotency" || config.breakGuard === "durable-flush" ? config.breakGuard : undefined,
  });
  undo.push(() => charge.idle());
  const metrics = createMetrics({ ledgerImbalanceMicroUsdc: () => ledgerImbalance(db) });
  const translate = (error: unknown) =>
    error instanceof Failure || !isDatabaseAway(error) ? error : databaseAway(error);
  const kernel = createKernel({
    catalog: options.extraTools === undefined ? catalog : createCatalog([...registry, ...options.extraTools]),
    charge,
    portsFor,
    clock,
    log,
    translate,
    onCall: metrics.countCall,
  });
  const limiter = (ratePerSecond: number, burst: number) =>
    createRateLimiter({ ratePerSecond, burst, maxEntries: MAXIMUM_RATE_LIMITED_IDS, clock });
  const exchange = createSignedExchange({
    gate: createGate({
      identity,
      perKey: limiter(config.rateLimitPerSecond, config.rateLimitBurst),
      perAddress: limiter(config.refusedKeysPerMinute / 60, config.refusedKeysPerMinute),
    }),
    closedBecause,
    translate,
    serviceSigningSecret: vault.deriveKey("service-signing-secret"),
    clock,
    log,
  });

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
  return {
    hot: new Map([[DISPATCH_PATH, createDispatch({ exchange, kernel, identity })]]),
    routes: resourceRoutes({ exchange, travelers, usage: createUsage(db), clock }),
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
            }),
          },
  };
}

/** Tries again for as long as the database is away, within reason. */
async function whileDatabaseIsAway<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const begun = performance.now();
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() - begun > DATABASE_START_MILLISECONDS) throw error;
      await delay(DATABASE_START_PAUSE_MILLISECONDS, undefined, signal === undefined ? {} : { signal });
    }
  }
}

/** Two sets of ports, the sandbox's and the live ones; the kernel picks one by the key's environment. */
function makePorts(
  config: Config,
  embedded: Embedded,
  shared: Pick<Ports, "clock" | "travelers" | "stores"> & { log: Logger; undo: (() => Promise<unknown>)[] },
): Partial<Record<Environment, Ports>> {
  const { clock, travelers, stores, log, undo } = shared;
  const http = createHttpClient();
  undo.push(async () => http.close());
  const maps = createEmbeddedMaps({ clock });
  const common = { clock, travelers, stores, maps };
  const { supplier } = embedded;
  const ports: Partial<Record<Environment, Ports>> = {};
  if (supplier !== undefined) {
    const sandbox = createDuffel({
      baseUrl: supplier.url,
      token: supplier.token,
      sandbox: true,
      sourceLevel: "embedded",
      clock,
      log,
      http,
      timeouts: { searchMs: config.supplierSearchTimeoutMs, commitMs: config.sandboxCommitTimeoutMs },
      quietMilliseconds: config.sandboxQuietMs,
    });
    ports.sandbox = { ...common, ...sandbox };
  }
  if (config.networkMode === "production" && config.supplierUrl !== undefined && config.supplierToken !== undefined) {
    const live = createDuffel({
      baseUrl: config.supplierUrl,
      token: config.supplierToken,
      sandbox: false,
      sourceLevel: "live",
      clock,
      log,
      http,
      timeouts: { searchMs: config.supplierSearchTimeoutMs, commitMs: config.supplierCommitTimeoutMs },
      quietMilliseconds: config.supplierQuietMs,
    });
    ports.production = { ...common, ...live };
  }
  return ports;
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
