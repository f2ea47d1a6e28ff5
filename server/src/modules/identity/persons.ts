import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "identity.persons": Persons;
  }
}

export const personRoles = ["traveler", "booker", "approver", "finance", "admin"] as const;
export type PersonRole = (typeof personRoles)[number];

/** Whether calls are judged by who this is, and not only by who travels. */
export function hasDuties({ roles }: Pick<Person, "roles">): boolean {
  return roles.some((role) => role !== "traveler");
}

interface OwnerOfPersons {
  tenantId: string;
  environment: Environment;
}

/** Somebody who works for a tenant: a user of it with a name, an address and roles. */
export interface Person {
  /** Also the user's id. */
  id: string;
  name: string;
  email: string;
  roles: readonly PersonRole[];
  createdAt: Temporal.Instant;
}

export interface Persons {
  /** Also makes the user. Undefined: the id or the address is somebody's already. Audited. */
  add(owner: OwnerOfPersons, person: Omit<Person, "createdAt">, actor: string): Promise<Person | undefined>;
  /** Undefined: there is nobody, or no more. */
  find(owner: OwnerOfPersons, id: string): Promise<Person | undefined>;
  list(owner: OwnerOfPersons): Promise<readonly Person[]>;
  setRoles(owner: OwnerOfPersons, id: string, roles: readonly PersonRole[], actor: string): Promise<Person | undefined>;
  /** The person decides nothing any more, and the keys end. False: there is nobody. Audited. */
  remove(owner: OwnerOfPersons, id: string, actor: string): Promise<boolean>;
  /** Whose own key it is. Undefined: an agent's. */
  ofKey(tenantId: string, keyId: string): Promise<string | undefined>;
}
