import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type { RouteDescription } from "../../kernel/contracts/route.ts";
import { cachedAnswer, cachedRoutes } from "../http/cached-answer.ts";
import type { Routes } from "../http/hosts.ts";
import { APP_MCP_PATH, EDGE_MCP_PATH } from "../mcp/endpoint.ts";
import { SERVICE_VERSION, SUPPORTED_VERSIONS } from "../mcp/versions.ts";
import { serverCardOperation } from "./openapi/service-operations.ts";

/** Shapes as of 2026-11-20; the links in the documents name their schemas. */
const CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
const CARD_TYPE = "application/mcp-server-card+json";

/** Both formats allow a hundred characters. */
const DESCRIPTION = "Travel and settlement tools for AI agents; every call is priced, capped, recorded and signed.";

/** As `npm run bundle` writes it. */
const BUNDLE = "wayfare.mcpb";

interface ServerCardOptions {
  appUrl: string;
  edgeUrl: string;
}

interface RegistryOptions extends ServerCardOptions {
  releaseDownloadsUrl: string | undefined;
  /** Contains what was built in this checkout. */
  builtFolder: string;
}

/**
 * Describes the MCP endpoints and their requirements before a connection: the card (SEP-2127), the catalog that leads to it,
 * and the registry's server.json. None lists tools: that list depends on the key and comes from the endpoint.
 */
export function serverCardRoutes(options: RegistryOptions): Routes {
  const { appUrl } = options;
  const catalog = {
    specVersion: "1.0",
    entries: [
      {
        identifier: `urn:air:${new URL(appUrl).hostname}:mcp:wayfare`,
        type: CARD_TYPE,
        url: `${appUrl}${APP_MCP_PATH}/server-card`,
      },
    ],
  };
  return [
    ...cardRoutes(APP_MCP_PATH, options, serverCardOperation),
    ...jsonRoutes("/.well-known/ai-catalog.json", catalog, "application/ai-catalog+json"),
    ...jsonRoutes("/server.json", registryEntry(options), "application/json"),
  ];
}

/** The same card beside the edge host's endpoint. */
export function edgeServerCardRoutes(options: ServerCardOptions): Routes {
  return cardRoutes(EDGE_MCP_PATH, options);
}

function cardRoutes(mcpPath: string, options: ServerCardOptions, description?: RouteDescription): Routes {
  const card = {
    $schema: CARD_SCHEMA,
    ...identity(options),
    remotes: remotes(options).map((remote) => ({ ...remote, supportedProtocolVersions: SUPPORTED_VERSIONS })),
  };
  return [
    ...jsonRoutes(`${mcpPath}/server-card`, card, CARD_TYPE, description),
    ...jsonRoutes("/.well-known/mcp/server-card.json", card, CARD_TYPE),
  ];
}

function registryEntry(options: RegistryOptions) {
  return { $schema: REGISTRY_SCHEMA, ...identity(options), ...bundlePackage(options), remotes: remotes(options) };
}

/** The bundle for desktop clients, if it was built here: the registry wants its hash, which a release elsewhere may not have. */
function bundlePackage({ appUrl, releaseDownloadsUrl, builtFolder }: RegistryOptions) {
  const path = join(builtFolder, BUNDLE);
  if (releaseDownloadsUrl !== undefined || !existsSync(path)) return {};
  const fileSha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
  const identifier = `${appUrl}/downloads/${BUNDLE}`;
  return { packages: [{ registryType: "mcpb", identifier, fileSha256, transport: { type: "stdio" } }] };
}

function identity({ appUrl }: ServerCardOptions) {
  return {
    name: `${reversedDomain(appUrl)}/wayfare`,
    title: "Wayfare",
    description: DESCRIPTION,
    version: SERVICE_VERSION,
    websiteUrl: `${appUrl}/docs`,
  };
}

function remotes({ appUrl, edgeUrl }: ServerCardOptions) {
  const remote = (url: string, keyUse: string, isRequired: boolean) => ({
    type: "streamable-http",
    url,
    headers: [
      {
        name: "Authorization",
        description: `Bearer followed by your API key, which begins with ak_${keyUse}.`,
        isRequired,
        isSecret: true,
        value: "Bearer {apiKey}",
        variables: { apiKey: { description: "API key, ak_…", isRequired, isSecret: true, format: "string" } },
      },
    ],
  });
  return [
    remote(`${appUrl}${APP_MCP_PATH}`, "", true),
    remote(`${edgeUrl}${EDGE_MCP_PATH}`, "; without it, calls are paid one by one with x402", false),
  ];
}

/** `https://travel.example.com` gives `com.example.travel`; an IP address has no domain. */
function reversedDomain(url: string): string {
  const { hostname } = new URL(url);
  if (isIP(hostname.replaceAll(/[[\]]/g, "")) !== 0) return "localhost";
  return hostname.split(".").toReversed().join(".");
}

function jsonRoutes(path: string, value: unknown, contentType: string, description?: RouteDescription): Routes {
  return cachedRoutes(path, cachedAnswer(`${JSON.stringify(value, null, 2)}\n`, { contentType }), description);
}
