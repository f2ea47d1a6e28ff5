import { Failure } from "../domain/errors.ts";
import type { PaymentRefused } from "../domain/payments.ts";

export function refusal({ reason, message }: PaymentRefused): Failure {
  return new Failure("payment_invalid", { detail: message, extra: { reason } });
}

export function alreadyUsed(): Failure {
  return new Failure("payment_invalid", {
    detail: "The authorization pays for another request. Sign a new one, with another nonce.",
    extra: { reason: "authorization_already_used" },
  });
}

/** The tool has succeeded, and its result is withheld. */
export function notFetched(): Failure {
  return new Failure("payment_invalid", {
    detail:
      "The payment was good when the call began and could not be fetched afterwards, so the result is withheld. Add money and send the same signature again while it is valid.",
    extra: { reason: "invalid_exact_evm_transaction_failed" },
  });
}

export function inProgress(): Failure {
  return new Failure("in_progress", {
    detail: "The call that this authorization pays for has not ended. Send the same signature again shortly.",
    retryAfterSeconds: 1,
  });
}

export function pending(): Failure {
  return new Failure("settlement_pending", {
    detail:
      "The call has succeeded and its payment is not settled yet. Send the same signature again, never a new one.",
    retryAfterSeconds: 5,
  });
}

export function notNow(cause?: unknown): Failure {
  return new Failure("payment_unavailable", {
    detail: "Payments cannot be verified now. Nothing was taken; send the same request later.",
    retryAfterSeconds: 5,
    ...(cause === undefined ? {} : { cause }),
  });
}
