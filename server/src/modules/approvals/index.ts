export { buildApprovalLink } from "./approval-link.ts";
export { type Decider, decideApproval } from "./decide-approval.ts";
export { describeUsedApproval, UsedApproval } from "./used-approval.ts";
export { withdrawApproval } from "./withdraw-approval.ts";
