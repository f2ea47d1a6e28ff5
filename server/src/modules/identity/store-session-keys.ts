import { newId, systemRandom } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";
import { grantScopes } from "./grant-scopes.ts";
import type { Person } from "./persons.ts";
import { hashSecret, newKey } from "./store-keys.ts";

interface Owner {
  tenantId: string;
  environment: Environment;
}

const LONGEST_NAME = 100;

/** The id of the key that the person's sessions act with. The secret of a new one is forgotten here. */
export async function ensureSessionKey(
  transaction: Queryable,
  { tenantId, environment }: Owner,
  person: Person,
  at: Temporal.Instant,
): Promise<string> {
  const found = await findSessionKey(transaction, { tenantId, environment }, person.id);
  if (found !== undefined) return found;
  const keyHash = hashSecret(newKey(systemRandom));
  await transaction
    .insertInto("apiKey")
    .values({
      id: newId("key_", at.epochMilliseconds),
      tenantId,
      personId: person.id,
      kind: "session",
      name: `${person.name} in a browser`.slice(0, LONGEST_NAME),
      keyHash,
      start: "",
      scopes: [...grantScopes(person.roles, environment, "session")],
      environment,
      createdAt: at.toString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Another request may have inserted it meanwhile.
  const made = await findSessionKey(transaction, { tenantId, environment }, person.id);
  if (made === undefined) throw new Error("The key of a person's sessions is missing right after it was made.");
  return made;
}

async function findSessionKey(
  transaction: Queryable,
  { tenantId, environment }: Owner,
  personId: string,
): Promise<string | undefined> {
  const key = await transaction
    .selectFrom("apiKey")
    .select("id")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("personId", "=", personId)
    .where("kind", "=", "session")
    .where("revokedAt", "is", null)
    .executeTakeFirst();
  return key?.id;
}
