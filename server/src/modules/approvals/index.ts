export { approvalLinkOf } from "./approval-link.ts";
