export { appendAudit } from "./store-audit.ts";
export { ensureUser, isUserOf } from "./store-users.ts";
