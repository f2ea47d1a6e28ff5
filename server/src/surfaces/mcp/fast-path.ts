import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import type { Catalog } from "../../kernel/contracts/catalog.ts";
import { isObject } from "../http/bodies/json-body.ts";
import type { HttpAnswer, HttpRequest } from "../http/http.ts";
import type { Cancellations } from "./calls/cancellations.ts";
import type { CallTool, ToolCall } from "./calls/tool-answer.ts";
import { aroundResult, type RpcId, rpcResult } from "./json-rpc.ts";
import type { LibraryPath } from "./library-path.ts";
import { LEGACY_VERSIONS, MODERN_VERSION } from "./versions.ts";
import type { Visit } from "./visit.ts";

interface FastPathOptions {
  callTool: CallTool;
  catalog: Catalog;
  cancellations: Cancellations;
  /** For every message that is not plain. */
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

interface KeptResult {
  text: string;
  /** A list is long: encoding it once saves two conversions per answer, for the signature and for the socket. */
  bytes: Uint8Array;
}

const MAXIMUM_REMEMBERED = 500;
const LONGEST_ENVELOPE = 2_000;
const NOTHING: Fields = {};
const CALL_PARAMS: readonly string[] = ["name", "arguments", "_meta"];
const LIST_PARAMS: readonly string[] = ["_meta"];

/**
 * Answers plain `tools/call`, `tools/list` and `server/discover` without the library, which would create a server for each
 * message. Plain means: the library would not refuse, change or answer the message or its headers differently. Lists are cached
 * answers of the library; a test compares these answers with the library's.
 */
export function createFastPath(options: FastPathOptions): LibraryPath {
  const fastPath = new FastPath(options);
  return (visit) => fastPath.answer(visit);
}

const hasOnly = (params: Fields, names: readonly string[]): boolean =>
  Object.keys(params).every((name) => names.includes(name));

function answerKept(id: RpcId, { text, bytes }: KeptResult): HttpAnswer {
  const [before, after] = aroundResult(id);
  return { ...rpcResult(id, text), bytes: Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]) };
}

class FastPath {
  readonly #options: FastPathOptions;
  readonly #knownEnvelopes = new Set<string>();
  readonly #keptResults = new Map<string, KeptResult>();

  constructor(options: FastPathOptions) {
    this.#options = options;
  }

  answer(visit: Visit): Promise<HttpAnswer> {
    const plain = this.#readPlain(visit);
    if (plain === undefined) return this.#options.library(visit);
    const { method, params, isModern } = plain;
    if (method === "tools/call") {
      const read = this.#readCall(visit, plain);
      return read === undefined ? this.#options.library(visit) : this.#call(visit, plain, read);
    }
    const asksPlainly = hasOnly(params, LIST_PARAMS);
    if (method === "tools/list" && asksPlainly) return this.#ask(visit, plain, `${isModern} ${visit.list.key}`);
    if (method === "server/discover" && asksPlainly && isModern) return this.#ask(visit, plain, method);
    return this.#options.library(visit);
  }

  /** The library has accepted this client description before. */
  #isGoodEnvelope(request: HttpRequest, message: unknown, meta: Fields): boolean {
    // As members of an object, absent values are omitted; in a list they would look like null.
    const text = JSON.stringify({ info: meta[CLIENT_INFO_META_KEY], capabilities: meta[CLIENT_CAPABILITIES_META_KEY] });
    if (this.#knownEnvelopes.has(text)) return true;
    const found = classifyInboundRequest({
      httpMethod: "POST",
      protocolVersionHeader: request.header("mcp-protocol-version") ?? "",
      mcpMethodHeader: request.header("mcp-method") ?? "",
      body: message,
    });
    if (found.kind !== "modern" || found.messageKind !== "request") return false;
    if (this.#knownEnvelopes.size < MAXIMUM_REMEMBERED && text.length <= LONGEST_ENVELOPE)
      this.#knownEnvelopes.add(text);
    return true;
  }

  #readPlain({ message, request, id }: Visit): Plain | undefined {
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
      this.#isGoodEnvelope(request, message, meta);
    return isModern ? { id, method, params, meta, isModern } : undefined;
  }

  #readCall(visit: Visit, { params, meta, isModern }: Plain): Omit<ToolCall, "gone"> | undefined {
    const { name, arguments: args = NOTHING } = params;
    if (typeof name !== "string" || !isObject(args) || !hasOnly(params, CALL_PARAMS)) return undefined;
    if (visit.caller === undefined && !visit.isPayer) return undefined;
    if (this.#options.catalog.find(name) === undefined) return undefined;
    if (isModern && visit.request.header("mcp-name") !== name) return undefined;
    return { name, args, meta };
  }

  async #call(visit: Visit, plain: Plain, read: Omit<ToolCall, "gone">): Promise<HttpAnswer> {
    const { caller, request } = visit;
    const keyId = caller?.principal.keyId ?? "";
    const tracked = plain.isModern ? undefined : this.#options.cancellations.track(keyId, request, plain.id);
    try {
      const result = await this.#options.callTool(visit, { ...read, gone: tracked ?? request });
      if (plain.isModern) {
        result._meta[SERVER_INFO_META_KEY] = this.#options.serverInfo;
        result.resultType ??= "complete";
      }
      const answer = rpcResult(plain.id, JSON.stringify(result));
      Object.assign(answer.headers, visit.headers);
      return answer;
    } finally {
      tracked?.end();
    }
  }

  /** The library's answer to the same question, requested once. */
  async #ask(visit: Visit, plain: Plain, key: string): Promise<HttpAnswer> {
    const kept = this.#keptResults.get(key);
    if (kept !== undefined) return answerKept(plain.id, kept);
    const answer = await this.#options.library(visit);
    const said: unknown = answer.status === 200 && answer.stream === undefined ? JSON.parse(answer.body) : undefined;
    if (isObject(said) && isObject(said.result)) {
      if (this.#keptResults.size >= MAXIMUM_REMEMBERED) this.#keptResults.clear();
      const text = JSON.stringify(said.result);
      this.#keptResults.set(key, { text, bytes: Buffer.from(text) });
    }
    return answer;
  }
}
