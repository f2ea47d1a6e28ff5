import { Failure, type FailureDetails } from "../../domain/errors.ts";
import { claimErrors } from "../escrow/index.ts";

/** Errors for tools that claim a trip. */
export const guestClaimErrors = {
  claim_link_invalid: "The guest link is incomplete or belongs to another trip. Use it exactly as received.",
  already_claimed: claimErrors.already_claimed,
  wrong_chain: "The trip is on another chain, named in the text. Send it as chainId.",
  claim_locked: "Too many wrong codes. If the buyer agrees to another try, call unlock_claim (docs/guest-claims).",
  claim_code_required: "The claim needs the buyer's six-digit code. Ask for it.",
  claim_code_wrong: "The code or the code nonce is wrong. Ask the buyer; the text says how many attempts are left.",
} as const;

/** For the route by which a guest names the traveler; not for tools. */
const guestTravelerErrors = {
  not_claimed: "The trip has not been claimed yet. Claim it first.",
  no_guest_traveler: "The trip was not prefunded for a guest: the buyer names the traveler.",
  traveler_given: "The traveler has already been named. Ask the buyer to change it.",
} as const;

const texts = { ...guestClaimErrors, ...guestTravelerErrors };

/** Uses the code's text unless `details` has a more precise one. */
export function guestFailure(code: keyof typeof texts, details: FailureDetails = {}): Failure {
  return new Failure(code, { detail: texts[code], ...details });
}
