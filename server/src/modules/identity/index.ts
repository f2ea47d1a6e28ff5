export { type Person, type PersonRole, type Persons, personRoles } from "./persons.ts";
export { appendAudit } from "./store-audit.ts";
export { ensureUser, isUserOf, type UsersOf } from "./store-users.ts";
