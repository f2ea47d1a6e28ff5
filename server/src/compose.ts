import { setTimeout as delay } from "node:timers/promises";
import { type DestinationStream, type Logger, pino } from "pino";
import { type Config, isPlainHttp } from "./config/config.ts";
import { modules } from "./contributions.ts";
import type { Decorators } from "./decorate.ts";
import type { RandomBytes } from "./domain/ids.ts";
import { currentTraceId } from "./domain/trace.ts";
import { type HostName, openHosts } from "./hosts.ts";
import { type JobQueue, startJob } from "./kernel/contracts/job.ts";
import type { Fact, Gauge } from "./kernel/contracts/module.ts";
import type { Tool } from "./kernel/contracts/tool.ts";
import type { Parts } from "./kernel/contracts/whole.ts";
import { openDashboardBundle } from "./outside/dashboard/dashboard-bundle.ts";
import type { EmbeddedOptions } from "./outside/embedded.ts";
import { createFront, type Front, reachableUrl } from "./outside/listen.ts";
import { openParts } from "./outside/parts.ts";
import { translate } from "./outside/translate.ts";
import { whileDatabaseIsAway } from "./platform/database/while-database-is-away.ts";
import { QueueWatch } from "./platform/leased-queue/watch-queues.ts";
import type { Clock } from "./ports/clock.ts";
import { BodyRoom } from "./surfaces/http/bodies/body-room.ts";
import { HostStatus } from "./surfaces/http/closed.ts";
import { connectionLimits, readOpenFilesLimit } from "./surfaces/http/connections.ts";
import { createMetrics, type Metrics } from "./surfaces/http/metrics.ts";
import { SERVICE_VERSION } from "./surfaces/mcp/versions.ts";

export interface AppOptions extends EmbeddedOptions {
  /** For harnesses outside of the product: replaces parts at the start. */
  decorate?: Decorators;
  /** Added to the registry; for benches and tests of the kernel. */
  extraTools?: readonly Tool[];
  clock?: Clock;
  /**
   * For ids, keys and secrets requested by callers. Background jobs use the system's generator, so that a seeded run is
   * repeatable.
   */
  random?: RandomBytes;
  /** Replaces the standard error output. */
  logTo?: DestinationStream;
  /** How long a stop waits for pending answers, instead of the configured time. */
  drainMilliseconds?: number;
}

export interface App {
  appUrl: string;
  edgeUrl: string;
  /** Which of the two hosts this process serves. */
  serves: readonly HostName[];
  /** The mounted routes of the application host, with paths in the router's syntax. */
  routes: readonly { method: string; path: string }[];
  /** Lines for the operator when the service is ready. */
  facts: readonly Fact[];
  /** Finishes or parks current work, flushes, and stops what was started. */
  stop(): Promise<void>;
}

/** Stops for everything that was started, run in reverse order. */
type Undo = (() => Promise<unknown>)[];

/** A sandbox has no work worth waiting for: interrupted work is looked up after the next start. */
const SANDBOX_DRAIN_MILLISECONDS = 5_000;
/** For the work of a call besides the supplier's commit. */
const DRAIN_MARGIN_MILLISECONDS = 5_000;

