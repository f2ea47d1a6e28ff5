import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { type Answer, type Question, refuse, type Stream } from "./answer.ts";

const LOOPBACK = "127.0.0.1";
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;
const REQUEST_LIMIT_MILLISECONDS = 30_000;
const CLOSE_LIMIT_MILLISECONDS = 500;

/** `broken`: the connection breaks in place of an answer. */
type Answered = Answer | Stream | "broken";

/** Programs of this machine and the page itself ask, not pages of other origins, and no name that was made to point here. */
function findRefusal({ headers }: IncomingMessage): Answer | undefined {
  const { host = "", origin } = headers;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, "");
  if (name === undefined || (name !== "localhost" && isIP(name) === 0)) return refuse(403, "not under this name");
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, "not for pages of other origins");
  return undefined;
}

/** Undefined: too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    const more = Buffer.from(piece);
    bytes += more.length;
    if (bytes > BODY_LIMIT_BYTES) return undefined;
    pieces.push(more);
  }
  return Buffer.concat(pieces);
}

function parseBody(text: string, contentType: string): Readonly<Record<string, unknown>> {
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function write(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const type = typeof body === "string" ? "text/html; charset=utf-8" : "application/json; charset=utf-8";
  response.writeHead(status, { "content-type": type, "content-length": bytes.byteLength, ...headers }).end(bytes);
}

function stream(response: ServerResponse, { open }: Stream): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const close = open((line) => response.write(`data: ${line}\n\n`));
  response.on("close", close);
}

interface ServerParts {
  answer(question: Question): Promise<Answered>;
  say(line: string): void;
}

export async function listen(port: number, { answer, say }: ServerParts) {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = findRefusal(request);
    if (refusal !== undefined) return write(response, refusal);
    const bytes = await readBody(request);
    if (bytes === undefined) return write(response, refuse(413, `at most ${BODY_LIMIT_BYTES} bytes`));
    const url = new URL(request.url ?? "/", `http://${LOOPBACK}`);
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    };
    const text = bytes.toString("utf8");
    const body = parseBody(text, header("content-type") ?? "");
    const { method = "GET" } = request;
    const answered = await answer({ method, path: url.pathname, query: url.searchParams, text, bytes, body, header });
    if (answered === "broken") response.socket?.resetAndDestroy();
    else if ("open" in answered) stream(response, answered);
    else write(response, answered);
  }

  const server = createServer({ requestTimeout: REQUEST_LIMIT_MILLISECONDS }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      say(`${request.method} ${request.url?.split("?")[0]}: ${error instanceof Error ? error.message : String(error)}`);
      if (response.headersSent || request.destroyed) response.destroy();
      else write(response, refuse(500, "this simulator has failed"));
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
