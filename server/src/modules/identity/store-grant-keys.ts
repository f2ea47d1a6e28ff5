import { newId, systemRandom } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { limitGrant } from "./grant-scopes.ts";
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
