import { isUserId, keyIdOf } from "../../domain/user-ids.ts";
import type { Queryable } from "../../platform/database/database.ts";

/** True for a user of the tenant, and for the service account of a key that the tenant has and has not revoked. */
export async function isUserOf(queryable: Queryable, tenantId: string, userId: string): Promise<boolean> {
  if (!isUserId(userId)) return false;
  const keyId = keyIdOf(userId);
  const row =
    keyId === undefined
      ? await queryable
          .selectFrom("appUser")
          .select("id")
          .where("tenantId", "=", tenantId)
          .where("id", "=", userId)
          .executeTakeFirst()
      : await queryable
          .selectFrom("apiKey")
          .select("id")
          .where("tenantId", "=", tenantId)
          .where("id", "=", keyId)
          .where("revokedAt", "is", null)
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
    .insertInto("appUser")
    .values({ tenantId, id: userId, createdAt: at.toString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}
