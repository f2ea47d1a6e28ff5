/**
 * Every code that a caller can meet outside a tool's own run, with its HTTP status.
 * A code that a tool declares itself is always 500 (interface specification, "Errors"); `retryable` tells the truth.
 */
export const statusByCode = {
  malformed_json: 400,
  invalid_input: 400,
  unauthorized: 401,
  spend_cap_exceeded: 402,
  payment_required: 402,
  payment_invalid: 402,
  missing_scope: 403,
  tool_not_found: 404,
  tenant_not_found: 404,
  not_found: 404,
  in_progress: 409,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  starting: 503,
  draining: 503,
  sandbox_unavailable: 503,
  unavailable: 503,
  payment_unavailable: 503,
  settlement_pending: 503,
} as const;

export type ServiceCode = keyof typeof statusByCode;

/** The status of a tool that ran and failed, whatever its code. */
export const TOOL_FAILURE_STATUS = 500;

/** Codes for which the same call, sent again later, can succeed. Everything else is final. */
const retryableCodes: ReadonlySet<string> = new Set([
  "in_progress",
  "rate_limited",
  "starting",
  "draining",
  "sandbox_unavailable",
  "unavailable",
  "payment_unavailable",
  "settlement_pending",
  "provider_timeout",
  "provider_unavailable",
  "outcome_unknown",
  "booking_in_progress",
  "customer_in_progress",
]);

export interface Issue {
  /** Where in the arguments, for example `slices.0.origin`; empty for the whole object. */
  path: string;
  message: string;
}

export interface FailureDetails {
  /** What the caller should do next. Never a supplier's raw text, a stack or a secret. */
  detail?: string;
  issues?: readonly Issue[];
  /** Extra members of the problem object, for example `fields` of traveler_incomplete. */
  extra?: Readonly<Record<string, unknown>>;
  retryAfterSeconds?: number;
  /** For the log only. */
  cause?: unknown;
}

/** The one error that is meant for callers. Anything else that is thrown becomes `tool_failed`. */
export class Failure extends Error {
  readonly code: string;
  readonly detail: string | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, details: FailureDetails = {}) {
    super(details.detail ?? code, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Failure";
    this.code = code;
    this.detail = details.detail;
    this.issues = details.issues;
    this.extra = details.extra;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

export function invalidInput(issues: readonly Issue[]): Failure {
  const [first] = issues;
  const where = first === undefined || first.path === "" ? "" : `${first.path}: `;
  return new Failure("invalid_input", {
    detail: `Not accepted: ${where}${first?.message ?? "invalid input"}.`,
    issues,
  });
}

export function unauthorized(): Failure {
  return new Failure("unauthorized", {
    detail: "Send a valid API key: Authorization: Bearer ak_… A key that was revoked or has expired is refused.",
  });
}

export function databaseAway(cause: unknown): Failure {
  return new Failure("unavailable", {
    detail: "The service cannot reach its database. Send the call again, with the same Idempotency-Key if it had one.",
    retryAfterSeconds: 2,
    cause,
  });
}

export function isRetryable(code: string): boolean {
  return retryableCodes.has(code);
}

function isServiceCode(code: string): code is ServiceCode {
  return Object.hasOwn(statusByCode, code);
}

export function statusOf(code: string): number {
  return isServiceCode(code) ? statusByCode[code] : TOOL_FAILURE_STATUS;
}
