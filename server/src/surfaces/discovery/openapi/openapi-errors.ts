import {
  callHttpStatus,
  httpStatus,
  meaningByCode,
  type ServiceCode,
  serviceCodes,
  TOOL_FAILURE_STATUS,
} from "../../../domain/errors.ts";
import { renderProblem } from "../../render-error.ts";
import { type JsonObject, ref } from "./openapi-json.ts";

/**
 * Where a code can occur: on every route that requires a key (`keyed`) or a scope (`scoped`), takes input or a body, calls a
 * tool (`call`), or declares it (`declared`). The paid surface describes its own, and browsers with a `session` are our own pages.
 */
export type Place = "session" | "keyed" | "scoped" | "input" | "body" | "call" | "declared" | "paid";

const placeByCode: Readonly<Record<ServiceCode, Place>> = {
  malformed_json: "body",
  invalid_input: "input",
  unauthorized: "keyed",
  spend_cap_exceeded: "call",
  spend_limit_exceeded: "call",
  payment_malformed: "paid",
  payment_required: "paid",
  payment_invalid: "paid",
  payment_identifier_conflict: "paid",
  missing_scope: "scoped",
  session_refused: "session",
  sign_in_again: "session",
  policy_denied: "call",
  approval_required: "call",
  approval_used: "call",
  approval_expired: "call",
  approval_price_changed: "call",
  approval_offer_changed: "call",
  approval_revoked: "call",
  approval_rejected: "call",
  confirmation_required: "declared",
  not_confirmed: "declared",
  may_not_decide: "declared",
  sandbox_only: "declared",
  tool_not_found: "call",
  tenant_not_found: "call",
  conversation_not_found: "declared",
  not_found: "declared",
  method_not_allowed: "declared",
  request_timeout: "body",
  in_progress: "call",
  conflict: "declared",
  loss_not_accepted: "declared",
  session_closed: "declared",
  too_large: "body",
  unsupported_media_type: "body",
  idempotency_mismatch: "call",
  rate_limited: "keyed",
  headers_too_large: "keyed",
  starting: "keyed",
  draining: "keyed",
  sandbox_unavailable: "call",
  unavailable: "keyed",
  payment_unavailable: "paid",
  settlement_pending: "paid",
};

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

/** The error answers of a route by status, each with its possible codes. */
export function errorAnswers(
  places: readonly Place[],
  declared: readonly ServiceCode[],
  appUrl: string,
): Record<string, JsonObject> {
  const codes = serviceCodes.filter((code) => {
    const place = placeByCode[code];
    return declared.includes(code) || (place !== "declared" && places.includes(place));
  });
  const meanings = new Map<string, string>(codes.map((code) => [code, meaningByCode[code]]));
  if (places.includes("keyed")) meanings.set("internal_error", meaningByCode.internal_error);
  const byStatus = Map.groupBy(meanings, ([code]) => httpStatus(code));
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      String(status),
      problemAnswer(status, of.map(([code]) => words(code)).join("; "), new Map(of), appUrl),
    ]),
  );
}

/** The error answers of a tool that ran, with the meaning of each code. */
export function toolFailureAnswer(errors: Readonly<Record<string, string>>, appUrl: string): JsonObject {
  const meanings = new Map<string, string>([
    ...Object.entries(errors).filter(([code]) => callHttpStatus(code) === TOOL_FAILURE_STATUS),
    ["tool_failed", meaningByCode.tool_failed],
    ["internal_error", meaningByCode.internal_error],
  ]);
  return problemAnswer(TOOL_FAILURE_STATUS, "The tool ran and failed", meanings, appUrl);
}

function problemAnswer(
  status: number,
  description: string,
  meanings: ReadonlyMap<string, string>,
  appUrl: string,
): JsonObject {
  const codes = [...meanings.keys()];
  const examples = [...meanings].map(([code, meaning]) => [
    code,
    { value: exampleProblem(code, meaning, status, appUrl) },
  ]);
  return {
    description,
    headers: {
      ...(status === 401 ? { "www-authenticate": ref("headers", "WwwAuthenticate") } : {}),
      ...(status === 429 || status === 503 ? { "retry-after": ref("headers", "RetryAfter") } : {}),
    },
    content: {
      "application/problem+json": {
        schema: {
          allOf: [
            ref("schemas", "Problem"),
            { type: "object", properties: { status: { const: status }, code: { enum: codes } } },
          ],
        },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/** The problem as it is sent. */
function exampleProblem(code: string, detail: string, status: number, appUrl: string): unknown {
  const issues = [{ path: "bornOn", message: "must be a real calendar date, YYYY-MM-DD" }];
  const problem = { code, detail, ...(code === "invalid_input" ? { issues } : {}) };
  return JSON.parse(renderProblem(problem, { traceId: TRACE_ID, appUrl }, status).body);
}

function words(code: string): string {
  const text = code.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
