import type { RandomBytes } from "../../../domain/ids.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ApiKey } from "../../../ports/identity.ts";
import type { Log } from "../../../ports/log.ts";
import type { OutsideKeys } from "../../../ports/outside-keys.ts";
import { selectKeys } from "../store-keys.ts";
import { findOrganization, insertOutsideKeys, markEnded } from "./store-outside-keys.ts";

interface ListParts {
  db: Queryable;
  clock: Clock;
  random: RandomBytes;
  log: Pick<Log, "warn">;
  outsideKeys: OutsideKeys | undefined;
}

/** All keys of the tenant, with those that were made or ended at the identity provider since. */
export async function listKeys(tenantId: string, parts: ListParts): Promise<readonly ApiKey[]> {
  const { db, log, outsideKeys } = parts;
  const organizationId = outsideKeys === undefined ? undefined : await findOrganization(db, tenantId);
  if (outsideKeys !== undefined && organizationId !== undefined) {
    try {
      await followProvider(tenantId, organizationId, { ...parts, outsideKeys });
    } catch (error) {
      // The stored rows prove nothing, and can still be looked at and revoked.
      log.warn({ err: error, tenantId }, "a list of keys is without what changed at the identity provider");
    }
  }
  return await selectKeys(db, tenantId);
}

async function followProvider(
  tenantId: string,
  organizationId: string,
  { db, clock, random, outsideKeys }: ListParts & { outsideKeys: OutsideKeys },
): Promise<void> {
  const all = await outsideKeys.list(organizationId);
  const at = clock.now();
  // A key that is just being made here gets its row from whoever makes it.
  const made = all.filter(({ isLive, keyId }) => isLive && keyId === undefined);
  await insertOutsideKeys(db, tenantId, made, { at, random });
  const ended = all.filter(({ isLive }) => !isLive).map(({ id }) => id);
  await markEnded(db, tenantId, ended, at);
}
