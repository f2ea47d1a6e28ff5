export { type Person, type PersonRole, personRoles } from "./persons.ts";
export { appendAudit } from "./store-audit.ts";
export { ensureUser, isUserOf, type UsersOf } from "./store-users.ts";
