import { type DestinationStream, pino } from "pino";
import { type Config, ConfigError } from "./config/config.ts";
import type { HostContent } from "./open-surfaces.ts";
import { type ServiceOptions, startService } from "./start-service.ts";
import type { ClosedReason } from "./surfaces/http/closed.ts";
import { createHost } from "./surfaces/http/hosts.ts";
import type { HttpHandler } from "./surfaces/http/http.ts";
import { createNodeHost, type NodeHost } from "./surfaces/http/node-host.ts";

export { catalog } from "./start-service.ts";

type OwnOptions = "log" | "closedBecause" | "undo" | "appUrl" | "edgeUrl" | "localAppUrl";

export interface AppOptions extends Omit<ServiceOptions, OwnOptions> {
  /** In place of the standard error output. */
  logTo?: DestinationStream;
  /** How long a stop waits for the answers that are under way. */
  drainMilliseconds?: number;
}

/** `app`: dispatch, MCP, resources, pages · `edge`: the payment-gated tools and MCP. */
type HostName = "app" | "edge";

export interface App {
  appUrl: string;
  edgeUrl: string;
  /** Which of the two this process is. */
  serves: readonly HostName[];
  /** What the application host has mounted, with paths in the router's words. */
  routes: readonly { method: string; path: string }[];
  /** Undefined in production, which has no demo tenant. */
  demo: { tenantId: string; quickstartPath: string } | undefined;
  /** Finishes or parks what is under way, flushes, and stops what was started. */
  stop(): Promise<void>;
}

const STARTING = "Wayfare is starting.\n";
const DRAIN_MILLISECONDS = 5_000;

/** The composition root: the hosts listen first and say that they are starting, then the parts come up behind them. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = pino({ level: config.logLevel }, options.logTo ?? pino.destination({ fd: 2, sync: true }));
  const status: { closed: ClosedReason | undefined } = { closed: "starting" };
  const closedBecause = () => status.closed;
  const serves = (["app", "edge"] as const).filter((name) => config.serve === "both" || config.serve === name);
  const fronts = serves.map((name) => {
    const front = {
      name,
      hot: new Map<string, HttpHandler>(),
      host: createHost([], { welcome: STARTING, closedBecause, metrics: undefined, log }),
    };
    const node = createNodeHost({
      hot: (path) => front.hot.get(path),
      fallback: (request, remoteAddress) => front.host.fetch(request, remoteAddress),
      trustedProxies: config.trustedProxies,
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
    // A host that another process serves is where the same configuration says.
    const ports: Record<HostName, number> = { app: config.port, edge: config.edgePort };
    for (const { name, node } of fronts) {
      ports[name] = await listen(node, ports[name], config.host);
      undo.push(() => node.close(0));
    }
    const localAppUrl = urlOf(config.host, ports.app);
    const appUrl = config.publicAppUrl ?? localAppUrl;
    const edgeUrl = config.publicEdgeUrl ?? urlOf(config.host, ports.edge);
    const service = await startService(config, {
      ...{ ...options, log, closedBecause, undo, appUrl, edgeUrl, localAppUrl },
    });
    options.signal?.throwIfAborted();
    for (const front of fronts) {
      const content: HostContent = service.hosts[front.name];
      front.hot = content.hot;
      front.host = createHost(content.routes, {
        welcome: content.welcome,
        closedBecause,
        metrics: service.metrics,
        log,
      });
    }
    status.closed = undefined;
    return {
      appUrl,
      edgeUrl,
      serves,
      routes: fronts
        .filter(({ name }) => name === "app")
        .flatMap(({ hot, host }) => [...[...hot.keys()].map((path) => ({ method: "POST", path })), ...host.routes]),
      demo: service.demo,
      async stop() {
        status.closed = "draining";
        await Promise.all(fronts.map((front) => front.node.close(options.drainMilliseconds ?? DRAIN_MILLISECONDS)));
        await stopEverything();
      },
    };
  } catch (error) {
    await stopEverything();
    throw error;
  }
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
