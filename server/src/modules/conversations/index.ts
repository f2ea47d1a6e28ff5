export { hashPlan, showConfirmation } from "./guards/confirming.ts";
export { redactText } from "./guards/redact.ts";
