export { grantScopes } from "./grant-scopes.ts";
export {
  type Person,
  type PersonOfTenant,
  type PersonRole,
  type Persons,
  personRoles,
} from "./persons.ts";
export { appendAudit } from "./store-audit.ts";
export { selectKey } from "./store-authentication.ts";
export { ensureUser, isTenantUser } from "./store-users.ts";
export { ownerKey, type TenantMemory } from "./tenant-memory.ts";
