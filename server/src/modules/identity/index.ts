export { appendAudit } from "./store-audit.ts";
export { ensureUser, isUserOf, type UsersOf } from "./store-users.ts";
