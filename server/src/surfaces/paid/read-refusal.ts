import { Failure } from "../../domain/errors.ts";
import { PaymentMalformed, PaymentRefused, SettlementFailed } from "../../domain/payments.ts";

/** Why a payment is refused. */
export interface Refusal {
  /** refused: it is not what the terms ask for · malformed: it is no payment · unsettled: its call has succeeded and it has not. */
  kind: "refused" | "malformed" | "unsettled";
  /** A word of x402. */
  reason: string;
  /** One of ours, which says it more exactly. */
  serviceReason: string | undefined;
  explanation: string | undefined;
  /** What else the caller is told. */
  extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Undefined: it is not the payment that is wrong. */
export function readRefusal(error: unknown): Refusal | undefined {
  if (error instanceof PaymentRefused) {
    const { reason, serviceReason, message } = error;
    const kind = error instanceof PaymentMalformed ? "malformed" : "refused";
    return { kind, reason, serviceReason, explanation: message };
  }
  if (!(error instanceof Failure) || error.code !== "payment_invalid") return undefined;
  const { reason, serviceReason, ...extra } = error.extra ?? {};
  return {
    kind: error instanceof SettlementFailed ? "unsettled" : "refused",
    reason: typeof reason === "string" ? reason : "invalid_payload",
    serviceReason: typeof serviceReason === "string" ? serviceReason : undefined,
    explanation: error.detail,
    extra,
  };
}
