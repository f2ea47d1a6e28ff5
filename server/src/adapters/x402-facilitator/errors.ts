import { Failure } from "../../domain/errors.ts";

/** A facilitator that does not match the configuration. The message is one line that says what to do. */
export class FacilitatorSetupError extends Error {
  override name = "FacilitatorSetupError";
}

/** For the log only: the facilitator's answer, or that it was unreadable. */
export class FacilitatorError extends Error {
  override name = "FacilitatorError";
}

const RETRY_SECONDS = 5;

/** Whatever the cause, the outcome is unknown. */
export function facilitatorAway(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure("payment_unavailable", {
    detail: "The payment facilitator gave no clear answer. Send the same signed request again shortly.",
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  });
}
