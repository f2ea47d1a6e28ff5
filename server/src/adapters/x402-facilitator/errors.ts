import { Failure } from "../../domain/errors.ts";

/** A facilitator that is not what the configuration says. The message is one line that says what to do. */
export class FacilitatorSetupError extends Error {
  override name = "FacilitatorSetupError";
}

/** For the log only: what the facilitator answered, or that it answered nothing that can be read. */
export class FacilitatorError extends Error {
  override name = "FacilitatorError";
}

const RETRY_SECONDS = 5;

/** Whatever it was: nothing is known, and nothing is assumed. */
export function facilitatorAway(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure("payment_unavailable", {
    detail:
      "Whoever checks and settles payments gives no clear answer now. Send the same signed request again shortly.",
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  });
}