/** The composition: the hosts listen first and answer that they are starting, then the parts come up behind them. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = pino(
    { level: config.logLevel, mixin: traceOfLine },
    options.logTo ?? pino.destination({ fd: 2, sync: true }),
  );
  const status = new HostStatus();
  const { closedBecause, unreadyBecause, isLeaving } = status;
  const bodyRoom = new BodyRoom(config.bodyMemoryMegabytes);
  const ports: Record<HostName, number> = { app: config.port, edge: config.edgePort };
  const appUrl = () => config.publicAppUrl ?? reachableUrl(config.host, ports.app);
  const serves = (["app", "edge"] as const).filter((name) => config.serve === "both" || config.serve === name);
  const connections = connectionLimits(readOpenFilesLimit(), serves.length, config.connectionsPerAddress);
  const { metricsToken } = config;
  const about = { metricsToken, closedBecause, unreadyBecause, isLeaving, bodyRoom, connections, log };
  const fronts = serves.map((name) => ({ name, front: createFront(config, { ...about, appUrl }) }));
  const undo: Undo = [];
  const stopEverything = async () => {
    for (const step of undo.toReversed()) {
      await step().catch((error: unknown) => log.error({ err: error }, "a part did not stop cleanly"));
    }
  };
  try {
    const urls = await listenOnAll(config, fronts, ports, undo);
    if (config.networkMode === "production" && isPlainHttp(urls.app)) {
      log.warn(
        { url: urls.app },
        "PUBLIC_APP_URL is plain http: anyone on the network path can read and change what guests see",
      );
    }
    // Beside the other parts' start. What fails first is what the start says.
    const building = serves.includes("app") ? openDashboardBundle(config.dataDir, options.progress) : undefined;
    building?.catch(() => undefined);
    const metrics = createMetrics(SERVICE_VERSION);
    const parts = await openParts(config, { ...options, log, urls, countCall: metrics.countCall }, undo);
    metrics.addGauges([connectionsGauge(parts.pool), ...modules.flatMap((one) => one.gauges?.(parts) ?? [])]);
    await runModules(parts, metrics, undo, { log, signal: options.signal });
    const { kernel, catalog } = parts;
    const dashboard = await building;
    const hosts = await openHosts({ config, parts, kernel, catalog, dashboard, closedBecause, translate });
    options.signal?.throwIfAborted();
    for (const { name, front } of fronts) front.serve({ ...hosts[name], metrics });
    const facts = await Promise.all(modules.map((one) => one.facts?.(parts) ?? []));
    status.open();
    return {
      appUrl: urls.app,
      edgeUrl: urls.edge,
      serves,
      routes: fronts.flatMap(({ name, front }) => (name === "app" ? front.routes() : [])),
      facts: facts.flat(),
      async stop() {
        status.leave();
        if (config.drainSeconds > 0) await delay(config.drainSeconds * 1_000);
        status.close();
        parts.news.end();
        const drainMilliseconds = options.drainMilliseconds ?? computeDrainMilliseconds(config);
        await Promise.all(fronts.map(({ front }) => front.close(drainMilliseconds)));
        await stopEverything();
      },
    };
  } catch (error) {
    await stopEverything();
    throw error;
  }
}

/** Connections to the database of this process. */
function connectionsGauge(pool: Parts["pool"]): Gauge {
  return {
    name: "wayfare_database_connections",
    help: "Connections of the pool: in use, idle, and requests that wait for one.",
    labelNames: ["state"],
    read: () => [
      { labels: { state: "used" }, value: pool.totalCount - pool.idleCount },
      { labels: { state: "idle" }, value: pool.idleCount },
      { labels: { state: "waiting" }, value: pool.waitingCount },
    ],
  };
}

/** A line with its own trace id keeps it. */
function traceOfLine(): object {
  const traceId = currentTraceId();
  return traceId === undefined ? {} : { traceId };
}

/** Longer than a booking may take at the live supplier: an interrupted one has an unknown outcome. */
function computeDrainMilliseconds({ networkMode, supplierCommitTimeoutMilliseconds }: Config): number {
  if (networkMode === "sandbox") return SANDBOX_DRAIN_MILLISECONDS;
  return supplierCommitTimeoutMilliseconds + DRAIN_MARGIN_MILLISECONDS;
}

/** Another process serves the other host, at the address in the same configuration. */
async function listenOnAll(
  config: Config,
  fronts: readonly { name: HostName; front: Front }[],
  ports: Record<HostName, number>,
  undo: Undo,
): Promise<Parts["urls"]> {
  for (const { name, front } of fronts) {
    ports[name] = await front.listen(ports[name]);
    undo.push(() => front.close(0));
  }
  const local = reachableUrl(config.host, ports.app);
  return {
    app: config.publicAppUrl ?? local,
    edge: config.publicEdgeUrl ?? reachableUrl(config.host, ports.edge),
    local,
  };
}

/** Starts the background work. */
async function runModules(
  parts: Parts,
  metrics: Metrics,
  undo: Undo,
  { log, signal }: { log: Logger; signal: AbortSignal | undefined },
): Promise<void> {
  const { pool, news, clock } = parts;
  const queues = new QueueWatch({ pool, news, clock, log });
  const watch = (queue: JobQueue, wake: () => void) => queues.add(queue, wake);
  for (const one of modules) {
    const stops: (() => Promise<unknown>)[] = [];
    undo.push(() => Promise.all([one.stop?.(parts), ...stops.map((stop) => stop())]));
    await whileDatabaseIsAway(async () => await one.start?.(parts), signal);
    for (const job of one.jobs?.(parts) ?? []) stops.push(startJob(job, { log, onRun: metrics.countJob, watch }));
  }
  undo.push(() => queues.stop());
  queues.start();
}
