import { Failure } from "../../domain/errors.ts";
import type { Prompt } from "../../kernel/contracts/prompt.ts";
import type { Clock } from "../../ports/clock.ts";
import { readMeasuredJson } from "../http/bodies/json-body.ts";
import type { LargeBodies } from "../http/bodies/large-bodies.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "../http/http.ts";
import { isLoopback } from "../http/limits/client-address.ts";
import type { OriginGuard } from "../http/origin-guard.ts";
import type { OpenExchange, SignedAnswers } from "../http/signed-exchange.ts";
import type { Page } from "../page.ts";
import type { PaidCalls } from "../paid/paid-calls.ts";
import { answerBatch } from "./batch.ts";
import { type CallToolOptions, createCallTool } from "./calls/call-tool.ts";
import { createCancellations } from "./calls/cancellations.ts";
import { createPayForCall, isPaying } from "./calls/pay-for-call.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { createDocuments } from "./documents.ts";
import type { McpExtras } from "./extras.ts";
import { createFastPath } from "./fast-path.ts";
import { writeInstructions } from "./instructions.ts";
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isMethod,
  PARSE_ERROR,
  REFUSED,
  readId,
  readMeta,
  readParams,
  rpcError,
} from "./json-rpc.ts";
import { createLibraryPath } from "./library-path.ts";
import { createPromptList } from "./prompt-list.ts";
import { createSearchTools } from "./search/search-tools.ts";
import { createServerFactory } from "./server-factory.ts";
import { createToolLists, type ListReader, type ListWish, readListWish } from "./tool-list.ts";
import { SERVICE_VERSION } from "./versions.ts";
import type { Visit } from "./visit.ts";

interface McpOptions extends CallToolOptions {
  answerSigned: SignedAnswers;
  refuseOrigin: OriginGuard;
  pages: readonly Page[];
  prompts: readonly Prompt[];
  /** Set by harnesses only. With them, callers on this machine need no key. */
  extras?: McpExtras | undefined;
  fastPath: boolean;
  clock: Clock;
  largeBodies: LargeBodies;
  /** Undefined: every caller needs a key. */
  payments: PaidCalls | undefined;
  /** For whoever is refused: where to get a token. */
  challenge: (request: HttpRequest) => string;
}

/** On the application host and on the edge host. */
export const APP_MCP_PATH = "/api/mcp";
export const EDGE_MCP_PATH = "/mcp";

const EVERYTHING: ListWish = { areas: undefined, readOnly: false, withoutMoney: false, isSearch: false };

/** Who sends a message. */
interface Sender extends Pick<Visit, "caller" | "isPayer"> {
  reader: ListReader;
}

const GUEST: Sender = { caller: undefined, isPayer: false, reader: "all" };
const PAYER: Sender = { caller: undefined, isPayer: true, reader: "payers" };

