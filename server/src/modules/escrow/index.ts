export { bookingErrors, claimErrors, escrowFailure, stepErrors, tripStateErrors } from "./errors.ts";
export { checkEscrow, findTripEscrow } from "./escrows/trip-escrow.ts";
export { Hash, readHash, requireHash } from "./input.ts";
export { isExpired, requireFunded, requireNothingPending, requireOpen } from "./records/trip-state.ts";
export { escrowStep } from "./step-machine/step-operation.ts";
export { lockTrip, requireTakingSteps, type StepAnswer } from "./step-machine/take-step.ts";
export { takeTripStep } from "./step-machine/take-trip-step.ts";
export { Claim, describeClaim, NO_SUCH_TRIP } from "./trips/trip-answers.ts";
