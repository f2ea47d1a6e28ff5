import type { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import type { HttpClient, HttpResponse } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

export interface ClerkOptions {
  /** Up to the version, without a trailing slash. */
  url: string;
  secretKey: string;
  http: HttpClient;
  clock: Clock;
  log: Pick<Log, "warn">;
  timeoutMilliseconds?: number;
  mostAtOnce?: number;
}

interface Ask {
  method: "GET" | "POST";
  path: string;
  json?: unknown;
}

const TIMEOUT_MILLISECONDS = 3_000;
const MOST_AT_ONCE = 128;
const MAXIMUM_BYTES = 1024 * 1024;
const RETRY_AFTER_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 30;
/** The version whose description the answers are read by. */
const API_VERSION = "2026-05-12";

/** For the log only. */
class ClerkProblem extends Error {
  override name = "ClerkProblem";
}

/** Clerk's Backend API. */
export class ClerkClient {
  readonly #options: ClerkOptions;
  #running = 0;
  /** It asked to be left alone. */
  #pausedUntilMilliseconds = 0;

  constructor(options: ClerkOptions) {
    this.#options = options;
  }

  /** Undefined: it answered with one of the statuses that mean "no". */
  async ask<Schema extends z.ZodType>(
    ask: Ask,
    schema: Schema,
    no: readonly number[],
  ): Promise<z.output<Schema> | undefined> {
    const response = await this.send(ask);
    if (no.includes(response.status)) return undefined;
    if (response.status !== 200 && response.status !== 201)
      throw this.#unavailable(new ClerkProblem(`Clerk answered ${response.status}`));
    const read = schema.safeParse(parse(response.body));
    if (read.success) return read.data;
    throw this.#unavailable(new ClerkProblem("Clerk's answer is not of the described form", { cause: read.error }));
  }

  /** Resolves with any status but that of an overload. Fails with `unavailable`. */
  async send({ method, path, json }: Ask): Promise<HttpResponse> {
    const { url, secretKey, http, clock, mostAtOnce = MOST_AT_ONCE } = this.#options;
    const { timeoutMilliseconds = TIMEOUT_MILLISECONDS } = this.#options;
    const pause = this.#pausedUntilMilliseconds - clock.now().epochMilliseconds;
    if (pause > 0) throw busy(Math.ceil(pause / 1000), "not_sent");
    if (this.#running >= mostAtOnce) throw busy(RETRY_AFTER_SECONDS, "not_sent");
    this.#running += 1;
    try {
      const response = await http.send({
        method,
        url: `${url}${path}`,
        headers: { authorization: `Bearer ${secretKey}`, "clerk-api-version": API_VERSION },
        ...(json === undefined ? {} : { json }),
        timeoutMilliseconds,
        maxBytes: MAXIMUM_BYTES,
      });
      if (response.status === 429) throw this.#pause(response);
      return response;
    } catch (error) {
      throw error instanceof HttpFailure ? this.#unavailable(error) : error;
    } finally {
      this.#running -= 1;
    }
  }

  #pause(response: HttpResponse): Failure {
    const given = Number(response.header("retry-after"));
    const seconds = Number.isFinite(given) && given > 0 ? Math.min(Math.ceil(given), LONGEST_PAUSE_SECONDS) : 1;
    this.#pausedUntilMilliseconds = this.#options.clock.now().epochMilliseconds + seconds * 1000;
    this.#options.log.warn({ seconds }, "the identity provider answered 429 and is left alone for a while");
    return busy(seconds, "not_sent");
  }

  #unavailable(cause: Error): Failure {
    this.#options.log.warn({ err: cause }, "the identity provider did not answer as it should");
    return busy(RETRY_AFTER_SECONDS, cause);
  }
}

/** Whether the request certainly had no effect. */
export const wasNotSent = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.cause === "not_sent" || (error.cause instanceof HttpFailure && error.cause.delivery === "not_sent"));

function busy(retryAfterSeconds: number, cause: unknown): Failure {
  return new Failure("unavailable", {
    detail:
      "The identity provider that issues keys does not answer, so that the key cannot be checked. Send again later.",
    cause,
    retryAfterSeconds,
  });
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
