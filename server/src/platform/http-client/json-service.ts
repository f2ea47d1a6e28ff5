import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import type { HttpClient, HttpResponse } from "./http-client.ts";
import { HttpFailure } from "./http-failure.ts";

interface JsonServiceOptions {
  http: HttpClient;
  /** Without a trailing slash. A function: it is found, or started, for each attempt. */
  url: string | (() => Promise<string>);
  /** Its name in texts for callers: "the attestation service". */
  title: string;
  /** The time limit of one attempt. */
  timeoutMilliseconds: number;
  /** Attempts after the first one. */
  retries?: number;
  pauseMilliseconds?: number;
}

interface JsonQuestion {
  method: "GET" | "POST";
  /** With its query. */
  path: string;
  json?: unknown;
  /** False: an attempt that may have reached the service is not repeated. */
  mayRepeat: boolean;
  /** The statuses that are answers. Any other one is a failure of the service. */
  accepts: readonly number[];
  signal?: AbortSignal | undefined;
}

interface JsonAnswer {
  status: number;
  value: unknown;
}

/** Asks a service that speaks JSON. Rejects with the Failure `unavailable`, retryable, whatever went wrong there. */
export interface JsonService {
  ask(question: JsonQuestion): Promise<JsonAnswer>;
  /** The failure of an answer that says something impossible. */
  refuseAnswer(why: string): Failure;
}

const MAXIMUM_BYTES = 256 * 1024;
const RETRIES = 2;
const PAUSE_MILLISECONDS = 150;
const RETRY_AFTER_SECONDS = 5;
const LOCKED_SECONDS = 300;
const LONGEST_LOCK_SECONDS = 600;
const TOO_MANY = 429;

/** For the log only. */
class ServiceProblem extends Error {
  override name = "ServiceProblem";
}

export function createJsonService(options: JsonServiceOptions): JsonService {
  const { http, url, title, timeoutMilliseconds, retries = RETRIES, pauseMilliseconds = PAUSE_MILLISECONDS } = options;
  /** After too many requests it answers nobody for a while, and longer to those who go on asking. */
  let lockedUntilMilliseconds = 0;

  function fail(cause: unknown, retryAfterSeconds = RETRY_AFTER_SECONDS): Failure {
    return new Failure("unavailable", {
      detail: `${title} gives no clear answer now. Nothing is lost; try again later.`,
      retryAfterSeconds,
      cause,
    });
  }

  function requireUnlocked(): void {
    const leftMilliseconds = lockedUntilMilliseconds - performance.now();
    if (leftMilliseconds <= 0) return;
    throw fail(new ServiceProblem("it refused too many requests before"), Math.ceil(leftMilliseconds / 1_000));
  }

  async function attempt({ method, path, json, accepts, mayRepeat, signal }: JsonQuestion): Promise<JsonAnswer> {
    const base = typeof url === "string" ? url : await url();
    const response = await http.send({
      method,
      url: `${base}${path}`,
      ...(json === undefined ? {} : { json }),
      timeoutMilliseconds,
      maxBytes: MAXIMUM_BYTES,
      freshConnection: !mayRepeat,
      signal,
    });
    const { status } = response;
    if (status === TOO_MANY) {
      const seconds = readRetryAfter(response);
      lockedUntilMilliseconds = performance.now() + seconds * 1_000;
      throw fail(new ServiceProblem(`${path} answered 429`), seconds);
    }
    if (!accepts.includes(status)) throw new ServiceProblem(`${path} answered ${status}`);
    return { status, value: parseJson(response) };
  }

  /** A lock is final for now; so is what may have taken effect, unless it may be repeated. */
  function mayTryAgain(error: unknown, { mayRepeat, signal }: JsonQuestion): boolean {
    if (error instanceof Failure || signal?.aborted === true) return false;
    return mayRepeat || (error instanceof HttpFailure && error.delivery === "not_sent");
  }

  return {
    async ask(question) {
      for (let left = retries; ; left -= 1) {
        requireUnlocked();
        try {
          return await attempt(question);
        } catch (error) {
          if (error instanceof Failure) throw error;
          if (left === 0 || !mayTryAgain(error, question)) throw fail(error);
          await delay(pauseMilliseconds * (retries - left + 1));
        }
      }
    },
    refuseAnswer: (why) => fail(new ServiceProblem(why)),
  };
}

function readRetryAfter(response: HttpResponse): number {
  const seconds = Number(response.header("retry-after"));
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, LONGEST_LOCK_SECONDS) : LOCKED_SECONDS;
}

function parseJson({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
