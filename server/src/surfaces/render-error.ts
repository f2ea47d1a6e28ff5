import { Failure, isRetryable, statusOf } from "../domain/errors.ts";
import type { Log } from "../ports/log.ts";
import type { HttpAnswer } from "./http.ts";

interface ProblemFields {
  code: string;
  detail?: string | undefined;
  issues?: unknown;
  extra?: unknown;
  retryAfterSeconds?: number | undefined;
}

const DEFAULT_RETRY_AFTER_SECONDS = 2;

/** The only renderer of errors: RFC 9457 with `ok`, `code`, `retryable`, `traceId` and, for invalid input, `issues`. */
export function renderProblem(fields: ProblemFields, traceId: string): HttpAnswer {
  const status = statusOf(fields.code);
  const headers: Record<string, string> = { "content-type": "application/problem+json; charset=utf-8" };
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (status === 429 || status === 503 || fields.retryAfterSeconds !== undefined) {
    headers["retry-after"] = String(fields.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS);
  }
  const body = JSON.stringify({
    ...(typeof fields.extra === "object" ? fields.extra : {}),
    type: "about:blank",
    title: titleOf(fields.code),
    status,
    ok: false,
    code: fields.code,
    detail: fields.detail ?? titleOf(fields.code),
    retryable: isRetryable(fields.code),
    traceId,
    ...(fields.issues === undefined ? {} : { issues: fields.issues }),
  });
  return { status, headers, body };
}

/** What was thrown on the way: a Failure is said as it is, anything else is our fault and only the log says what it was. */
export function renderThrown(error: unknown, traceId: string, log: Log): HttpAnswer {
  if (error instanceof Failure) {
    if (error.cause !== undefined) log.warn({ err: error.cause, code: error.code, traceId }, "request refused");
    return renderProblem(error, traceId);
  }
  log.error({ err: error, traceId }, "unexpected failure");
  return renderProblem(
    { code: "internal_error", detail: "The service failed in an unexpected way. Report the trace id." },
    traceId,
  );
}

function titleOf(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
