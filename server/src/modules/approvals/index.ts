export { buildApprovalLink } from "./approval-link.ts";
export { type Decider, decideApproval } from "./decide-approval.ts";
