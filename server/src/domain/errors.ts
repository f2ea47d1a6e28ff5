/**
 * Every code that a caller can meet outside a tool's own run, with its HTTP status. A code that a tool declares itself is
 * always 500 (interface specification, "Errors"); `retryable` is accurate for all.
 */
export const statusByCode = {
  malformed_json: 400,
  invalid_input: 400,
  payment_malformed: 400,
  unauthorized: 401,
  spend_cap_exceeded: 402,
  spend_limit_exceeded: 402,
  payment_required: 402,
  payment_invalid: 402,
  missing_scope: 403,
  session_refused: 403,
  sign_in_again: 403,
  policy_denied: 403,
  approval_required: 403,
  approval_used: 403,
  approval_expired: 403,
  approval_price_changed: 403,
  approval_offer_changed: 403,
  approval_revoked: 403,
  approval_rejected: 403,
  confirmation_required: 403,
  not_confirmed: 403,
  may_not_decide: 403,
  sandbox_only: 403,
  tool_not_found: 404,
  tenant_not_found: 404,
  conversation_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  in_progress: 409,
  conflict: 409,
  loss_not_accepted: 409,
  payment_identifier_conflict: 409,
  session_closed: 409,
  too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  headers_too_large: 431,
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

/** Unexpected errors, with TOOL_FAILURE_STATUS. */
type UnforeseenCode = "tool_failed" | "internal_error";

/** The meaning of each code and the caller's next step, for the documentation; an error's own `detail` is more precise. */
export const meaningByCode: Readonly<Record<ServiceCode | UnforeseenCode, string>> = {
  malformed_json: "The body is not JSON. Fix it and send it again.",
  invalid_input: "The request or the tool's arguments are invalid. `issues` says where and why; fix them.",
  unauthorized: "The API key is missing, wrong, revoked or expired. Send `Authorization: Bearer ak_…`.",
  spend_cap_exceeded: "The tenant's monthly spend cap is used up. The operator can raise it.",
  spend_limit_exceeded:
    "A limit of the key or its tenant does not allow this call. `limit` names it, with its used and remaining amounts and the time of its renewal; spend less, wait, or ask the operator to change it.",
  payment_required:
    "The call requires a payment. The answer has the amount and the recipient; sign a payment and send the call again with it.",
  payment_malformed:
    "The payment is not a valid x402 version 2 payment. Nothing was taken; `reason` and `detail` say what to fix.",
  payment_invalid:
    "The signed payment does not match the terms, or could not be settled. Nothing was taken; `reason` is the x402 reason, `serviceReason` a more precise one if there is one, and `detail` says what to do.",
  payment_identifier_conflict:
    "The payer used this payment identifier for a different request. Nothing was taken; use a new identifier for a new request.",
  missing_scope: "The key may not do this. `scope` names the missing scope; use a key that has it.",
  session_refused:
    "The request carries a browser's session, but no page of this service sent it: `Origin`, `Host` or `X-CSRF-Token` is not the session's. Reload the page, or use an API key.",
  sign_in_again:
    "The sign-in of this session is older than 15 minutes, and this spends money or changes keys or rules. Sign in again, then repeat it.",
  policy_denied:
    "The tenant enforces a travel policy that denies this call. `violations` lists the broken rules; choose something that they allow.",
  approval_required:
    "The tenant enforces a travel policy that requires a person's approval for this call. Send the same call again after the approval.",
  approval_used:
    "An earlier call has used up the approval of this call. A new one was requested; send the same call again once it is given.",
  approval_expired:
    "The approval of this call has expired. A new one was requested; send the same call again once it is given.",
  approval_price_changed:
    "The price has changed by more than the approval allows. A new approval was requested; send the same call again once it is given.",
  approval_offer_changed:
    "The call, its policy or its travelers differ from what was approved. A new approval was requested; send the same call again once it is given.",
  approval_revoked:
    "The approval of this call was revoked. It is not requested again before `approvalExpiresAt`; choose something else.",
  approval_rejected:
    "A person refused to approve this call. The approval is not requested again before `approvalExpiresAt`; choose something else.",
  confirmation_required:
    "The person at the client confirms this call first. The MCP endpoint asks inside the call; send the same call again with the answer.",
  not_confirmed:
    "The person at the client did not confirm this call, so nothing was done. Do not send it again unless they ask for it.",
  may_not_decide:
    "This person may not decide this approval: the requester never may, and the policy names the role that may. Ask someone else to decide.",
  sandbox_only:
    "Only the sandbox has simulators, and this key or page belongs to production. Use a sandbox key, or switch to the sandbox.",
  tool_not_found: "There is no tool with this name. `detail` names a similar one.",
  tenant_not_found: "The tenant does not exist for this key. Omit `tenantId`, or send the key's own.",
  conversation_not_found:
    "The traveler has no conversation with this id. Omit `conversationId` to begin a new one, or send the id of an answer.",
  not_found: "There is nothing at this URL for this key. Check the path and the id.",
  method_not_allowed: "This URL does not support the HTTP method. The header `Allow` lists the supported ones.",
  in_progress: "A call with the same idempotency key is still running. Send it again shortly.",
  request_timeout: "The request did not arrive in time. Send it again without a pause.",
  conflict: "The record has changed in the meantime. Read it again, then decide.",
  loss_not_accepted:
    "Cancelling would lose money, so nothing was changed. `orders` says what is refunded and what is lost; send `acceptLoss: true` to cancel anyway.",
  session_closed: "The pause of the run was already resolved or has expired. Read the run.",
  too_large: "The body is larger than this route accepts. Send less.",
  unsupported_media_type: "The body is not `application/json`. Set the header and send it again.",
  idempotency_mismatch: "The idempotency key was used with a different request. Use a new key for a new request.",
  rate_limited: "Too many requests. Wait as long as `Retry-After` says.",
  headers_too_large: "The request's headers are longer than the service accepts. Send shorter ones.",
  starting: "The service is starting. Wait as long as `Retry-After` says.",
  draining: "This process is stopping. Send the call again: another process, or the next one, answers it.",
  sandbox_unavailable: "This deployment runs without the sandbox. Use a production key.",
  unavailable: "A part of the service is unavailable. Send the call again, with the same idempotency key.",
  payment_unavailable: "Payments cannot be settled now. Nothing was taken; send the same request later.",
  settlement_pending: "The outcome of a payment is not known yet. Send the same signature again, never a new one.",
  tool_failed: "The tool failed in a way that it does not declare. Report the trace id.",
  internal_error: "The service failed in an unexpected way. Report the trace id.",
};

/** Codes after which the same call can succeed later. All others are final. */
const retryableCodes: ReadonlySet<string> = new Set([
  "settlement_not_final",
  "rate_stale",
  "invoice_not_drawn",
  "e_invoice_not_checked",
  "request_timeout",
  "in_progress",
  "approval_required",
  "approval_used",
  "approval_expired",
  "approval_price_changed",
  "approval_offer_changed",
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
  "cancellation_in_progress",
  "change_in_progress",
  "transfer_in_progress",
  "step_in_progress",
  "trip_in_progress",
  "trip_not_funded",
  "settlement_stopped",
  "faucet_cooldown",
  "faucet_unavailable",
  "faucet_outcome_unknown",
  "swap_not_available",
  "swap_expired",
  "price_moved",
  "agent_not_registered",
  "document_not_fetched",
  "scan_timeout",
  "scanner_failed",
]);

export interface Issue {
  /** The path in the arguments, for example `slices.0.origin`; empty for the whole object. */
  path: string;
  message: string;
}

export interface FailureDetails {
  /** The caller's next step. Never a supplier's raw text, a stack trace or a secret. */
  detail?: string;
  issues?: readonly Issue[];
  /** Extra members of the problem object, for example `fields` of traveler_incomplete. */
  extra?: Readonly<Record<string, unknown>>;
  retryAfterSeconds?: number;
  /** For the log only. */
  cause?: unknown;
}

/** The only error meant for callers. Any other error becomes `tool_failed`. */
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
  const more =
    issues.length > 1 ? ` ${sayMore(issues.length - 1)}: issues lists all of them, so fix them together.` : "";
  return new Failure("invalid_input", {
    detail: `Not accepted: ${where}${first?.message ?? "invalid input"}.${more}`,
    issues,
  });
}

