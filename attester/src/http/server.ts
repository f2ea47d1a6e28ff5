import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type Fault, type Faults, Scenario } from "../faults.ts";
import { type Answer, type Question, refuse } from "./answer.ts";

const LOOPBACK = "127.0.0.1";
const BODY_LIMIT_BYTES = 256_000;
const REQUEST_LIMIT_MILLISECONDS = 30_000;
const CLOSE_LIMIT_MILLISECONDS = 500;
const LOCKED_SECONDS = 300;

interface ServerParts {
  /** Undefined where faults must not be armed. */
  faults: Faults | undefined;
  answer(question: Question, fault: Fault | undefined): Promise<Answer>;
  say(line: string): void;
}

/** Programs of this machine ask, not pages that somebody has open on it, and no name that was made to point at it (DNS rebinding). */
function findRefusal({ method, headers }: IncomingMessage): Answer | undefined {
  const { host = "", origin } = headers;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, "");
  if (name === undefined || (name !== "localhost" && isIP(name) === 0)) return refuse(403, "not under this name");
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, "not for pages of other origins");
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  const hasBody = Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
  return method === "POST" && hasBody && type !== "application/json"
    ? refuse(415, "a body must be application/json")
    : undefined;
}

/** Undefined: too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    const more = Buffer.from(piece);
    bytes += more.length;
    if (bytes > BODY_LIMIT_BYTES) return undefined;
    pieces.push(more);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function write(response: ServerResponse, { status, body, headers }: Answer): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...headers })
    .end(text);
}

function control(faults: Faults, { method, query, json }: Question): Answer {
  if (method === "GET") return { status: 200, body: { scenarios: faults.list() } };
  if (method === "DELETE") {
    faults.clear(query.get("tenant") ?? undefined);
    return { status: 200, body: { scenarios: faults.list() } };
  }
  const scenario = Scenario.safeParse(json);
  if (!scenario.success) return refuse(400, z.prettifyError(scenario.error));
  faults.arm(scenario.data);
  return { status: 201, body: { scenarios: faults.list() } };
}

/** The answer that a fault gives in place of the real one. */
function interfere(fault: Fault | undefined): Answer | undefined {
  if (fault?.kind === "away") return refuse(503, "Service unavailable");
  if (fault?.kind !== "rate_limited") return undefined;
  const seconds = fault.delayMs === 0 ? LOCKED_SECONDS : Math.ceil(fault.delayMs / 1_000);
  return { ...refuse(429, "Too many requests"), headers: { "retry-after": String(seconds) } };
}

export async function listen(port: number, { faults, answer, say }: ServerParts) {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = findRefusal(request);
    if (refusal !== undefined) return write(response, refusal);
    const body = await readBody(request);
    if (body === undefined) return write(response, refuse(413, `at most ${BODY_LIMIT_BYTES} bytes`));
    const url = new URL(request.url ?? "/", `http://${LOOPBACK}`);
    const { method = "GET" } = request;
    const question = { method, path: url.pathname, query: url.searchParams, json: parseJson(body) };
    if (url.pathname === "/healthz") return write(response, { status: 200, body: { ok: true } });
    if (url.pathname === "/_sandbox/scenarios" && faults !== undefined) {
      return write(response, control(faults, question));
    }
    const fault = faults?.take(method, url.pathname, request.headers["x-sandbox-tenant"]?.toString());
    const interfered = interfere(fault);
    if (interfered !== undefined) return write(response, interfered);
    const answered = await answer(question, fault);
    if (fault?.kind === "slow") await delay(fault.delayMs);
    if (fault?.kind === "reset") response.socket?.resetAndDestroy();
    else write(response, answered);
  }

  const server = createServer({ requestTimeout: REQUEST_LIMIT_MILLISECONDS }, (request, response) => {
    handle(request, response).catch((error) => {
      say(
        `${request.method} ${request.url?.split("?")[0]}: ${String(error instanceof Error ? error.message : error).split("\n")[0]}`,
      );
      if (response.headersSent || request.destroyed) response.destroy();
      else write(response, refuse(503, "A chain does not answer: try again"));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MILLISECONDS).unref();
      }),
  };
}
