import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import type { Catalog } from "../../kernel/catalog.ts";
import type { HttpAnswer, HttpRequest } from "../http/http.ts";
import { isObject } from "../http/json-body.ts";
import type { CallTool, ToolCall } from "./call-tool.ts";
import type { Cancellations } from "./cancellations.ts";
import { type RpcId, rpcResult } from "./json-rpc.ts";
import type { LibraryPath } from "./library-path.ts";
import { LEGACY_VERSIONS, MODERN_VERSION } from "./versions.ts";
import type { Visit } from "./visit.ts";

export interface FastPathOptions {
  callTool: CallTool;
  catalog: Catalog;
  cancellations: Cancellations;
  /** For everything that is not exactly plain. */
  library: LibraryPath;
  serverInfo: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

interface Plain {
  id: RpcId;
  method: string;
  params: Fields;
  meta: Fields;
  isModern: boolean;
}

const MAXIMUM_REMEMBERED = 500;
const LONGEST_ENVELOPE = 2_000;
const NOTHING: Fields = {};

/**
 * Answers plain `tools/call`, `tools/list` and `server/discover` without the library, which would make a server for each message.
 * Plain means: nothing in the message or its headers that the library would refuse, change or answer otherwise. Lists are the
 * library's own answers, kept; what is answered here is held against the library's answers by a test.
 */
export function createFastPath(options: FastPathOptions): LibraryPath {
  const { library, catalog, callTool, cancellations } = options;
  const knownEnvelopes = new Set<string>();
  const keptResults = new Map<string, string>();

  /** The client's description of itself was found good by the library before. */
  function isGoodEnvelope(request: HttpRequest, message: unknown, meta: Fields): boolean {
    // Members of an object, of which those that are not there leave no trace: in a list they would look like null.
    const text = JSON.stringify({ info: meta[CLIENT_INFO_META_KEY], capabilities: meta[CLIENT_CAPABILITIES_META_KEY] });
    if (knownEnvelopes.has(text)) return true;
    const found = classifyInboundRequest({
      httpMethod: "POST",
      protocolVersionHeader: request.header("mcp-protocol-version") ?? "",
      mcpMethodHeader: request.header("mcp-method") ?? "",
      body: message,
    });
    if (found.kind !== "modern" || found.messageKind !== "request") return false;
    if (knownEnvelopes.size < MAXIMUM_REMEMBERED && text.length <= LONGEST_ENVELOPE) knownEnvelopes.add(text);
    return true;
  }

  function readPlain({ message, request, id }: Visit): Plain | undefined {
    if (id === null || (typeof id === "number" && !Number.isSafeInteger(id))) return undefined;
    if (!isObject(message) || message.jsonrpc !== "2.0" || typeof message.method !== "string") return undefined;
    const { method, params = NOTHING } = message;
    if (!isObject(params) || Object.keys(message).length !== (message.params === undefined ? 3 : 4)) return undefined;
    const { _meta: meta = NOTHING } = params;
    if (!isObject(meta) || meta.progressToken !== undefined) return undefined;
    const version = request.header("mcp-protocol-version");
    if (!(PROTOCOL_VERSION_META_KEY in meta)) {
      const isLegacy = version === undefined || LEGACY_VERSIONS.includes(version);
      return isLegacy ? { id, method, params, meta, isModern: false } : undefined;
    }
    const isModern =
      version === MODERN_VERSION &&
      meta[PROTOCOL_VERSION_META_KEY] === MODERN_VERSION &&
      request.header("mcp-method") === method &&
      meta[LOG_LEVEL_META_KEY] === undefined &&
      isGoodEnvelope(request, message, meta);
    return isModern ? { id, method, params, meta, isModern } : undefined;
  }

  function readCall(visit: Visit, { params, meta, isModern }: Plain): Omit<ToolCall, "gone"> | undefined {
    const { name, arguments: args = NOTHING, _meta, ...others } = params;
    if (typeof name !== "string" || !isObject(args) || Object.keys(others).length > 0) return undefined;
    if (visit.caller === undefined || catalog.find(name) === undefined) return undefined;
    if (isModern && visit.request.header("mcp-name") !== name) return undefined;
    return { name, args, meta };
  }

  async function call(visit: Visit, plain: Plain, read: Omit<ToolCall, "gone">): Promise<HttpAnswer> {
    const { caller, request } = visit;
    const keyId = caller?.principal.keyId ?? "";
    const tracked = plain.isModern ? undefined : cancellations.track(keyId, request, plain.id);
    try {
      const result = await callTool(visit, { ...read, gone: tracked ?? request });
      if (plain.isModern) {
        result._meta[SERVER_INFO_META_KEY] = options.serverInfo;
        result.resultType = "complete";
      }
      const answer = rpcResult(plain.id, JSON.stringify(result));
      Object.assign(answer.headers, visit.headers);
      return answer;
    } finally {
      tracked?.end();
    }
  }

  /** The library's answer to the same question, asked once. */
  async function ask(visit: Visit, plain: Plain, key: string): Promise<HttpAnswer> {
    const kept = keptResults.get(key);
    if (kept !== undefined) return rpcResult(plain.id, kept);
    const answer = await library(visit);
    const said: unknown = answer.status === 200 && answer.stream === undefined ? JSON.parse(answer.body) : undefined;
    if (isObject(said) && isObject(said.result)) {
      if (keptResults.size >= MAXIMUM_REMEMBERED) keptResults.clear();
      keptResults.set(key, JSON.stringify(said.result));
    }
    return answer;
  }

  return async (visit) => {
    const plain = readPlain(visit);
    if (plain === undefined) return library(visit);
    const { method, params, isModern } = plain;
    if (method === "tools/call") {
      const read = readCall(visit, plain);
      return read === undefined ? library(visit) : call(visit, plain, read);
    }
    const asksPlainly = Object.keys(params).every((name) => name === "_meta");
    if (method === "tools/list" && asksPlainly) return ask(visit, plain, `${isModern} ${visit.list.key}`);
    if (method === "server/discover" && asksPlainly && isModern) return ask(visit, plain, method);
    return library(visit);
  };
}
