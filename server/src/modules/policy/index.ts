export type {
  ApprovalCase,
  ApprovalContext,
  ApprovalRefusal,
  Approvals,
  ApprovalTerms,
  RequestedApproval,
} from "./approvals.ts";
export { describeVerdict } from "./verdict-answer.ts";
