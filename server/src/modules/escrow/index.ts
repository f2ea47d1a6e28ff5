export { bookingErrors, stepErrors, tripStateErrors } from "./errors.ts";
export { type ClaimState, findClaim } from "./find-claim.ts";
export { guestLinkOf } from "./guest-link.ts";
export { composeGuestMail } from "./guest-mail-text.ts";
export { Hash, hashOf, readHash } from "./input.ts";
export { escrowStep } from "./step-machine/step-operation.ts";
