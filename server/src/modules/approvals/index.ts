export { buildApprovalLink } from "./approval-link.ts";
export { type Approval, listTravelers } from "./approvals.ts";
export { type Decider, decideApproval, listDeciders } from "./decide-approval.ts";
export { nameTraveler } from "./name-traveler.ts";
export { describeUsedApproval, UsedApproval } from "./used-approval.ts";
export { withdrawApproval } from "./withdraw-approval.ts";
