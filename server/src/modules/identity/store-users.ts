import { findKeyId, isUserId } from "../../domain/user-ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";
import { environmentOfKey } from "./environment-of-key.ts";

/** The users of a tenant in one environment; those of the other one are not found. */
export interface UserScope {
  tenantId: string;
  environment: Environment;
  /** The deployment's mode. */
  networkMode: Environment;
}

/** True for a user of the tenant, and for the service account of an unrevoked key of the tenant in this environment. */
export async function isTenantUser(queryable: Queryable, users: UserScope, userId: string): Promise<boolean> {
  if (!isUserId(userId)) return false;
  const { tenantId, environment, networkMode } = users;
  const keyId = findKeyId(userId);
  if (keyId === undefined) {
    const user = await queryable
      .selectFrom("appUser")
      .select("id")
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("id", "=", userId)
      .executeTakeFirst();
    return user !== undefined;
  }
  const key = await queryable
    .selectFrom("apiKey")
    .innerJoin("tenant", "tenant.id", "apiKey.tenantId")
    .select(["apiKey.environment", "tenant.isBeta"])
    .where("apiKey.tenantId", "=", tenantId)
    .where("apiKey.id", "=", keyId)
    .where("apiKey.revokedAt", "is", null)
    .executeTakeFirst();
  return key !== undefined && environmentOfKey(key, networkMode) === environment;
}

/** Creates the user unless it exists. False: the id is invalid, or the service account of another tenant's key. */
export async function ensureUser(
  queryable: Queryable,
  users: UserScope,
  userId: string,
  at: Temporal.Instant,
): Promise<boolean> {
  if (!isUserId(userId)) return false;
  if (findKeyId(userId) !== undefined && !(await isTenantUser(queryable, users, userId))) return false;
  const { tenantId, environment } = users;
  await queryable
    .insertInto("appUser")
    .values({ tenantId, environment, id: userId, createdAt: at.toString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}
