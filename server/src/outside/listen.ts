import type { Logger } from "pino";
import { type Config, ConfigError } from "../config/config.ts";
import type { BodyRoom } from "../surfaces/http/bodies/body-room.ts";
import type { ConnectionLimits } from "../surfaces/http/connections.ts";
import { createHost, type HostOptions, type Routes } from "../surfaces/http/hosts.ts";
import type { HttpHandler } from "../surfaces/http/http.ts";
import { createNodeHost, type NodeHost } from "../surfaces/http/node-host.ts";

interface FrontContent extends Pick<HostOptions, "welcome" | "metrics" | "refuseOrigin"> {
  hot: Map<string, HttpHandler>;
  routes: Routes;
}

/** A host that answers that the service is starting until it is given its routes. */
export interface Front {
  /** Listens on this port and returns the actual one. */
  listen(port: number): Promise<number>;
  serve(content: FrontContent): void;
  /** The mounted routes, with paths in the router's syntax. */
  routes(): readonly { method: string; path: string }[];
  /** Accepts no more connections, and waits this long for pending answers. */
  close(drainMilliseconds: number): Promise<void>;
}

const STARTING = "Wayfare is starting.\n";

export function createFront(
  config: Pick<Config, "host" | "trustedProxies">,
  about: Pick<HostOptions, "closedBecause" | "unreadyBecause" | "appUrl" | "metricsToken"> & {
    isLeaving(): boolean;
    bodyRoom: BodyRoom;
    connections: ConnectionLimits;
    log: Logger;
  },
): Front {
  let hot = new Map<string, HttpHandler>();
  let streams: readonly Stream[] = [];
  let host = createHost([], { welcome: STARTING, ...about });
  const node = createNodeHost({
    hot: (path, method) => hot.get(path) ?? findStream(streams, path, method),
    fallback: (request, client) => host.fetch(request, client),
    trustedProxies: config.trustedProxies,
    ...about,
  });
  return {
    listen: (port) => listen(node, port, config.host),
    serve({ routes, ...content }) {
      hot = content.hot;
      streams = routes.flatMap(listStream);
      host = createHost(routes, { ...content, ...about });
    },
    routes: () => [...[...hot.keys()].map((path) => ({ method: "POST", path })), ...host.routes],
    close: (drainMilliseconds) => node.close(drainMilliseconds),
  };
}

/** Served without the router, whose answers cannot have trailers. */
interface Stream {
  method: string;
  path: RegExp;
  handler: HttpHandler;
}

function listStream(route: Routes[number]): Stream[] {
  if (!("handler" in route) || route.description?.isStream !== true) return [];
  const path = new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`);
  return [{ method: route.method, path, handler: route.handler }];
}

function findStream(streams: readonly Stream[], path: string, method: string): HttpHandler | undefined {
  return streams.find((stream) => stream.method === method && stream.path.test(path))?.handler;
}

const remedies: Readonly<Record<string, string>> = {
  EACCES: "Ports below 1024 need administrator rights: set PORT and EDGE_PORT to higher ones.",
  EADDRNOTAVAIL: "This machine has no such address: set HOST to 127.0.0.1, or 0.0.0.0 for all of its addresses.",
  ENOTFOUND: "HOST is not a name of this machine: set it to 127.0.0.1, or 0.0.0.0 for all of its addresses.",
  EAI_AGAIN: "HOST cannot be looked up: set it to 127.0.0.1, or 0.0.0.0 for all addresses.",
};

async function listen(node: NodeHost, port: number, host: string): Promise<number> {
  try {
    return await node.listen(port, host);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new ConfigError(
        `Not started: port ${port} on ${host} is already in use. Stop what is using it, or set PORT and EDGE_PORT: PORT=${port + 100} EDGE_PORT=${port + 101} npm start`,
      );
    }
    const remedy = remedies[String(code)] ?? "Set HOST, PORT and EDGE_PORT.";
    throw new ConfigError(`Not started: cannot listen on ${host}:${port} (${String(code)}). ${remedy}`);
  }
}

/** The URL at which this machine reaches the host. */
export function reachableUrl(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
