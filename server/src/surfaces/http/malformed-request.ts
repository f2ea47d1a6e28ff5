import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { RequestError } from "@hono/node-server";
import { Failure } from "../../domain/errors.ts";
import type { Log } from "../../ports/log.ts";
import { renderThrown } from "../render-error.ts";
import type { LatestAnswer } from "./half-closed.ts";
import type { HttpAnswer } from "./http.ts";
import { chooseTraceId } from "./trace.ts";

/** Errors of the web adapter before a route is reached: a host or a target that is not a valid URL. */
export function renderMalformedRequest(error: unknown, appUrl: string, log: Log): HttpAnswer {
  const refused = error instanceof RequestError ? notHttp("The request's target or Host header is not valid.") : error;
  return renderThrown(refused, { traceId: chooseTraceId(undefined), appUrl }, log);
}

/** Answers requests that node:http cannot parse with a problem; node:http would send an empty body. */
export function answerMalformedRequests(
  server: Server,
  latestAnswer: LatestAnswer,
  { appUrl, log }: { appUrl(): string; log: Log },
): void {
  server.on("clientError", (error, socket) => {
    const answer = latestAnswer(socket);
    // While a complete request is being answered, this would be taken for its answer, although that request may still take
    // effect.
    const free = answer === undefined || answer.writableFinished || !(answer.headersSent || answer.req.complete);
    const place = { traceId: chooseTraceId(undefined), appUrl: appUrl() };
    if (socket.writable && free) socket.write(formatMessage(renderThrown(toFailure(error), place, log)));
    socket.destroy();
  });
  // An unknown expectation is ignored.
  server.on("checkExpectation", (incoming, response) => server.emit("request", incoming, response));
}

/**
 * Refuses requests that node:http would accept, or refuse with an empty body, and that a proxy in front may have read
 * differently.
 */
export function refuseAmbiguous(
  incoming: IncomingMessage,
  response: ServerResponse,
  { appUrl, log }: { appUrl(): string; log: Log },
): boolean {
  const problem = findAmbiguity(incoming);
  if (problem === undefined) return false;
  const refused = notHttp(problem);
  const { status, headers, body } = renderThrown(refused, { traceId: chooseTraceId(undefined), appUrl: appUrl() }, log);
  response.writeHead(status, { ...headers, connection: "close" }).end(body);
  return true;
}

function findAmbiguity({ headers, httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  if (headers.host === undefined) {
    if (httpVersion === "1.1") return "The request has no Host header.";
  } else if (hasTwoHosts(rawHeaders)) return "The request has more than one Host header.";
  if (headers["transfer-encoding"] === undefined || httpVersion === "1.1") return undefined;
  return "An HTTP/1.0 request cannot have a Transfer-Encoding. Send its length, or use HTTP/1.1.";
}

/** If there are several, node:http uses the first. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    // Compared only if the length fits, as this runs on every request.
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

function toFailure(error: Error): Failure {
  const code = "code" in error ? error.code : undefined;
  if (code === "HPE_HEADER_OVERFLOW") {
    return new Failure("headers_too_large", { detail: "The headers exceed 16 kB in total. Send less." });
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new Failure("request_timeout", { detail: "The request did not arrive in time. Send it without a pause." });
  }
  return notHttp("The request is not valid HTTP/1.1.");
}

function notHttp(detail: string): Failure {
  return new Failure("invalid_input", { detail });
}

function formatMessage({ status, headers, body }: HttpAnswer): string {
  const all = { ...headers, "content-length": String(Buffer.byteLength(body)), connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}
