import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { z } from "zod";
import { ChainGone, type FurtherChains } from "./further-chains.ts";
import { failure, INTERNAL_ERROR, INVALID_REQUEST } from "./json-rpc.ts";
import { LOOPBACK } from "./node-address.ts";
import type { Gateway } from "./rpc-gateway.ts";

const BODY_LIMIT_BYTES = 2_000_000;
/** For a client to send its request; and to take some of the answer. */
const REQUEST_LIMIT_MILLISECONDS = 30_000;
const SILENCE_LIMIT_MILLISECONDS = 60_000;
const CLOSE_LIMIT_MILLISECONDS = 500;

interface RpcServer {
  port: number;
  close(): Promise<void>;
}

/** Undefined: too long. Rejects when the client goes away. */
const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  if (Number(request.headers["content-length"] ?? 0) > BODY_LIMIT_BYTES) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > BODY_LIMIT_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
};

const answerWith = (response: ServerResponse, status: number, body: Buffer | string, close = false): void => {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(status, close ? { ...headers, connection: "close" } : headers).end(body);
};

const problem = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: null, ...failure(code, message) });

/**
 * Programs of this machine ask, not pages that somebody has open on it, and no name that was made to point at it (DNS rebinding).
 * Undefined: it may ask.
 */
const findRefusal = ({ method, headers }: IncomingMessage): { status: number; message: string } | undefined => {
  const { host = "", origin } = headers;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, "");
  if (name === undefined || (name !== "localhost" && isIP(name) === 0)) {
    return { status: 403, message: "The chain answers only at its own address or localhost." };
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return { status: 403, message: "Pages of other origins may not call the chain." };
  }
  if (method !== "POST") return undefined;
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  return type === "application/json" ? undefined : { status: 415, message: "Send JSON-RPC as application/json." };
};

const Hold = z.strictObject({ holder: z.string().min(1).max(60), seconds: z.int().min(0).max(600) });
const FURTHER_PATH = /^\/chains(?:\/(?<name>\w{1,40})(?<hold>\/hold)?)?$/;

/** Where a request to a further chain goes; undefined: it is for the first one. */
const findFurtherPath = ({ url = "" }: IncomingMessage) => FURTHER_PATH.exec(url)?.groups;

const readHold = (body: string): z.infer<typeof Hold> | undefined => {
  try {
    return Hold.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
};

const answerGateway = (response: ServerResponse, answer: Buffer | undefined): void => {
  if (answer === undefined) response.writeHead(204).end();
  else answerWith(response, 200, answer);
};

/** GET lists the chains; a POST asks one, or keeps it from being parked. */
const answerFurther = async (
  further: FurtherChains,
  { name, hold }: { name?: string; hold?: string },
  request: { method: string | undefined; body: string },
  response: ServerResponse,
): Promise<void> => {
  if (name === undefined || request.method === "GET") {
    return answerWith(response, 200, JSON.stringify({ chains: further.list() }));
  }
  if (!further.has(name)) {
    return answerWith(response, 404, problem(INVALID_REQUEST, `There is no chain ${name}.`));
  }
  if (hold === undefined) return answerGateway(response, await further.answer(name, request.body));
  const wanted = readHold(request.body);
  if (wanted === undefined) {
    return answerWith(response, 400, problem(INVALID_REQUEST, "A hold needs a holder and 0 to 600 seconds."));
  }
  const isHeld = further.hold(name, wanted.holder, wanted.seconds);
  return answerWith(response, isHeld ? 200 : 429, JSON.stringify({ ok: isHeld }));
};

/** The chain's JSON-RPC on loopback: POST anywhere, and GET /healthz. Further chains are at /chains/<name>. */
export const listenRpc = async (
  port: number,
  { gateway, isHealthy }: { gateway: Gateway; isHealthy(): Promise<boolean> },
  further: FurtherChains | undefined,
): Promise<RpcServer> => {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = findRefusal(request);
    if (refusal !== undefined) {
      return answerWith(response, refusal.status, problem(INVALID_REQUEST, refusal.message), true);
    }
    if (request.method === "GET" && request.url === "/healthz") {
      const ok = await isHealthy();
      return answerWith(response, ok ? 200 : 503, JSON.stringify({ ok }));
    }
    const path = further === undefined ? undefined : findFurtherPath(request);
    if (request.method !== "POST" && path === undefined) {
      return answerWith(response, 405, problem(INVALID_REQUEST, "Send JSON-RPC requests by POST."), true);
    }
    const body = await readBody(request);
    if (body === undefined) {
      return answerWith(
        response,
        413,
        problem(INVALID_REQUEST, `A request may have at most ${BODY_LIMIT_BYTES} bytes.`),
        true,
      );
    }
    if (further !== undefined && path !== undefined) {
      return await answerFurther(further, path, { method: request.method, body }, response);
    }
    answerGateway(response, await gateway(body));
  };
  const server = createServer(
    { requestTimeout: REQUEST_LIMIT_MILLISECONDS, keepAliveTimeout: SILENCE_LIMIT_MILLISECONDS },
    (request, response) => {
      handle(request, response).catch((error) => {
        // Whoever sent a transaction must not take an error for a refusal.
        if (response.headersSent || request.destroyed || error instanceof ChainGone) response.destroy();
        else answerWith(response, 500, problem(INTERNAL_ERROR, "The request could not be handled."), true);
      });
    },
  );
  server.setTimeout(SILENCE_LIMIT_MILLISECONDS);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MILLISECONDS).unref();
      }),
  };
};