const sayMore = (count: number): string =>
  count === 1 ? "There is one more problem" : `There are ${count} more problems`;

export function unauthorized(): Failure {
  return new Failure("unauthorized", {
    detail: "Send a valid API key: Authorization: Bearer ak_… Revoked and expired keys are refused.",
  });
}

export function signInAgain(): Failure {
  return new Failure("sign_in_again", {
    detail:
      "You signed in more than 15 minutes ago. Sign in again before you spend money or change keys or rules; nothing was done.",
  });
}

export function databaseAway(cause: unknown): Failure {
  return new Failure("unavailable", {
    detail: "The service cannot reach its database. Send the call again, with the same Idempotency-Key if it had one.",
    retryAfterSeconds: 2,
    cause,
  });
}

/** Reading a list took too long, by itself or behind others of its tenant. It changed nothing. */
export function listTooSlow(limitMilliseconds: number, cause: unknown): Failure {
  return new Failure("unavailable", {
    detail: `Reading this list took longer than the allowed ${limitMilliseconds} ms. Read it again with a smaller limit, one list at a time.`,
    retryAfterSeconds: 2,
    cause,
  });
}

/** The code of a chain's adapter; callers see `unavailable`, as for an unavailable database. */
export const CHAIN_AWAY = "chain_unavailable";

export function chainAway({ detail, retryAfterSeconds, cause }: Failure): Failure {
  return new Failure("unavailable", {
    ...(detail === undefined ? {} : { detail }),
    retryAfterSeconds: retryAfterSeconds ?? 5,
    cause,
  });
}

/** Whether the call may have taken effect, or still may: the caller must repeat it to find out. */
export function mayHaveHappened(code: string): boolean {
  return code === "outcome_unknown" || code === "unavailable" || code.endsWith("in_progress");
}

/** `retryAfterSeconds`: a chain that only does not answer now is worth another try; one that is not configured is not. */
export function isRetryable(code: string, retryAfterSeconds?: number): boolean {
  return retryableCodes.has(code) || (code === "chain_not_available" && retryAfterSeconds !== undefined);
}

function isServiceCode(code: string): code is ServiceCode {
  return Object.hasOwn(statusByCode, code);
}

export const serviceCodes: readonly ServiceCode[] = Object.keys(statusByCode).filter(isServiceCode);

export function httpStatus(code: string): number {
  return isServiceCode(code) ? statusByCode[code] : TOOL_FAILURE_STATUS;
}

/** Routes answer these with the code's status; tools that declare them fail with TOOL_FAILURE_STATUS. */
const declaredByToolsToo: ReadonlySet<string> = new Set<ServiceCode>(["loss_not_accepted"]);

/** The status of a tool call that ended with this code. */
export function callHttpStatus(code: string): number {
  return declaredByToolsToo.has(code) ? TOOL_FAILURE_STATUS : httpStatus(code);
}
