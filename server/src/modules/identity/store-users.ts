import { isUserId, keyIdOf } from "../../domain/user-ids.ts";
import type { Queryable } from "../../platform/database/database.ts";

/** True for a user of the tenant, and for the service account of a key that the tenant has and has not revoked. */
export async function isUserOf(queryable: Queryable, tenantId: string, userId: string): Promise<boolean> {
  if (!isUserId(userId)) return false;
  const keyId = keyIdOf(userId);
  const row =
    keyId === undefined
      ? await queryable
          .selectFrom("app_user")
          .select("id")
          .where("tenant_id", "=", tenantId)
          .where("id", "=", userId)
          .executeTakeFirst()
      : await queryable
          .selectFrom("api_key")
          .select("id")
          .where("tenant_id", "=", tenantId)
          .where("id", "=", keyId)
          .where("revoked_at", "is", null)
          .executeTakeFirst();
  return row !== undefined;
}

/** Makes the user unless it is there. False: the id is no valid one, or the service account of somebody else's key. */
export async function ensureUser(
  queryable: Queryable,
  tenantId: string,
  userId: string,
  at: Temporal.Instant,
): Promise<boolean> {
  if (!isUserId(userId)) return false;
  if (keyIdOf(userId) !== undefined && !(await isUserOf(queryable, tenantId, userId))) return false;
  await queryable
    .insertInto("app_user")
    .values({ tenant_id: tenantId, id: userId, created_at: at.toString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}
