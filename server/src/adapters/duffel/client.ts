import { z } from "zod";
import type { Failure } from "../../domain/errors.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Subject } from "./error-codes.ts";
import { decodeSupplierError, failedCommit, failedRead, failure, lostCommit, lostRead } from "./errors.ts";

/** The supplier's HTTP conventions: headers, `{data}` envelopes, cursors, and which requests may be repeated. */

export interface DuffelClientOptions {
  baseUrl: string;
  token: string;
  http: HttpClient;
  clock: Clock;
  log: Log;
  readTimeoutMs: number;
  commitTimeoutMs: number;
  /** Pause before the one repetition of a failed read. */
  retryDelayMs: number;
}

type Query = Readonly<Record<string, string | number | undefined>>;

interface ReadRequest<T> {
  subject: Subject;
  schema: z.ZodType<T>;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Query;
  data?: unknown;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

interface CommitRequest<T> {
  subject: Subject;
  schema: z.ZodType<T>;
  path: string;
  data?: unknown;
}

export interface DuffelClient {
  /** A request that may safely run twice (also a search, which is a POST). Repeated once within its time budget. */
  read<T>(request: ReadRequest<T>): Promise<T>;
  /** All pages of a list, `maxItems` at most, and none after a page with which it is enough. */
  readPages<T>(request: ReadRequest<T>, maxItems: number, enough?: (page: readonly unknown[]) => boolean): Promise<T[]>;
  /** Deletes; may safely run twice. What is gone already fails as not found. */
  remove(request: Pick<ReadRequest<unknown>, "subject" | "path">): Promise<void>;
  /** A request that makes or pays something: a POST sent once on its own connection, never repeated. */
  commit<T>(request: CommitRequest<T>): Promise<T>;
}

const Page = z.object({ data: z.array(z.unknown()), meta: z.object({ after: z.string().nullish() }).nullish() });
const PAGE_SIZE = 200;

export function createDuffelClient(options: DuffelClientOptions): DuffelClient {
  const { http, log, clock } = options;
  const base = options.baseUrl.replace(/\/+$/, "");
  const headers = { authorization: `Bearer ${options.token}`, "duffel-version": "v2" };
  const nowMs = () => clock.now().epochMilliseconds;

  function urlOf(path: string, query: Query = {}): URL {
    const url = new URL(`${base}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  /** Writes down what an operator has to act on; the caller gets only the code. */
  function judged(response: HttpResponse, judge: typeof failedRead, subject: Subject, path: string): Failure {
    const error = decodeSupplierError(response.status, response.header("x-request-id"), response.body);
    const reset = response.header("retry-after") ?? response.header("ratelimit-reset");
    const fields = {
      status: error.status,
      path: pathKind(path),
      supplierRequestId: error.requestId,
      supplierCodes: error.errors.map((entry) => entry.code ?? entry.type ?? "unknown"),
    };
    if (error.status === 401 || error.status === 403) log.error(fields, "the supplier refuses the configured token");
    else if (fields.supplierCodes.includes("insufficient_balance")) {
      log.error(fields, "the operator's balance at the supplier is too low");
    } else log.warn(fields, "the supplier answered with an error");
    const retryAfter = response.status === 429 || response.status === 503 ? secondsUntil(reset, nowMs()) : undefined;
    return judge(error, subject, retryAfter);
  }

  async function readOnce(request: HttpRequest, deadlineMs: number): Promise<HttpResponse> {
    return http.send({ ...request, timeoutMs: Math.max(1, deadlineMs - performance.now()) });
  }

  async function readBody<T>(request: ReadRequest<T>): Promise<unknown> {
    const deadlineMs = performance.now() + (request.timeoutMs ?? options.readTimeoutMs);
    const sent: HttpRequest = {
      method: request.method ?? "GET",
      url: urlOf(request.path, request.query),
      headers,
      timeoutMs: 0,
      signal: request.signal,
      ...(request.data === undefined ? {} : { json: { data: request.data } }),
    };
    for (let attempt = 1; ; attempt += 1) {
      const mayRepeat = attempt === 1 && deadlineMs - performance.now() > options.retryDelayMs;
      try {
        const response = await readOnce(sent, deadlineMs);
        if (response.status === 503 && mayRepeat) {
          await pause(options.retryDelayMs);
          continue;
        }
        if (response.status < 200 || response.status > 299)
          throw judged(response, failedRead, request.subject, request.path);
        return parseJson(response.body);
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        const broken = error.problem === "unreachable" || error.problem === "reset" || error.problem === "truncated";
        if (broken && mayRepeat) {
          await pause(options.retryDelayMs);
          continue;
        }
        throw lostRead(error);
      }
    }
  }

  function understood<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    log.error({ path: pathKind(path), issues: issuePaths(parsed.error) }, "unexpected supplier answer");
    throw failure("provider_unavailable", parsed.error);
  }

  return {
    async read(request) {
      const body = await readBody(request);
      return understood(z.object({ data: request.schema }), body, request.path).data;
    },

    async readPages(request, maxItems, enough = () => false) {
      const items: unknown[] = [];
      let after: string | undefined;
      do {
        const query = { ...request.query, limit: PAGE_SIZE, after };
        const page = understood(Page, await readBody({ ...request, query }), request.path);
        items.push(...page.data);
        after = page.meta?.after ?? undefined;
        if (page.data.length === 0 || enough(page.data)) break;
      } while (after !== undefined && items.length < maxItems);
      return understood(z.array(request.schema), items, request.path);
    },

    async remove(request) {
      await readBody({ ...request, schema: z.unknown(), method: "DELETE" });
    },

    async commit(request) {
      let response: HttpResponse;
      try {
        response = await http.send({
          method: "POST",
          url: urlOf(request.path),
          headers,
          json: { data: request.data ?? {} },
          timeoutMs: options.commitTimeoutMs,
          freshConnection: true,
        });
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        log.error({ path: pathKind(request.path), lost: error.message }, "no answer to a commit");
        throw lostCommit(error);
      }
      const { status } = response;
      if (status !== 200 && status !== 201) throw judged(response, failedCommit, request.subject, request.path);
      const parsed = z.object({ data: request.schema }).safeParse(parseJson(response.body));
      if (parsed.success) return parsed.data.data;
      log.error({ status, issues: issuePaths(parsed.error) }, "unexpected supplier answer to a commit");
      throw failure("outcome_unknown", parsed.error);
    },
  };
}

/** A path without the ids in it. */
function pathKind(path: string): string {
  return path.split("/").slice(0, 3).join("/");
}

/** Undefined for what is no JSON; no schema accepts it. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Where an answer did not fit, without what stood there. */
function issuePaths(error: z.ZodError): string[] {
  return error.issues.slice(0, 10).map((issue) => `${issue.path.join(".")} ${issue.code}`);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** `retry-after` or `ratelimit-reset`: seconds, or an HTTP date. */
export function secondsUntil(value: string | undefined, nowEpochMilliseconds: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value)) return Math.min(3_600, Math.max(1, Number(value)));
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  return Math.min(3_600, Math.max(1, Math.ceil((at - nowEpochMilliseconds) / 1_000)));
}
