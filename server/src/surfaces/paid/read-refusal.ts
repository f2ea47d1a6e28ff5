import { Failure } from "../../domain/errors.ts";
import { PaymentMalformed, PaymentRefused, SettlementFailed } from "../../domain/payments.ts";

/** Why a payment is refused. */
export interface Refusal {
  /**
   * refused: it does not match the terms · malformed: it is not a payment · unsettled: its call succeeded and the settlement
   * did not.
   */
  kind: "refused" | "malformed" | "unsettled";
  /** A reason of x402. */
  reason: string;
  /** A more precise reason of ours. */
  serviceReason: string | undefined;
  explanation: string | undefined;
  /** Further members of the answer. */
  extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Undefined: the error is not about the payment. */
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
