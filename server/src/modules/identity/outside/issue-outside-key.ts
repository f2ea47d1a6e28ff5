import { Failure } from "../../../domain/errors.ts";
import { newId, type RandomBytes } from "../../../domain/ids.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { OutsideKeys } from "../../../ports/outside-keys.ts";
import { deleteIntent, findOrganization, insertIntent } from "./store-outside-keys.ts";

/** A key that exists at the provider, and is not stored here yet. */
export interface IssuedKey {
  keyId: string;
  outsideId: string;
  apiKey: string;
}

interface IssueParts {
  db: Queryable;
  clock: Clock;
  random: RandomBytes;
  outsideKeys: OutsideKeys | undefined;
}

interface WantedKey {
  tenantId: string;
  /** A person's own key is always ours: it may do what no organization's key may. */
  personId?: string | undefined;
  name: string;
  scopes: readonly string[];
  environment: Environment;
  expiresAt: Temporal.Instant | undefined;
}

/**
 * Has the outside identity provider make the key. Undefined: the tenant's keys are issued here. If the outcome is unknown, the
 * intent stays, and the key is ended once it is found: nobody has seen its secret.
 */
export async function issueOutside(wanted: WantedKey, parts: IssueParts): Promise<IssuedKey | undefined> {
  const { db, clock, random, outsideKeys } = parts;
  const { tenantId, personId, name, scopes, environment, expiresAt } = wanted;
  if (outsideKeys === undefined || personId !== undefined) return undefined;
  const organizationId = await findOrganization(db, tenantId);
  if (organizationId === undefined) return undefined;
  const now = clock.now();
  const keyId = newId("key_", now.epochMilliseconds, random);
  if (!(await insertIntent(db, { keyId, tenantId, organizationId }, now))) throw tooMany();
  const lifeSeconds = expiresAt === undefined ? undefined : Math.ceil(expiresAt.since(now).total("seconds"));
  const made = await outsideKeys.create({ organizationId, name, scopes, environment, keyId, lifeSeconds });
  if ("notMade" in made) {
    await deleteIntent(db, keyId);
    throw new Failure("unavailable", {
      detail: "The identity provider did not make the key. Send again later.",
      cause: made.notMade,
      retryAfterSeconds: 2,
    });
  }
  return { keyId, outsideId: made.id, apiKey: made.secret };
}

function tooMany(): Failure {
  return new Failure("unavailable", {
    detail: "Too many keys of this tenant are waiting for the identity provider. Send again in a few minutes.",
    retryAfterSeconds: 60,
  });
}
