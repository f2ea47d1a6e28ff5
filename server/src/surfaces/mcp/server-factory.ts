import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { nearest } from "../../domain/near-match.ts";
import { type Catalog, nearestTool } from "../../kernel/contracts/catalog.ts";
import { isObject } from "../http/bodies/json-body.ts";
import type { CallAnswer, CallTool } from "./calls/tool-answer.ts";
import type { Documents } from "./documents.ts";
import type { McpExtras } from "./extras.ts";
import { readMeta, readParams } from "./json-rpc.ts";
import type { PromptList } from "./prompt-list.ts";
import type { SearchTools } from "./search/search-tools.ts";
import { SUPPORTED_VERSIONS } from "./versions.ts";
import type { Visit } from "./visit.ts";

interface ServerFactoryOptions {
  info: { name: string; title: string; version: string };
  instructions: string;
  catalog: Catalog;
  callTool: CallTool;
  searchTools: SearchTools;
  documents: Documents;
  prompts: PromptList;
  extras: McpExtras | undefined;
}

/** Makes a library server that answers one message. Expensive parts are made once and shared. */
export type ServerFactory = (visit: Visit) => Server;

/** How long clients may cache: tools, pages and prompts change with a release only. */
const CACHE_MILLISECONDS = 300_000;

export function createServerFactory(options: ServerFactoryOptions): ServerFactory {
  const shared = sharedOptions(options);
  const answerCall = createCallHandler(options);
  return (visit) => {
    const server = new Server(options.info, shared);
    server.setRequestHandler("tools/list", ({ params }) => {
      refuseCursor(params?.cursor);
      return { tools: visit.list.tools };
    });
    server.setRequestHandler("tools/call", (_request, context) => answerCall(visit, context));
    offerTexts(server, options);
    return server;
  };
}

function sharedOptions({ instructions, documents, prompts, extras }: ServerFactoryOptions): ServerOptions {
  return {
    capabilities: {
      tools: {},
      ...(documents.list.length === 0 ? {} : { resources: {} }),
      ...(prompts.list.length === 0 ? {} : { prompts: {} }),
      ...(extras === undefined ? {} : { completions: {} }),
    },
    instructions,
    supportedProtocolVersions: [...SUPPORTED_VERSIONS],
    jsonSchemaValidator: new AjvJsonSchemaValidator(),
    cacheHints: {
      // The tools depend on the key's scopes; everything else is the same for all callers.
      "tools/list": { ttlMs: CACHE_MILLISECONDS, cacheScope: "private" },
      "server/discover": { ttlMs: CACHE_MILLISECONDS, cacheScope: "public" },
      "resources/list": { ttlMs: CACHE_MILLISECONDS, cacheScope: "public" },
      "resources/templates/list": { ttlMs: CACHE_MILLISECONDS, cacheScope: "public" },
      "resources/read": { ttlMs: CACHE_MILLISECONDS, cacheScope: "public" },
      "prompts/list": { ttlMs: CACHE_MILLISECONDS, cacheScope: "public" },
    },
  };
}

type Answering = Promise<CallToolResult | InputRequiredResult>;

function createCallHandler(options: ServerFactoryOptions): (visit: Visit, context: ServerContext) => Answering {
  const { catalog, extras } = options;
  const extraTools = new Map(extras?.tools.map((tool) => [tool.definition.name, tool]));
  return async (visit, context) => {
    // The message itself rather than the library's copy, so that both paths to a tool see the same arguments.
    const { name, arguments: given } = readParams(visit.message);
    const args = isObject(given) ? given : {};
    const extra = extraTools.get(String(name));
    if (extra !== undefined) return extra.call(args, context);
    const isSearch = visit.list.isSearch && options.searchTools.has(String(name));
    if (!isSearch && catalog.find(String(name)) === undefined)
      throw unknownTool(String(name), catalog, [...extraTools.keys()]);
    const progress = createProgress(visit, context);
    const callTool = isSearch ? options.searchTools.call : options.callTool;
    const working = callTool(visit, {
      name: String(name),
      args,
      meta: readMeta(visit.message),
      gone: context.mcpReq,
      progress: progress?.report,
    });
    visit.running = working.catch(() => undefined);
    try {
      const answer: CallAnswer = await working;
      await progress?.sent();
      return answer;
    } catch (error) {
      visit.refused = error;
      throw error;
    }
  };
}

/** Pages, prompts and completions, if there are any. */
function offerTexts(server: Server, { documents, prompts, extras }: ServerFactoryOptions): void {
  if (documents.list.length > 0) {
    server.setRequestHandler("resources/list", ({ params }) => {
      refuseCursor(params?.cursor);
      return { resources: documents.list };
    });
    server.setRequestHandler("resources/templates/list", () => ({
      resourceTemplates: extras?.resourceTemplates.map(({ definition }) => definition) ?? [],
    }));
    server.setRequestHandler("resources/read", ({ params }) => documents.read(params.uri));
  }
  if (prompts.list.length > 0) {
    server.setRequestHandler("prompts/list", ({ params }) => {
      refuseCursor(params?.cursor);
      return { prompts: prompts.list };
    });
    server.setRequestHandler("prompts/get", ({ params }, context) =>
      prompts.get(params.name, params.arguments ?? {}, context),
    );
  }
  if (extras !== undefined) {
    server.setRequestHandler("completion/complete", ({ params }) => extras.complete(params));
  }
}

function unknownTool(name: string, catalog: Catalog, extraNames: readonly string[]): ProtocolError {
  const near = nearestTool(catalog, name) ?? nearest(name, extraNames, 2);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  const data = { code: "tool_not_found", ...(near === undefined ? {} : { nearest: near }) };
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: there is no tool with this name.${hint}`,
    data,
  );
}

/** No list has a second page, so no cursor is ever issued. */
function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such cursor.");
}

/** Undefined: the client did not ask for progress, or accepts no stream. */
function createProgress(visit: Visit, context: ServerContext) {
  const { progressToken } = readMeta(visit.message);
  if (!visit.acceptsStream || (typeof progressToken !== "string" && typeof progressToken !== "number"))
    return undefined;
  let steps = 0;
  let sending: Promise<unknown> = Promise.resolve();
  return {
    report(step: string): void {
      steps += 1;
      const params = { progressToken, progress: steps, message: step };
      const sent = context.mcpReq.notify({ method: "notifications/progress", params });
      // The client may be gone; the call does not depend on it.
      sending = Promise.all([sending, sent.catch(() => undefined)]);
    },
    sent: () => sending,
  };
}