/** The MCP endpoint: both eras on one URL, without sessions, so that nothing is lost between messages. */
export function createMcp(options: McpOptions): HttpHandler {
  const { answerSigned, catalog, extras, refuseOrigin, clock, log, largeBodies, payments } = options;
  const cancellations = createCancellations();
  const callTool = createCallTool(options, payments === undefined ? undefined : createPayForCall(payments, catalog));
  const searchTools = createSearchTools(catalog, { callTool, log });
  const lists = createToolLists(catalog, {
    extraTools: extras?.tools.map(({ definition }) => definition) ?? [],
    searchTools,
  });
  const info = { name: "wayfare", title: "Wayfare", version: SERVICE_VERSION };
  const createServer = createServerFactory({
    info,
    instructions: writeInstructions(catalog),
    catalog,
    callTool,
    searchTools,
    documents: createDocuments(options.pages, extras),
    prompts: createPromptList(options.prompts, extras, clock),
    extras,
  });
  const streamingTools = new Set(extras?.tools.map(({ definition }) => definition.name));
  const library = createLibraryPath({ createServer, streamingTools, cancellations, clock, log });
  const answer = options.fastPath
    ? createFastPath({ callTool, catalog, cancellations, library, serverInfo: info })
    : library;

  async function admit(request: HttpRequest, exchange: OpenExchange): Promise<Sender> {
    if (request.header("authorization") === undefined) {
      if (extras !== undefined && isLoopback(request.remoteAddress)) return GUEST;
      if (payments !== undefined) {
        payments.requireRoom(request.remoteAddress);
        return PAYER;
      }
    }
    const caller = await exchange.admit();
    return { caller, isPayer: false, reader: caller.principal.scopes };
  }

  const mostBytes = ({ caller, isPayer }: Sender) =>
    isPayer ? largeBodies.mostForPayers() : largeBodies.mostFor(caller?.principal.scopes ?? []);

  async function serve(request: HttpRequest, exchange: OpenExchange): Promise<HttpAnswer> {
    const foreign = refuseOrigin(request);
    if (foreign !== undefined) return rpcError(403, { code: REFUSED, message: foreign });
    if (request.method === "OPTIONS") return preflight();
    if (request.method !== "POST") return methodNotAllowed();
    const sender = await admit(request, exchange);
    const accepts = request.header("accept");
    if (accepts !== undefined && !/application\/(?:json|\*)|\*\/\*/i.test(accepts)) return notAcceptable();
    let message: unknown;
    let wish: ListWish;
    try {
      wish = request.hasQuery ? readListWish(request.query) : EVERYTHING;
    } catch (error) {
      return refuse(error, INVALID_PARAMS);
    }
    try {
      const { value, bytes } = await readMeasuredJson(request, mostBytes(sender));
      largeBodies.requireFits(bytes, calledTool(value));
      message = value;
    } catch (error) {
      return refuse(error, INVALID_REQUEST);
    }
    if (sender.isPayer) countUnpaid(message, request.remoteAddress);
    const list = lists.of(sender.reader, wish);
    const visit = (one: unknown, acceptsStream: boolean): Visit => ({
      request,
      exchange,
      caller: sender.caller,
      isPayer: sender.isPayer,
      list,
      acceptsStream,
      message: one,
      id: readId(one),
      headers: {},
      running: undefined,
      refused: undefined,
    });
    if (Array.isArray(message)) {
      return answerBatch(message, request, {
        answerOne: (one) => answer(visit(one, false)),
        countOne: () => admit(request, exchange),
      });
    }
    return answer(visit(message, accepts === undefined || /text\/(?:event-stream|\*)|\*\/\*/i.test(accepts)));
  }

  /** Each message of a batch counts. */
  function countUnpaid(message: unknown, remoteAddress: string): void {
    for (const one of Array.isArray(message) ? message : [message]) {
      if (!isMethod(one, "tools/call") || !isPaying(readMeta(one))) payments?.countUnpaidBody(remoteAddress);
    }
  }

  return async (request) => {
    const answer = await answerSigned(request, (exchange) => serve(request, exchange));
    if (answer.status === 401) answer.headers["www-authenticate"] = options.challenge(request);
    const origin = request.header("origin");
    // Checked here rather than by the status: a stopping service refuses before it checks origins.
    if (origin !== undefined && refuseOrigin(request) === undefined) {
      Object.assign(answer.headers, corsHeaders(origin));
    }
    return answer;
  };
}

const LONGEST_ID = 200;

/** Undefined also for batches, and for an id, which the answer repeats, that is not a short text. */
function calledTool(message: unknown): string | undefined {
  const { name } = isMethod(message, "tools/call") ? readParams(message) : {};
  const isAnswerable = String(readId(message) ?? "").length <= LONGEST_ID;
  return typeof name === "string" && isAnswerable ? name : undefined;
}

/** Refusals that do not depend on the message and look the same on every surface. */
const OF_TRANSPORT: readonly string[] = ["rate_limited", "unavailable", "request_timeout"];

/** Errors of the message itself use the protocol's codes, with the matching HTTP status. */
function refuse(error: unknown, code: number): HttpAnswer {
  if (!(error instanceof Failure) || OF_TRANSPORT.includes(error.code)) throw error;
  const message = error.detail ?? error.code;
  const data = { code: error.code, ...(error.issues === undefined ? {} : { issues: error.issues }) };
  if (error.code === "too_large") return rpcError(413, { code: REFUSED, message, data });
  if (error.code === "unsupported_media_type") return rpcError(415, { code: REFUSED, message, data });
  return rpcError(400, { code: error.code === "malformed_json" ? PARSE_ERROR : code, message, data });
}

function methodNotAllowed(): HttpAnswer {
  const message = "Send each message with POST: there are no sessions to listen to or to end.";
  const answer = rpcError(405, { code: REFUSED, message });
  answer.headers.allow = "POST, OPTIONS";
  return answer;
}

function notAcceptable(): HttpAnswer {
  const message = "Answers are JSON: send Accept: application/json, text/event-stream.";
  return rpcError(406, { code: REFUSED, message });
}
