export { type ClaimState, findClaim } from "./find-claim.ts";
