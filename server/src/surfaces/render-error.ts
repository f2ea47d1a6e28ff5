import { callHttpStatus, Failure, httpStatus, isRetryable } from "../domain/errors.ts";
import type { Log } from "../ports/log.ts";

export interface ProblemFields {
  code: string;
  detail?: string | undefined;
  issues?: unknown;
  extra?: unknown;
  retryAfterSeconds?: number | undefined;
  /** An earlier call failed this way, and nothing ran again. */
  replayed?: boolean;
}

/** Where an error is answered. */
export interface ErrorPlace {
  readonly traceId: string;
  /** The application host's public URL: it has a page for each code. */
  readonly appUrl: string;
}

/** An error as it is sent. */
interface RenderedError {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const DEFAULT_RETRY_AFTER_SECONDS = 2;

/** The only renderer of errors: RFC 9457 with `ok`, `code`, `retryable`, `traceId` and, for invalid input, `issues`. */
export function renderProblem(
  fields: ProblemFields,
  place: ErrorPlace,
  status: number = httpStatus(fields.code),
): RenderedError {
  const headers: Record<string, string> = { "content-type": "application/problem+json; charset=utf-8" };
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (status === 429 || status === 503 || fields.retryAfterSeconds !== undefined) {
    headers["retry-after"] = String(fields.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS);
  }
  return { status, headers, body: JSON.stringify({ ...buildProblem(fields, place), status }) };
}

/** Renders the failure of a tool call. */
export function renderFailedCall(fields: ProblemFields, place: ErrorPlace): RenderedError {
  return renderProblem(fields, place, callHttpStatus(fields.code));
}

/** The problem object without the HTTP status, for surfaces that do not answer over HTTP. */
export function buildProblem(fields: ProblemFields, { traceId, appUrl }: ErrorPlace): Record<string, unknown> {
  return {
    ...(typeof fields.extra === "object" ? fields.extra : {}),
    type: `${appUrl}/docs/errors/${fields.code}`,
    title: formatTitle(fields.code),
    ok: false,
    code: fields.code,
    detail: fields.detail ?? formatTitle(fields.code),
    retryable: isRetryable(fields.code, fields.retryAfterSeconds),
    traceId,
    ...(fields.issues === undefined ? {} : { issues: fields.issues }),
    ...(fields.replayed === true ? { replayed: true } : {}),
  };
}

/** Renders a thrown error: a Failure as it is, anything else as an internal error with details in the log only. */
export function renderThrown(error: unknown, place: ErrorPlace, log: Log): RenderedError {
  return renderProblem(describeError(error, place.traceId, log), place);
}

/** The public fields of a thrown error; the rest goes to the log. */
export function describeError(error: unknown, traceId: string, log: Log): ProblemFields {
  if (error instanceof Failure) {
    if (error.cause !== undefined) log.warn({ err: error.cause, code: error.code, traceId }, "request refused");
    return error;
  }
  log.error({ err: error, traceId }, "unexpected failure");
  return { code: "internal_error", detail: "The service failed in an unexpected way. Report the trace id." };
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { json: "JSON" };

function formatTitle(code: string): string {
  const words = code
    .split("_")
    .map((word) => ABBREVIATIONS[word] ?? word)
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
