import { newId, systemRandom } from "../../domain/ids.ts";
import { EVERYTHING, hasScope, personalScopes } from "../../domain/scopes.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { grantScopes, limitGrant } from "./grant-scopes.ts";
import type { NewGrant, Person } from "./persons.ts";
import { appendAudit } from "./store-audit.ts";
import { hashSecret, newKey } from "./store-keys.ts";

interface Owner {
  tenantId: string;
  environment: Environment;
}

const LONGEST_NAME = 100;

/** The secret of the new key is forgotten here. */
export async function insertGrantKey(
  { db, clock }: { db: Queryable; clock: Clock },
  { tenantId, environment }: Owner,
  { person, name, scopes, expiresAt, actor }: NewGrant & { person: Person; actor: string },
): Promise<string> {
  const keyHash = hashSecret(newKey(systemRandom));
  const at = clock.now();
  const id = newId("key_", at.epochMilliseconds);
  await db
    .insertInto("apiKey")
    .values({
      id,
      tenantId,
      personId: person.id,
      kind: "grant",
      name: name.slice(0, LONGEST_NAME),
      keyHash,
      start: "",
      scopes: [...limitGrant(scopes, person.roles, environment)],
      grantedScopes: [...scopes],
      environment,
      createdAt: at.toString(),
      expiresAt: expiresAt.toString(),
    })
    .execute();
  const details = { network: environment, personId: person.id, scopes, expiresAt: expiresAt.toString() };
  await appendAudit(db, { tenantId, environment, actor, action: "grant.allow", subjectId: id, details }, clock);
  return id;
}

/**
 * The person's own keys lose what only the earlier roles allowed, for good: a key never says again what its person may do. Scopes
 * that an operator gave beyond the roles stay.
 */
export async function narrowOwnKeys(
  { db, clock }: { db: Queryable; clock: Clock },
  { tenantId, environment }: Owner,
  { id, before, roles, actor }: Pick<Person, "id" | "roles"> & { before: Person["roles"]; actor: string },
): Promise<void> {
  const had = grantScopes(before, environment, "session");
  const has = grantScopes(roles, environment, "session");
  const left = (scope: string): readonly string[] => {
    if (!hasScope(had, scope) || hasScope(has, scope)) return [scope];
    return scope === EVERYTHING ? has.filter((one) => !personalScopes.includes(one)) : [];
  };
  const keys = await db
    .selectFrom("apiKey")
    .select(["id", "scopes"])
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("personId", "=", id)
    .where("kind", "=", "key")
    .where("revokedAt", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  for (const key of keys) {
    const scopes = [...new Set(key.scopes.flatMap(left))];
    if (scopes.join() === key.scopes.join()) continue;
    await db.updateTable("apiKey").set({ scopes }).where("id", "=", key.id).where("tenantId", "=", tenantId).execute();
    const details = { personId: id, before: key.scopes, after: scopes };
    const change = { tenantId, environment, actor, action: "key.narrow", subjectId: key.id, details };
    await appendAudit(db, change, clock);
  }
}

/** The person's connected agents keep what they were allowed, as far as the new roles allow it. */
export async function followRoles(
  db: Queryable,
  { tenantId, environment }: Owner,
  { id, roles }: Pick<Person, "id" | "roles">,
): Promise<void> {
  const keys = await db
    .selectFrom("apiKey")
    .select(["id", "grantedScopes"])
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("personId", "=", id)
    .where("kind", "=", "grant")
    .where("revokedAt", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  for (const key of keys) {
    await db
      .updateTable("apiKey")
      .set({ scopes: [...limitGrant(key.grantedScopes ?? [], roles, environment)] })
      .where("id", "=", key.id)
      .where("tenantId", "=", tenantId)
      .execute();
  }
}
