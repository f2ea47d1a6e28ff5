import type { Routes } from "../http/hosts.ts";
import type { HttpHandler, HttpRequest } from "../http/http.ts";
import type { OriginGuard } from "../http/origin-guard.ts";
import { agentScopes } from "./scopes.ts";

const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/** A host with its MCP endpoint. */
export interface ProtectedHost {
  url: string;
  mcpPath: string;
}

export interface ResourceOptions {
  hosts: readonly ProtectedHost[];
  /** Further names of the hosts, lower case. */
  allowedHosts: readonly string[];
}

/** The MCP endpoints as callers address them: the name of the host that a client was given is a part of the token's audience. */
export interface Resources {
  /** The endpoint that this request was sent to. */
  ofRequest(host: ProtectedHost, request: Pick<HttpRequest, "header">): string;
  /** Whether tokens may be asked for it. */
  isOwn(resource: string): boolean;
}

export function createResources({ hosts, allowedHosts }: ResourceOptions): Resources {
  /** Behind a proxy that replaces the host name, the public one counts. */
  const findOrigin = ({ url }: ProtectedHost, hostHeader: string | undefined): string => {
    const own = new URL(url);
    const asked = URL.parse(`${own.protocol}//${hostHeader ?? ""}`);
    if (asked === null || asked.host === "" || asked.host === own.host) return own.origin;
    const isOther = allowedHosts.includes(asked.hostname);
    const isSameMachine = isLocal(own.hostname) && isLocal(asked.hostname);
    return isOther || isSameMachine ? asked.origin : own.origin;
  };
  return {
    ofRequest: (host, request) => `${findOrigin(host, request.header("host"))}${host.mcpPath}`,
    isOwn(resource) {
      const url = URL.parse(resource);
      if (url === null) return false;
      return hosts.some((host) => `${findOrigin(host, url.host)}${host.mcpPath}` === resource);
    },
  };
}

function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The challenge of a 401: it leads a client to the metadata, and from there to the authorization server (RFC 9728). */
export function challenge(resource: string, hasToken: boolean): string {
  const { origin, pathname } = new URL(resource);
  const metadata = `resource_metadata="${origin}${RESOURCE_METADATA_PATH}${pathname}"`;
  return hasToken ? `Bearer error="invalid_token", ${metadata}` : `Bearer ${metadata}`;
}

/** RFC 9728, at the endpoint's own path and, for clients that ask the host, at its root. */
export function resourceMetadataRoutes(
  host: ProtectedHost,
  { resources, issuer, refuseOrigin }: { resources: Resources; issuer: string; refuseOrigin: OriginGuard },
): Routes {
  const handler: HttpHandler = async (request) => {
    const refused = refuseOrigin({ header: (name) => (name === "origin" ? undefined : request.header(name)) });
    if (refused !== undefined) return { status: 403, headers: { "content-type": "text/plain" }, body: refused };
    const body = {
      resource: resources.ofRequest(host, request),
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
      scopes_supported: agentScopes,
      resource_name: "Wayfare",
      resource_documentation: `${issuer}/docs/connect`,
    };
    return {
      status: 200,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "access-control-allow-origin": "*",
        "cache-control": "no-store",
      },
      body: JSON.stringify(body),
    };
  };
  const paths = [RESOURCE_METADATA_PATH, `${RESOURCE_METADATA_PATH}${host.mcpPath}`];
  return paths.map((path) => ({ method: "GET" as const, path, handler }));
}
