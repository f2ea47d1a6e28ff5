import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { isObject } from "../http/bodies/json-body.ts";
import type { HttpAnswer } from "../http/http.ts";
import type { Cancellations } from "./calls/cancellations.ts";
import { signStream } from "./event-stream.ts";
import {
  HEADER_MISMATCH,
  isMethod,
  JSON_TYPE,
  readId,
  readMeta,
  readParams,
  rpcError,
  UNSUPPORTED_VERSION,
} from "./json-rpc.ts";
import { findHeaderMismatch } from "./parameter-headers.ts";
import type { ServerFactory } from "./server-factory.ts";
import { LEGACY_VERSIONS, SUPPORTED_VERSIONS } from "./versions.ts";
import type { Visit } from "./visit.ts";

interface LibraryPathOptions {
  createServer: ServerFactory;
  /** Tools that may stream messages before their result unasked. */
  streamingTools: ReadonlySet<string>;
  cancellations: Cancellations;
  clock: Clock;
  log: Log;
}

export type LibraryPath = (visit: Visit) => Promise<HttpAnswer>;

const VERSION_HEADER = "mcp-protocol-version";
const CANCELLED = "notifications/cancelled";

/** Sends every message that is not plain through the protocol's own library, in either era, each with a new server. */
export function createLibraryPath(options: LibraryPathOptions): LibraryPath {
  const { createServer, cancellations, clock, log } = options;
  const onerror = (error: Error) => log.info({ err: error }, "an MCP message was refused");
  const visits = new WeakMap<Request, Visit>();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const visit = requestInfo === undefined ? undefined : visits.get(requestInfo);
      if (visit === undefined) throw new Error("A message reached the library on no visit.");
      return createServer(visit);
    },
    { legacy: "reject", onerror },
  );

  async function serveModern(visit: Visit): Promise<HttpAnswer> {
    const refusal = refuseParameterHeaders(visit);
    if (refusal !== undefined) return refusal;
    // A subscription ends at once: nothing changes while the service runs, so no subscriptions are advertised.
    const request = toRequest(visit, visit.request.signal);
    visits.set(request, visit);
    const response = await modern.fetch(request, { parsedBody: visit.message });
    return toAnswer(response, visit, async () => undefined);
  }

  async function serveLegacy(visit: Visit): Promise<HttpAnswer> {
    const { request, message, caller, id } = visit;
    const refusal = refuseVersion(visit);
    if (refusal !== undefined) return refusal;
    const keyId = caller?.principal.keyId ?? "";
    cancelWhatIsMeant(cancellations, visit, keyId);
    const call = id === null ? undefined : cancellations.track(keyId, request, id);
    const signal = call?.signal ?? request.signal;
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !mayStream(visit, options.streamingTools),
      supportedProtocolVersions: [...LEGACY_VERSIONS],
    });
    const server = createServer(visit);
    server.onerror = onerror;
    await server.connect(transport);
    const close = async () => {
      call?.end();
      await server.close();
    };
    // The library would wait forever for the answer to a cancelled call.
    const gone = Promise.withResolvers<Response>();
    signal.addEventListener("abort", () => {
      void close();
      gone.resolve(new Response(null, { status: 202 }));
    });
    try {
      const response = await Promise.race([
        transport.handleRequest(toRequest(visit, signal), { parsedBody: message }),
        gone.promise,
      ]);
      return await toAnswer(response, visit, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  async function toAnswer(response: Response, visit: Visit, close: () => Promise<void>): Promise<HttpAnswer> {
    const contentType = response.headers.get("content-type");
    if (response.body !== null && contentType?.startsWith("text/event-stream")) {
      const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
      return { status: response.status, headers, body: "", stream: signStream(response.body, visit, clock, close) };
    }
    const body = await response.text();
    await close();
    // The client may be gone; the work that it started must end before a stop continues.
    await visit.running;
    if (visit.refused !== undefined) throw visit.refused;
    const headers: Record<string, string> = body === "" ? {} : { "content-type": JSON_TYPE };
    return { status: response.status === 499 ? 202 : response.status, headers: { ...headers, ...visit.headers }, body };
  }

  return async (visit) =>
    (await isLegacyRequest(toRequest(visit), visit.message)) ? serveLegacy(visit) : serveModern(visit);
}

/** The body is already parsed; the library needs the headers. The accepted types were checked before. */
function toRequest({ request }: Visit, signal?: AbortSignal): Request {
  const headers = new Headers({ "content-type": JSON_TYPE, accept: "application/json, text/event-stream" });
  for (const [name, value] of request.headers()) {
    if (name.startsWith("mcp-")) headers.set(name, value);
  }
  const url = `http://localhost${request.path}`;
  return new Request(url, { method: "POST", headers, ...(signal === undefined ? {} : { signal }) });
}

function refuseVersion({ request, message }: Visit): HttpAnswer | undefined {
  const version = request.header(VERSION_HEADER)?.trim();
  const isHandshake = readId(message) !== null && isMethod(message, "initialize");
  if (version === undefined || isHandshake || LEGACY_VERSIONS.includes(version)) return undefined;
  const data = { supported: SUPPORTED_VERSIONS, requested: version };
  const text = `Unsupported protocol version. Supported: ${SUPPORTED_VERSIONS.join(", ")}.`;
  return rpcError(400, { code: UNSUPPORTED_VERSION, message: text, data }, readId(message));
}

/** The library checks these headers only for tools registered with it; ours are not. */
function refuseParameterHeaders({ request, message, list, id }: Visit): HttpAnswer | undefined {
  if (!isMethod(message, "tools/call")) return undefined;
  const { name, arguments: args } = readParams(message);
  const tool = list.tools.find((candidate) => candidate.name === name);
  if (tool === undefined || !isObject(args)) return undefined;
  const mismatch = findHeaderMismatch(tool, args, (header) => request.header(header));
  if (mismatch === undefined) return undefined;
  const text = `The request headers and the body disagree: ${mismatch.body}.`;
  return rpcError(400, { code: HEADER_MISMATCH, message: text, data: { mismatch } }, id);
}

function cancelWhatIsMeant(cancellations: Cancellations, { request, message, isPayer }: Visit, keyId: string): void {
  // Callers without a key cannot be told apart.
  if (isPayer || !isMethod(message, CANCELLED)) return;
  const { requestId } = readParams(message);
  if (typeof requestId === "string" || typeof requestId === "number") cancellations.cancel(keyId, request, requestId);
}

function mayStream({ acceptsStream, message }: Visit, streamingTools: ReadonlySet<string>): boolean {
  if (!acceptsStream || !isMethod(message, "tools/call")) return false;
  return readMeta(message).progressToken !== undefined || streamingTools.has(String(readParams(message).name));
}
