import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedRates } from "./negotiated-rate-records.ts";

export function createNegotiatedRates(db: Queryable, clock: Clock): NegotiatedRates {
  return {
    async add(environment, negotiatedRateId, tenantId) {
      await db
        .insertInto("negotiatedRate")
        .values({
          environment,
          negotiatedRateId,
          tenantId,
          createdAt: clock.now().toString(),
          deletedAt: null,
        })
        .execute();
    },

    async find(tenantId, environment, negotiatedRateId) {
      const row = await db
        .selectFrom("negotiatedRate")
        .select("deletedAt")
        .where("environment", "=", environment)
        .where("negotiatedRateId", "=", negotiatedRateId)
        .where("tenantId", "=", tenantId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return row.deletedAt === null ? "active" : "deleted";
    },

    async listActive(tenantId, environment, limit) {
      const rows = await db
        .selectFrom("negotiatedRate")
        .select("negotiatedRateId")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("deletedAt", "is", null)
        .orderBy("createdAt", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => row.negotiatedRateId);
    },

    async markDeleted(tenantId, environment, negotiatedRateId) {
      await db
        .updateTable("negotiatedRate")
        .set({ deletedAt: clock.now().toString() })
        .where("environment", "=", environment)
        .where("negotiatedRateId", "=", negotiatedRateId)
        .where("tenantId", "=", tenantId)
        .where("deletedAt", "is", null)
        .execute();
    },

    async isForeign(environment, negotiatedRateId, tenantId) {
      const owner = await db
        .selectFrom("negotiatedRate")
        .select("tenantId")
        .where("environment", "=", environment)
        .where("negotiatedRateId", "=", negotiatedRateId)
        .executeTakeFirst();
      return owner !== undefined && owner.tenantId !== tenantId;
    },
  };
}
