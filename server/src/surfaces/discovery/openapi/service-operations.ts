import { z } from "zod";
import type { RouteDescription } from "../../../kernel/contracts/route.ts";

/** Routes that are not resources: health, the Model Context Protocol, and others. */

const Alive = z.object({ ok: z.literal(true) });
const NotReady = z.object({ ok: z.literal(false), reason: z.enum(["starting", "draining"]) });

const JsonRpcId = z.union([z.string(), z.number()]);
const JsonRpcRequest = z.object({
  jsonrpc: z.literal("2.0"),
  id: JsonRpcId.optional().describe("Left out in a notification"),
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
    summary: "Whether the process lives",
    description: "Answers for as long as the process lives.",
    access: "public",
    answers: { 200: { description: "It lives.", schema: Alive, example: { ok: true } } },
    problems: [],
  },
  {
    id: "readiness",
    method: "GET",
    path: "/readyz",
    tag: "health",
    summary: "Whether the service serves",
    description: "503 while the service starts and while it stops.",
    access: "public",
    answers: {
      200: { description: "It serves.", schema: Alive, example: { ok: true } },
      503: { description: "It does not serve.", schema: NotReady, example: { ok: false, reason: "starting" } },
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
    areas: z.string().describe("Only tools of these areas, with commas between them").exactOptional(),
    readonly: z.enum(["1", "0"]).describe("Only tools that change nothing").exactOptional(),
  }),
  body: JsonRpcRequest,
  example: { body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} } },
  answers: {
    200: { ...jsonRpc("The answer; an event stream when progress was asked for."), ofTools: true },
    202: { description: "A notification was taken." },
    400: jsonRpc("The message cannot be served as it is."),
    403: jsonRpc("The Origin or Host is not allowed."),
    406: jsonRpc("The caller takes no JSON."),
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
  description: "OpenAPI 3.1, generated from the registry of tools. Has an ETag and may be read by any page.",
  access: "public",
  answers: {
    200: { description: "The description.", schema: z.looseObject({ openapi: z.string() }) },
    304: { description: "It is still the one that If-None-Match names." },
  },
  problems: [],
};

export const serverCardOperation: RouteDescription = {
  id: "mcp_server_card",
  method: "GET",
  path: "/api/mcp/server-card",
  tag: "discovery",
  summary: "MCP server card",
  description: "The addresses and requirements of the MCP endpoints, before a connection.",
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
    304: { description: "It is still the one that If-None-Match names." },
  },
  problems: [],
};
