import { Failure, type FailureDetails } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import { sendOutErrors } from "../treasury/index.ts";

/** Errors shared by the escrow's tools; each declares the groups that apply to it. */

export const stepErrors = {
  settlement_stopped: sendOutErrors.settlement_stopped,
  chain_not_available: "This network has no escrow contract. Nothing was done.",
  step_in_progress:
    "The step is stored and will be carried out; its outcome is not known yet. Call again with the same arguments (and the same Idempotency-Key) to learn it.",
  step_reverted: "The escrow refused the step, or its transaction had no effect. No money was moved.",
} as const;

export const tripStateErrors = {
  trip_not_found: "You have no trip with this id. Use the id from prefund_trip.",
  trip_not_funded:
    "The trip's budget is not in escrow. If it is on its way, call again shortly; otherwise prefund another trip.",
  trip_expired:
    "The trip has expired: its free budget is returned, and nothing new can be reserved or committed. Prefund another trip.",
  trip_closed: "The trip is closed: nothing new can be reserved, and no guest can claim it. Prefund another trip.",
  trip_in_progress: "Another step of the trip is in progress. Call again shortly.",
} as const;

export const bookingErrors = {
  booking_not_found: "You have no booking with this id. Use the id from reserve_booking.",
  booking_in_progress: "Another step of the booking is in progress. Call again shortly.",
  wrong_state: "The booking's state does not allow this step. The text names the state.",
} as const;

export const budgetErrors = {
  insufficient_budget: "The trip's free budget is too low. Reserve less, or prefund another trip.",
} as const;

export const commitErrors = {
  exceeds_reservation:
    "The amounts exceed the reservation. Commit less, or reserve another booking with a higher bound.",
  recipient_blocked: sendOutErrors.recipient_blocked,
} as const;

export const claimErrors = {
  already_claimed: "The trip has already been claimed with another wallet. Another guest needs another trip.",
} as const;

const texts = {
  ...stepErrors,
  ...tripStateErrors,
  ...bookingErrors,
  ...budgetErrors,
  ...commitErrors,
  ...claimErrors,
};
export type EscrowCode = keyof typeof texts;

/** Uses the code's text, unless given a more exact one. */
export function escrowFailure(code: EscrowCode, details: FailureDetails = {}): Failure {
  return new Failure(code, { detail: texts[code], ...details });
}

export function shortOfBudget(needs: Micro, free: Micro): Failure {
  return escrowFailure("insufficient_budget", {
    extra: { needsUsdc: formatDecimal(needs), freeUsdc: formatDecimal(free), missingUsdc: formatDecimal(needs - free) },
  });
}

export function overReservation(needs: Micro, reserved: Micro): Failure {
  return escrowFailure("exceeds_reservation", {
    extra: {
      needsUsdc: formatDecimal(needs),
      reservedUsdc: formatDecimal(reserved),
      missingUsdc: formatDecimal(needs - reserved),
    },
  });
}
