import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (response: ServerResponse, seen: Seen) => void;

/** A server that answers each request with the next of these answers, and keeps what it was sent. */
export async function scriptService(...answers: readonly Answer[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: await text(request) };
    seen.push(one);
    const answer = answers[seen.length - 1];
    if (answer === undefined) response.destroy();
    else answer(response, one);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface ProblemOptions {
  readonly retryable?: boolean;
  readonly retryAfter?: string;
  readonly members?: Readonly<Record<string, unknown>>;
}

export const problem =
  (status: number, code: string, { retryable = true, retryAfter = "0", members = {} }: ProblemOptions = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/problem+json", "retry-after": retryAfter });
    response.end(JSON.stringify({ ok: false, code, detail: "", retryable, traceId: "a".repeat(32), ...members }));
  };

export const result =
  (value: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ ok: true, result: value, latencyMs: 1, priceMicroUsdc: "500" }));
  };

/** The request is read, and the connection ends without an answer. */
export const lost: Answer = (response) => response.destroy();
