import type { z } from "zod";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { buildUrl, type UrlQuery } from "../http-client/build-url.ts";
import type { HttpClient, HttpResponse } from "../http-client/http-client.ts";
import { HttpFailure } from "../http-client/http-failure.ts";
import { BodyCache } from "./body-cache.ts";
import { Circuit } from "./circuit.ts";
import { ProviderFailure, type ProviderProblem, type Reply } from "./provider.ts";
import { RateLimiter } from "./rate-limiter.ts";

export interface OpenSourceOptions {
  /** The name in results. */
  name: string;
  baseUrl: string;
  http: HttpClient;
  clock: Clock;
  log: Log;
  /** Identifies the deployment: most open providers require it. */
  userAgent: string;
  /** The rate that the provider's usage policy allows a program. */
  millisecondsBetween: number;
  timeoutMilliseconds?: number;
  /** The size of the cache of its answers. */
  cacheBytes?: number;
}

interface SourceRequest<Value> {
  path: string;
  query: UrlQuery;
  /** Sent with a POST. */
  json?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** How long an answer is cached; 0: it is not stored at all. */
  freshMilliseconds: number;
  /** Statuses whose body `parse` understands; any other one is a failure. */
  statuses?: readonly number[];
  /** The required media type of the answer. Default: not checked. */
  contentType?: string;
  /** A longer answer is refused. */
  maximumBytes?: number;
  /** Throws if the body is malformed, or `ProviderFailure` if it is an answer that says that there is none. */
  parse(body: Buffer): Value;
  signal?: AbortSignal | undefined;
}

const TIMEOUT_MILLISECONDS = 5_000;
const LONGEST_WAIT_MILLISECONDS = 3_000;
const MAXIMUM_BYTES = 2 * 1024 * 1024;
const CACHE_BYTES = 4 * 1024 * 1024;
const OURS: ReadonlySet<number> = new Set([400, 404, 413, 414, 422]);

/** A provider asked over HTTP, with its rate limit, cache and circuit breaker, shared by all adapters that use it. */
export class OpenSource {
  readonly name: string;
  readonly #options: OpenSourceOptions;
  readonly #limiter: RateLimiter;
  readonly #circuit = new Circuit();
  readonly #cache: BodyCache;

  constructor(options: OpenSourceOptions) {
    const { name, millisecondsBetween, cacheBytes = CACHE_BYTES } = options;
    this.name = name;
    this.#cache = new BodyCache(cacheBytes);
    this.#options = options;
    this.#limiter = new RateLimiter({ millisecondsBetween, longestWaitMilliseconds: LONGEST_WAIT_MILLISECONDS });
  }

  /** Throws `ProviderFailure` or the signal's reason. */
  async read<Value>(request: SourceRequest<Value>): Promise<Reply<Value>> {
    const { clock } = this.#options;
    const url = buildUrl(`${this.#options.baseUrl}${request.path}`, request.query).href;
    const isStored = request.freshMilliseconds > 0;
    const known = isStored ? this.#cache.get(url, this.#now()) : undefined;
    if (known !== undefined)
      return { answer: request.parse(known.body), asOf: formatInstant(known.readAtMilliseconds) };
    if (!this.#circuit.admits(this.#now())) throw new ProviderFailure("paused");
    await this.#limiter.wait(request.signal);
    const { body, answer } = await this.#ask(url, request);
    const readAtMilliseconds = clock.now().epochMilliseconds;
    const freshUntilMilliseconds = readAtMilliseconds + request.freshMilliseconds;
    if (isStored) this.#cache.set(url, { body, readAtMilliseconds, freshUntilMilliseconds });
    return { answer, asOf: formatInstant(readAtMilliseconds) };
  }

  async #ask<Value>(url: string, request: SourceRequest<Value>): Promise<{ body: Buffer; answer: Value }> {
    const { http, userAgent, timeoutMilliseconds = TIMEOUT_MILLISECONDS } = this.#options;
    const { statuses = [200], contentType, maximumBytes = MAXIMUM_BYTES, json, headers, parse, signal } = request;
    let response: HttpResponse;
    try {
      response = await http.send({
        method: json === undefined ? "GET" : "POST",
        url,
        headers: { "user-agent": userAgent, accept: contentType ?? "*/*", ...headers },
        json,
        timeoutMilliseconds,
        signal,
        maxBytes: maximumBytes,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof HttpFailure)) throw error;
      throw this.#failed(problemOfFailure(error), { cause: error });
    }
    const { status, body } = response;
    if (!statuses.includes(status)) {
      // A bad request says nothing about the next one.
      if (OURS.has(status)) throw new ProviderFailure("refused", { status });
      throw this.#failed(toProblem(status), { status, pauseMilliseconds: this.#pauseAskedFor(response) });
    }
    try {
      if (contentType !== undefined && !isOfType(response, contentType)) throw new Error("another type of content");
      const answer = parse(body);
      this.#circuit.succeeded();
      return { body, answer };
    } catch (cause) {
      throw this.#failed(cause instanceof ProviderFailure ? cause.reason : "unexpected_answer", { cause });
    }
  }

  #failed(
    reason: ProviderProblem,
    { status, cause, pauseMilliseconds }: { status?: number; cause?: unknown; pauseMilliseconds?: number },
  ): ProviderFailure {
    // Logged without the address and the body: both contain travelers' places.
    this.#options.log.warn({ source: this.name, reason, status }, "an open provider gave no answer");
    this.#circuit.failed(this.#now(), pauseMilliseconds);
    return new ProviderFailure(reason, cause);
  }

  #now(): number {
    return this.#options.clock.now().epochMilliseconds;
  }

  #pauseAskedFor(response: HttpResponse): number {
    const text = response.header("retry-after") ?? "";
    if (/^\d{1,6}$/.test(text)) return Number(text) * 1_000;
    const until = Date.parse(text);
    return Number.isNaN(until) ? 0 : Math.max(0, until - this.#now());
  }
}

/** Makes a parser of JSON bodies with this schema. */
export function jsonParser<Value>(schema: z.ZodType<Value>): (body: Buffer) => Value {
  return (body) => schema.parse(JSON.parse(body.toString("utf8")));
}

function problemOfFailure({ problem }: HttpFailure): ProviderProblem {
  if (problem === "timeout") return "timeout";
  return problem === "too_large" ? "unexpected_answer" : "unreachable";
}

const isOfType = (response: HttpResponse, contentType: string): boolean =>
  response.header("content-type")?.split(";")[0]?.trim().toLowerCase() === contentType;

function toProblem(status: number): ProviderProblem {
  if (status === 429) return "rate_limited";
  return status >= 500 ? "server_error" : "refused";
}

const formatInstant = (epochMilliseconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(epochMilliseconds).toString();
