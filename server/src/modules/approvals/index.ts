export { buildApprovalLink } from "./approval-link.ts";
export type { Approval } from "./approvals.ts";
export { type Decider, decideApproval, listDeciders } from "./decide-approval.ts";
export { describeUsedApproval, UsedApproval } from "./used-approval.ts";
export { withdrawApproval } from "./withdraw-approval.ts";
