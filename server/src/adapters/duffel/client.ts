import { z } from "zod";
import type { Failure } from "../../domain/errors.ts";
import { buildUrl, type UrlQuery } from "../../platform/http-client/build-url.ts";
import type { HttpClient, HttpResponse } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Subject } from "./error-codes.ts";
import {
  decodeSupplierError,
  failedCommit,
  failedRead,
  failure,
  isNotEnabled,
  lostCommit,
  lostRead,
} from "./errors.ts";
import { issuePaths, parseJson } from "./wire.ts";

/** The supplier's HTTP conventions: headers, `{data}` envelopes, cursors, and which requests may be repeated. */

export interface DuffelClientOptions {
  baseUrl: string;
  token: string;
  http: HttpClient;
  clock: Clock;
  log: Log;
  readTimeoutMilliseconds: number;
  commitTimeoutMilliseconds: number;
  /** The pause before the only retry of a failed read. */
  retryDelayMilliseconds: number;
}

interface SentRequest {
  subject: Subject;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: UrlQuery;
  data?: unknown;
  timeoutMilliseconds?: number;
  signal?: AbortSignal | undefined;
}

interface ReadRequest<T> extends SentRequest {
  schema: z.ZodType<T>;
}

interface CommitRequest<T> {
  subject: Subject;
  schema: z.ZodType<T>;
  path: string;
  data?: unknown;
}

export interface DuffelClient {
  /** Sends a request that may safely run twice (including searches, which are POSTs). Retried once within its time budget. */
  read<T>(request: ReadRequest<T>): Promise<T>;
  /** The same, with the date of the answer; undefined: the supplier does not say. */
  readDated<T>(request: ReadRequest<T>): Promise<{ data: T; date: Temporal.PlainDate | undefined }>;
  /** The body as it came, for a reader in another thread. */
  readBody(request: SentRequest): Promise<Buffer>;
  /** The failure of an answer that does not match, and a line in the log; `issues` name paths, without values. */
  misread(path: string, issues: readonly string[]): Failure;
  /** Reads the pages of a list, up to `maxItems` items, and stops after a page for which `enough` is true. */
  readPages<T>(request: ReadRequest<T>, maxItems: number, enough?: (page: readonly unknown[]) => boolean): Promise<T[]>;
  /** Deletes; may safely run twice. Fails as not found if it is already gone. */
  remove(request: Pick<ReadRequest<unknown>, "subject" | "path">): Promise<void>;
  /** Sends a request that creates or pays something: a POST on its own connection, never repeated. */
  commit<T>(request: CommitRequest<T>): Promise<T>;
}

const Page = z.object({ data: z.array(z.unknown()), meta: z.object({ after: z.string().nullish() }).nullish() });
const PAGE_SIZE = 200;

export function createDuffelClient(options: DuffelClientOptions): DuffelClient {
  return new HttpDuffelClient(options);
}

