import type { z } from "zod";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { HttpClient, HttpResponse } from "../http-client/http-client.ts";
import { HttpFailure } from "../http-client/http-failure.ts";
import { BodyCache } from "./body-cache.ts";
import { Circuit } from "./circuit.ts";
import { ProviderFailure, type ProviderProblem, type Reply } from "./provider.ts";
import { RateLimiter } from "./rate-limiter.ts";

export interface OpenSourceOptions {
  /** As results name it. */
  name: string;
  baseUrl: string;
  http: HttpClient;
  clock: Clock;
  log: Log;
  /** Says who asks: most open providers refuse who does not. */
  userAgent: string;
  /** What the provider's usage policy allows a program. */
  millisecondsBetween: number;
  timeoutMilliseconds?: number;
  /** How much of what it answered is kept. */
  cacheBytes?: number;
}

interface SourceRequest<Value> {
  path: string;
  query: Readonly<Record<string, string | number | undefined>>;
  /** For how long the answer is given again. */
  freshMilliseconds: number;
  /** Statuses whose body `parse` understands; any other one is a failure. */
  statuses?: readonly number[];
  /** What the answer must say that it is. Left out: the body alone tells. */
  contentType?: string;
  /** A longer answer is none. */
  maximumBytes?: number;
  /** Throws when the body is not what it should be. */
  parse(body: Buffer): Value;
  signal?: AbortSignal | undefined;
}

const TIMEOUT_MILLISECONDS = 5_000;
const LONGEST_WAIT_MILLISECONDS = 3_000;
const MAXIMUM_BYTES = 2 * 1024 * 1024;
const CACHE_BYTES = 4 * 1024 * 1024;
const OURS: ReadonlySet<number> = new Set([400, 404, 413, 414, 422]);

/** One provider that is asked over HTTP, with its limit, its cache and its circuit, whichever adapters ask it. */
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

  /** Throws `ProviderFailure`, or what the signal gives as its reason. */
  async read<Value>(request: SourceRequest<Value>): Promise<Reply<Value>> {
    const { clock } = this.#options;
    const url = addressOf(this.#options.baseUrl, request);
    const known = this.#cache.get(url, this.#now());
    if (known !== undefined) return { answer: request.parse(known.body), asOf: textOf(known.readAtMilliseconds) };
    if (!this.#circuit.admits(this.#now())) throw new ProviderFailure("paused");
    await this.#limiter.wait(request.signal);
    const { body, answer } = await this.#ask(url, request);
    const readAtMilliseconds = clock.now().epochMilliseconds;
    const freshUntilMilliseconds = readAtMilliseconds + request.freshMilliseconds;
    this.#cache.set(url, { body, readAtMilliseconds, freshUntilMilliseconds });
    return { answer, asOf: textOf(readAtMilliseconds) };
  }

  async #ask<Value>(url: string, request: SourceRequest<Value>): Promise<{ body: Buffer; answer: Value }> {
    const { http, userAgent, timeoutMilliseconds = TIMEOUT_MILLISECONDS } = this.#options;
    const { statuses = [200], contentType, maximumBytes = MAXIMUM_BYTES, parse, signal } = request;
    let response: HttpResponse;
    try {
      response = await http.send({
        method: "GET",
        url,
        headers: { "user-agent": userAgent, accept: contentType ?? "*/*" },
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
      // What is wrong with one request says nothing about the next one.
      if (OURS.has(status)) throw new ProviderFailure("refused", { status });
      throw this.#failed(problemOf(status), { status, pauseMilliseconds: this.#pauseAskedFor(response) });
    }
    try {
      if (contentType !== undefined && !isOfType(response, contentType)) throw new Error("another type of content");
      const answer = parse(body);
      this.#circuit.succeeded();
      return { body, answer };
    } catch (cause) {
      throw this.#failed("unexpected_answer", { cause });
    }
  }

  #failed(
    reason: ProviderProblem,
    { status, cause, pauseMilliseconds }: { status?: number; cause?: unknown; pauseMilliseconds?: number },
  ): ProviderFailure {
    // Without the address that was asked and without the body: travelers' places stand in both.
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

/** A parser of JSON bodies with this schema. */
export function jsonOf<Value>(schema: z.ZodType<Value>): (body: Buffer) => Value {
  return (body) => schema.parse(JSON.parse(body.toString("utf8")));
}

function addressOf(baseUrl: string, { path, query }: Pick<SourceRequest<unknown>, "path" | "query">): string {
  const url = new URL(`${baseUrl}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

function problemOfFailure({ problem }: HttpFailure): ProviderProblem {
  if (problem === "timeout") return "timeout";
  return problem === "too_large" ? "unexpected_answer" : "unreachable";
}

const isOfType = (response: HttpResponse, contentType: string): boolean =>
  response.header("content-type")?.split(";")[0]?.trim().toLowerCase() === contentType;

function problemOf(status: number): ProviderProblem {
  if (status === 429) return "rate_limited";
  return status >= 500 ? "server_error" : "refused";
}

const textOf = (epochMilliseconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(epochMilliseconds).toString();
