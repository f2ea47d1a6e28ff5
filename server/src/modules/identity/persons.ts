import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "identity.persons": Persons;
  }
}

export const personRoles = [
  "traveler",
  "booker",
  "approver",
  "finance",
  "admin",
  "owner",
  "developer",
  "auditor",
] as const;
export type PersonRole = (typeof personRoles)[number];

/** Whether calls are judged by this user's roles, and not only by who travels. */
export function hasDuties({ roles }: Pick<Person, "roles">): boolean {
  return roles.some((role) => role !== "traveler");
}

interface OwnerOfPersons {
  tenantId: string;
  environment: Environment;
}

/** A person who works for a tenant: one of its users, with a name, an address and roles. */
export interface Person {
  /** Also the user's id. */
  id: string;
  name: string;
  email: string;
  roles: readonly PersonRole[];
  createdAt: Temporal.Instant;
}

export interface Persons {
  /** Also creates the user. Undefined: the id or the address is taken. Audited. */
  add(owner: OwnerOfPersons, person: Omit<Person, "createdAt">, actor: string): Promise<Person | undefined>;
  /** Undefined: there is no such person (any more). */
  find(owner: OwnerOfPersons, id: string): Promise<Person | undefined>;
  list(owner: OwnerOfPersons): Promise<readonly Person[]>;
  /** The same, locked until the caller's transaction ends: whoever changes who administers sees everybody else's change. */
  lockAll(owner: OwnerOfPersons): Promise<readonly Person[]>;
  /** The ids of those who have signed in or have keys of their own. The others were only invited. */
  listActive(owner: OwnerOfPersons): Promise<ReadonlySet<string>>;
  setRoles(owner: OwnerOfPersons, id: string, roles: readonly PersonRole[], actor: string): Promise<Person | undefined>;
  /** Ends the person's decisions and keys. False: there is no such person. Audited. */
  remove(owner: OwnerOfPersons, id: string, actor: string): Promise<boolean>;
  /** The person whose own key it is. Undefined: an agent's. */
  ofKey(tenantId: string, keyId: string): Promise<string | undefined>;
  keyName(tenantId: string, keyId: string): Promise<string | undefined>;
  /**
   * The key that a person's sessions act with, which no secret opens: made when it is first asked for. Its scopes follow the
   * person's roles, and it ends with the person. Undefined: there is no such person.
   */
  keyOfSessions(owner: OwnerOfPersons, id: string): Promise<string | undefined>;
  /**
   * A new key that an agent of the person acts with, which no secret opens. Its scopes are those of `scopes` that the person's
   * roles allow, also after the roles change, and never a personal one. Undefined: there is no such person. Audited.
   */
  keyOfGrant(owner: OwnerOfPersons, grant: NewGrant, actor: string): Promise<string | undefined>;
  /** Everyone with this address, in every tenant and environment. */
  withAddress(email: string): Promise<readonly PersonOfTenant[]>;
}

/** The permission that a person gives an agent. */
export interface NewGrant {
  personId: string;
  /** The agent's. */
  name: string;
  scopes: readonly string[];
  expiresAt: Temporal.Instant;
}

/** A person with the tenant that they work for. */
export interface PersonOfTenant extends Pick<Person, "id" | "name" | "email" | "roles"> {
  tenantId: string;
  environment: Environment;
  tenantName: string;
}