class HttpDuffelClient implements DuffelClient {
  readonly #options: DuffelClientOptions;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: DuffelClientOptions) {
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, "");
    this.#headers = { authorization: `Bearer ${options.token}`, "duffel-version": "v2" };
  }

  async read<T>(request: ReadRequest<T>): Promise<T> {
    return (await this.readDated(request)).data;
  }

  async readDated<T>(request: ReadRequest<T>): Promise<{ data: T; date: Temporal.PlainDate | undefined }> {
    const response = await this.#readResponse(request);
    const { data } = this.#understood(z.object({ data: request.schema }), parseJson(response.body), request.path);
    return { data, date: parseHttpDate(response.header("last-modified")) };
  }

  async readPages<T>(
    request: ReadRequest<T>,
    maxItems: number,
    enough: (page: readonly unknown[]) => boolean = () => false,
  ): Promise<T[]> {
    const items: unknown[] = [];
    let after: string | undefined;
    do {
      const query = { ...request.query, limit: PAGE_SIZE, after };
      const page = this.#understood(Page, parseJson(await this.readBody({ ...request, query })), request.path);
      items.push(...page.data);
      after = page.meta?.after ?? undefined;
      if (page.data.length === 0 || enough(page.data)) break;
    } while (after !== undefined && items.length < maxItems);
    return this.#understood(z.array(request.schema), items, request.path);
  }

  async remove(request: Pick<ReadRequest<unknown>, "subject" | "path">): Promise<void> {
    await this.readBody({ ...request, method: "DELETE" });
  }

  async commit<T>(request: CommitRequest<T>): Promise<T> {
    const { subject, schema, path } = request;
    const response = await this.#sendCommit(request);
    const { status } = response;
    if (status !== 200 && status !== 201) throw this.#judged(response, failedCommit, subject, path);
    const parsed = z.object({ data: schema }).safeParse(parseJson(response.body));
    if (parsed.success) return parsed.data.data;
    this.#options.log.error({ status, issues: issuePaths(parsed.error) }, "unexpected supplier answer to a commit");
    throw failure("outcome_unknown", parsed.error);
  }

  async #sendCommit({ path, data = {} }: CommitRequest<unknown>): Promise<HttpResponse> {
    const { http, log, commitTimeoutMilliseconds } = this.#options;
    try {
      return await http.send({
        method: "POST",
        url: buildUrl(`${this.#base}${path}`),
        headers: this.#headers,
        json: { data },
        timeoutMilliseconds: commitTimeoutMilliseconds,
        freshConnection: true,
      });
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      log.error({ path: pathKind(path), lost: error.message }, "no answer to a commit");
      throw lostCommit(error);
    }
  }

  async readBody(request: SentRequest): Promise<Buffer> {
    return (await this.#readResponse(request)).body;
  }

  misread(path: string, issues: readonly string[]): Failure {
    this.#options.log.error({ path: pathKind(path), issues }, "unexpected supplier answer");
    return failure("provider_unavailable", new Error(issues.join("; ")));
  }

  async #readResponse(request: SentRequest): Promise<HttpResponse> {
    const { http, readTimeoutMilliseconds, retryDelayMilliseconds } = this.#options;
    const { subject, path, method = "GET", signal, data } = request;
    const deadlineMilliseconds = performance.now() + (request.timeoutMilliseconds ?? readTimeoutMilliseconds);
    const json = data === undefined ? {} : { json: { data } };
    const sent = {
      method,
      url: buildUrl(`${this.#base}${path}`, request.query),
      headers: this.#headers,
      signal,
      ...json,
    };
    for (let attempt = 1; ; attempt += 1) {
      const mayRepeat = attempt === 1 && deadlineMilliseconds - performance.now() > retryDelayMilliseconds;
      try {
        const response = await http.send({
          ...sent,
          timeoutMilliseconds: Math.max(1, deadlineMilliseconds - performance.now()),
        });
        if (response.status !== 503 || !mayRepeat) {
          if (response.status < 200 || response.status > 299) throw this.#judged(response, failedRead, subject, path);
          return response;
        }
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        if (!isBroken(error) || !mayRepeat) throw lostRead(error);
      }
      await pause(retryDelayMilliseconds);
    }
  }

  /** Logs what an operator must act on; the caller gets only the code. */
  #judged(response: HttpResponse, judge: typeof failedRead, subject: Subject, path: string): Failure {
    const { log, clock } = this.#options;
    const error = decodeSupplierError(response.status, response.header("x-request-id"), response.body);
    const reset = response.header("retry-after") ?? response.header("ratelimit-reset");
    const fields = {
      status: error.status,
      path: pathKind(path),
      supplierRequestId: error.requestId,
      supplierCodes: error.errors.map((entry) => entry.code ?? entry.type ?? "unknown"),
    };
    if (isNotEnabled(error)) log.error(fields, "the supplier has not enabled this product for the configured account");
    else if (error.status === 401 || error.status === 403)
      log.error(fields, "the supplier refuses the configured token");
    else if (fields.supplierCodes.includes("insufficient_balance")) {
      log.error(fields, "the operator's balance at the supplier is too low");
    } else log.warn(fields, "the supplier answered with an error");
    const isBusy = response.status === 429 || response.status === 503;
    return judge(error, subject, isBusy ? secondsUntil(reset, clock.now().epochMilliseconds) : undefined);
  }

  #understood<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw this.misread(path, issuePaths(parsed.error));
  }
}

const BROKEN_CONNECTION: ReadonlySet<string> = new Set(["unreachable", "reset", "truncated"]);
const isBroken = ({ problem }: HttpFailure): boolean => BROKEN_CONNECTION.has(problem);

/** The path without ids. */
function pathKind(path: string): string {
  return path.split("/").slice(0, 3).join("/");
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The date of an HTTP date, in UTC. */
function parseHttpDate(value: string | undefined): Temporal.PlainDate | undefined {
  const at = value === undefined ? Number.NaN : Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO("UTC").toPlainDate();
}

/** `retry-after` or `ratelimit-reset`: seconds, or an HTTP date. */
function secondsUntil(value: string | undefined, nowEpochMilliseconds: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value)) return Math.min(3_600, Math.max(1, Number(value)));
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  return Math.min(3_600, Math.max(1, Math.ceil((at - nowEpochMilliseconds) / 1_000)));
}
