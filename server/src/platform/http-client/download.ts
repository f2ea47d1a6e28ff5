import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { ForbiddenTarget, type SsrfGuard } from "./ssrf-guard.ts";

/**
 * Why there is no file.
 * - `forbidden`: the address, or one that it redirects to, must not be requested
 * - `unreachable`: no connection, or a broken one
 * - `timeout`, `aborted`: the time limit for all hops was reached, or the caller gave up
 * - `status`: an answer other than 200, or too many redirects
 * - `type`, `too_large`: an answer that is not accepted
 */
export type DownloadProblem = "forbidden" | "unreachable" | "timeout" | "aborted" | "status" | "type" | "too_large";

export class DownloadFailure extends Error {
  readonly problem: DownloadProblem;
  /** The last answer's status; undefined: there was none. */
  readonly status: number | undefined;

  constructor(problem: DownloadProblem, status?: number, cause?: unknown) {
    super(problem, cause === undefined ? undefined : { cause });
    this.name = "DownloadFailure";
    this.problem = problem;
    this.status = status;
  }
}

export interface DownloadLimits {
  maximumBytes: number;
  /** The limit for all hops together, to the last byte. */
  timeoutMilliseconds: number;
  mostRedirects: number;
  /** In lower case; an answer without a media type is accepted. */
  mediaTypes: ReadonlySet<string>;
}

interface DownloadOptions extends DownloadLimits {
  guard: SsrfGuard;
  /** A proxy that opens every connection and resolves the names: then only it knows their addresses. */
  proxyUrl?: string | undefined;
  /** Certificates trusted in addition to those of the system; for tests. */
  ca?: string | undefined;
}

interface Download {
  bytes: Uint8Array;
  /** As sent by the server, in lower case and without parameters. */
  mediaType: string | undefined;
}

type Fetch = (url: string, signal: AbortSignal) => Promise<Download>;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads files from addresses that strangers choose: each hop is judged by the guard and has its own connection, without
 * cookies or credentials. Throws only DownloadFailure.
 */
export function createDownload(options: DownloadOptions): Fetch {
  return async (text, signal) => {
    const timeout = AbortSignal.timeout(options.timeoutMilliseconds);
    const ended = AbortSignal.any([signal, timeout]);
    try {
      return await follow(options, text, ended);
    } catch (error) {
      if (error instanceof DownloadFailure) throw error;
      if (isForbidden(error)) throw new DownloadFailure("forbidden", undefined, error);
      if (timeout.aborted) throw new DownloadFailure("timeout", undefined, error);
      throw new DownloadFailure(signal.aborted ? "aborted" : "unreachable", undefined, error);
    }
  };
}

async function follow(options: DownloadOptions, text: string, signal: AbortSignal): Promise<Download> {
  let url = options.guard.checkUrl(text);
  for (let redirects = 0; ; redirects += 1) {
    const hop = await ask(options, url, signal);
    if (!(hop instanceof URL)) return hop;
    if (redirects === options.mostRedirects) throw new DownloadFailure("status", 302);
    url = options.guard.checkUrl(hop.href);
  }
}

/** Returns a file or the URL of a redirect. */
async function ask(options: DownloadOptions, url: URL, signal: AbortSignal): Promise<Download | URL> {
  const { guard, proxyUrl, ca } = options;
  signal.throwIfAborted();
  const agent = new Agent({
    keepAlive: false,
    ...(proxyUrl === undefined ? {} : { proxyEnv: { HTTPS_PROXY: proxyUrl } }),
  });
  try {
    const answered = Promise.withResolvers<IncomingMessage>();
    const onClosed = () => answered.reject(new DownloadFailure("unreachable"));
    const onAborted = () => answered.reject(signal.reason);
    const asking = request(url, {
      agent,
      signal,
      method: "GET",
      ...(proxyUrl === undefined ? { lookup: guard.lookup } : {}),
      ...(ca === undefined ? {} : { ca }),
      headers: { accept: [...options.mediaTypes].join(", "), "accept-encoding": "identity", "user-agent": "wayfare" },
    });
    // A pending connection to a proxy does not belong to the request yet.
    signal.addEventListener("abort", onAborted, { once: true });
    asking.on("response", answered.resolve).on("error", answered.reject).on("close", onClosed).end();
    const answer = await answered.promise;
    return await read(options, url, answer);
  } finally {
    agent.destroy();
  }
}

async function read(options: DownloadOptions, url: URL, answer: IncomingMessage): Promise<Download | URL> {
  const { statusCode: status = 0, headers } = answer;
  try {
    if (REDIRECTS.has(status) && headers.location !== undefined) {
      const next = URL.parse(headers.location, url);
      if (next === null) throw new DownloadFailure("status", status);
      return next;
    }
    if (status !== 200) throw new DownloadFailure("status", status);
    const mediaType = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
    const isTaken = mediaType === undefined || options.mediaTypes.has(mediaType);
    const { "content-encoding": encoding = "identity" } = headers;
    if (!isTaken || encoding.toLowerCase() !== "identity") throw new DownloadFailure("type", status);
    return { bytes: await readBytes(answer, options.maximumBytes), mediaType };
  } finally {
    answer.destroy();
  }
}

async function readBytes(answer: IncomingMessage, maximumBytes: number): Promise<Uint8Array> {
  const status = answer.statusCode;
  if (Number(answer.headers["content-length"] ?? 0) > maximumBytes) throw new DownloadFailure("too_large", status);
  const chunks: Buffer[] = [];
  let received = 0;
  answer.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > maximumBytes) answer.destroy(new DownloadFailure("too_large", status));
    else chunks.push(chunk);
  });
  await new Promise((resolve, reject) => {
    answer.on("error", reject).on("close", resolve);
  });
  if (!answer.complete) throw new DownloadFailure("unreachable", status);
  return Buffer.concat(chunks);
}

/** Node.js wraps look-up errors if it has tried several addresses. */
function isForbidden(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isForbidden);
  return error instanceof ForbiddenTarget || (error instanceof Error && error.cause instanceof ForbiddenTarget);
}
