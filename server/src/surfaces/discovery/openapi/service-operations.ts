import { z } from "zod";
import type { RouteDescription } from "../../../kernel/contracts/route.ts";

/** Routes that are not resources: health, the Model Context Protocol, and others. */

const Alive = z.object({ ok: z.literal(true) });
const NotReady = z.object({ ok: z.literal(false), reason: z.enum(["starting", "draining"]) });

const JsonRpcId = z.union([z.string(), z.number()]);
const JsonRpcRequest = z.object({
  jsonrpc: z.literal("2.0"),
  id: JsonRpcId.optional().describe("Omitted in a notification"),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
const JsonRpcAnswer = z.object({
  jsonrpc: z.literal("2.0"),
  id: JsonRpcId.nullable(),
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.number().int(), message: z.string(), data: z.unknown().optional() }).optional(),
});

const jsonRpc = (description: string) => ({ description, schema: JsonRpcAnswer });

export const healthOperations: readonly RouteDescription[] = [
  {
    id: "health",
    method: "GET",
    path: "/healthz",
    tag: "health",
    summary: "Liveness",
    description: "Answers as long as the process is alive.",
    access: "public",
    answers: { 200: { description: "The process is alive.", schema: Alive, example: { ok: true } } },
    problems: [],
  },
  {
    id: "readiness",
    method: "GET",
    path: "/readyz",
    tag: "health",
    summary: "Readiness",
    description: "Returns 503 while the service is starting or stopping.",
    access: "public",
    answers: {
      200: { description: "The service is ready.", schema: Alive, example: { ok: true } },
      503: { description: "The service is not ready.", schema: NotReady, example: { ok: false, reason: "starting" } },
    },
    problems: [],
  },
];

export const mcpOperation: RouteDescription = {
  id: "mcp",
  method: "POST",
  path: "/api/mcp",
  tag: "mcp",
  summary: "Model Context Protocol",
  description:
    "Streamable HTTP without sessions: one JSON-RPC message for each request. Lists and calls the same tools; a tool that fails is a result with `isError`.",
  access: "any key",
  query: z.object({
    areas: z.string().describe("Only tools of these areas, comma-separated").exactOptional(),
    readonly: z.enum(["1", "0"]).describe("Only tools that change nothing").exactOptional(),
  }),
  body: JsonRpcRequest,
  example: { body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} } },
  answers: {
    200: { ...jsonRpc("The answer; an event stream if progress was requested."), ofTools: true },
    202: { description: "The notification was accepted." },
    400: jsonRpc("The message is not valid."),
    403: jsonRpc("The Origin or Host is not allowed."),
    406: jsonRpc("The caller does not accept JSON."),
    413: jsonRpc("The message is too large."),
    415: jsonRpc("The message is not JSON."),
  },
  problems: [],
};

export const openApiOperation: RouteDescription = {
  id: "openapi",
  method: "GET",
  path: "/api/openapi.json",
  tag: "discovery",
  summary: "This description",
  description: "OpenAPI 3.1, generated from the registry of tools. Has an ETag and can be read from any web page.",
  access: "public",
  answers: {
    200: { description: "The description.", schema: z.looseObject({ openapi: z.string() }) },
    304: { description: "Unchanged: it still matches If-None-Match." },
  },
  problems: [],
};

export const serverCardOperation: RouteDescription = {
  id: "mcp_server_card",
  method: "GET",
  path: "/api/mcp/server-card",
  tag: "discovery",
  summary: "MCP server card",
  description: "The URLs and requirements of the MCP endpoints, to read before connecting.",
  access: "public",
  answers: {
    200: {
      description: "The card.",
      contentType: "application/mcp-server-card+json",
      schema: z.looseObject({
        name: z.string(),
        version: z.string(),
        remotes: z.array(z.looseObject({ url: z.string() })),
      }),
    },
    304: { description: "Unchanged: it still matches If-None-Match." },
  },
  problems: [],
};
