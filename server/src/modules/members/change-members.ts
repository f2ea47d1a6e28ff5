import { Failure, invalidInput } from "../../domain/errors.ts";
import { hasScope } from "../../domain/scopes.ts";
import type { Principal } from "../../ports/identity.ts";
import { grantScopes, type Person, type PersonRole } from "../identity/index.ts";
import type { Stores } from "./context.ts";

const MOST_MEMBERS = 500;
const OWNER: PersonRole = "owner";

type MemberStores = Pick<Stores, "persons" | "transaction">;
type Administrator = Pick<Principal, "tenantId" | "environment" | "personId" | "scopes" | "serviceAccountId">;

const nameActor = ({ personId, serviceAccountId }: Administrator): string => personId ?? serviceAccountId;

/** Adds the person, who is invited next. Undefined: the address works here already. */
export async function addMember(
  stores: MemberStores,
  administrator: Administrator,
  person: Omit<Person, "createdAt">,
): Promise<Person | undefined> {
  return await stores.transaction(async ({ persons }) => {
    const all = await persons.lockAll(administrator);
    if (all.length >= MOST_MEMBERS) throw conflict(`A tenant has at most ${MOST_MEMBERS} members.`);
    requireMayGive(all, administrator, person.roles);
    return await persons.add(readOwner(administrator), person, nameActor(administrator));
  });
}

/** Undefined: there is no such member. */
export async function changeRoles(
  stores: MemberStores,
  administrator: Administrator,
  { memberId, roles }: { memberId: string; roles: readonly PersonRole[] },
): Promise<Person | undefined> {
  return await stores.transaction(async ({ persons }) => {
    const all = await persons.lockAll(administrator);
    const member = all.find(({ id }) => id === memberId);
    if (member === undefined) return undefined;
    requireMayGive(all, administrator, roles);
    if (!roles.includes(OWNER)) await requireMayLose(persons, all, administrator, member);
    return await persons.setRoles(readOwner(administrator), memberId, roles, nameActor(administrator));
  });
}

/** False: there is no such member. */
export async function removeMember(
  stores: MemberStores,
  administrator: Administrator,
  memberId: string,
): Promise<boolean> {
  return await stores.transaction(async ({ persons }) => {
    const all = await persons.lockAll(administrator);
    const member = all.find(({ id }) => id === memberId);
    if (member === undefined) return false;
    await requireMayLose(persons, all, administrator, member);
    return await persons.remove(readOwner(administrator), memberId, nameActor(administrator));
  });
}

const readOwner = ({ tenantId, environment }: Administrator) => ({ tenantId, environment });

function isOwner(all: readonly Person[], { personId }: Administrator): boolean {
  return all.some(({ id, roles }) => id === personId && roles.includes(OWNER));
}

/** Nobody makes somebody more powerful than they are. */
function requireMayGive(all: readonly Person[], administrator: Administrator, roles: readonly PersonRole[]): void {
  if (roles.includes(OWNER) && !isOwner(all, administrator)) throw conflict("Only an owner makes somebody an owner.");
  const more = grantScopes(roles, administrator.environment, "session").filter(
    (scope) => !hasScope(administrator.scopes, scope),
  );
  if (more.length === 0) return;
  throw invalidInput([{ path: "roles", message: `they give ${more.join(", ")}, which you do not have yourself` }]);
}

/** An owner is changed by owners only, and one who has signed in always remains. */
async function requireMayLose(
  persons: Stores["persons"],
  all: readonly Person[],
  administrator: Administrator,
  member: Person,
): Promise<void> {
  if (!member.roles.includes(OWNER)) return;
  if (!isOwner(all, administrator)) throw conflict("Only an owner changes or removes an owner.");
  const active = await persons.listActive(readOwner(administrator));
  const remains = all.some(({ id, roles }) => id !== member.id && roles.includes(OWNER) && active.has(id));
  if (!remains) throw conflict("This is the last owner. Make somebody else an owner first, who then signs in once.");
}

const conflict = (detail: string): Failure => new Failure("conflict", { detail });
