import { Failure } from "../../domain/errors.ts";
import { PaymentRefused } from "../../domain/payments.ts";

/** Why a payment is refused, in a word of x402. */
export interface Refusal {
  reason: string;
  explanation: string | undefined;
  /** What else the caller is told. */
  extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Undefined: it is not the payment that is wrong. */
export function readRefusal(error: unknown): Refusal | undefined {
  if (error instanceof PaymentRefused) return { reason: error.reason, explanation: error.message };
  if (!(error instanceof Failure) || error.code !== "payment_invalid") return undefined;
  const reason = error.extra?.reason;
  return {
    reason: typeof reason === "string" ? reason : "invalid_payload",
    explanation: error.detail,
    extra: error.extra,
  };
}
