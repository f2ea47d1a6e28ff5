// Refusals that the live supplier is known to give and that no rule of this one does. Nothing was done.
import type { FaultKind } from "../sandbox.ts";
import { wireError } from "./errors.ts";

type Refusal = { status: number; contentType: string; body(requestId: string): string };

function asErrors(status: number, error: Record<string, unknown>): Refusal {
  return {
    status,
    contentType: "application/json",
    body: (requestId) => JSON.stringify({ meta: { status, request_id: requestId }, errors: [error] }),
  };
}

const REFUSALS: ReadonlyMap<FaultKind, Refusal> = new Map([
  // A product that the account has not is refused in plain text.
  ["not_enabled", { status: 403, contentType: "text/plain", body: () => "This feature is not enabled." }],
  ["numeric_code", asErrors(400, { ...wireError("invalid_request_error", "", "Unsupported operation"), code: 400 })],
  [
    "airline_unknown",
    asErrors(422, {
      ...wireError("airline_error", "airline_unknown", "The airline responded with an unexpected error."),
      source: "an airline",
    }),
  ],
]);

export function findRefusal(kind: FaultKind | undefined): Refusal | undefined {
  return kind === undefined ? undefined : REFUSALS.get(kind);
}
