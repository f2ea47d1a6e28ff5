export type {
  ApprovalCase,
  ApprovalContext,
  ApprovalRefusal,
  Approvals,
  ApprovalTerms,
  Deciders,
  RequestedApproval,
} from "./approvals.ts";
export { policyProblem } from "./unknown-policy.ts";
export { describeVerdict } from "./verdict-answer.ts";
