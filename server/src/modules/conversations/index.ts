export { TurnEvent } from "./callers/event-schemas.ts";
export type { StoredEvent } from "./conversations.ts";
export { hashPlan, showConfirmation } from "./guards/confirming.ts";
export { redactText } from "./guards/redact.ts";
