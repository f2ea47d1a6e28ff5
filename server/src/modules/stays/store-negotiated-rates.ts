import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedRates } from "./negotiated-rate-records.ts";

export function createNegotiatedRates(db: Queryable, clock: Clock): NegotiatedRates {
  return {
    async add(network, negotiatedRateId, tenantId) {
      await db
        .insertInto("negotiatedRate")
        .values({
          network,
          negotiatedRateId,
          tenantId,
          createdAt: clock.now().toString(),
          deletedAt: null,
        })
        .execute();
    },

    async find(tenantId, network, negotiatedRateId) {
      const row = await db
        .selectFrom("negotiatedRate")
        .select("deletedAt")
        .where("network", "=", network)
        .where("negotiatedRateId", "=", negotiatedRateId)
        .where("tenantId", "=", tenantId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return row.deletedAt === null ? "active" : "deleted";
    },

    async listActive(tenantId, network, limit) {
      const rows = await db
        .selectFrom("negotiatedRate")
        .select("negotiatedRateId")
        .where("tenantId", "=", tenantId)
        .where("network", "=", network)
        .where("deletedAt", "is", null)
        .orderBy("createdAt", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => row.negotiatedRateId);
    },

    async markDeleted(tenantId, network, negotiatedRateId) {
      await db
        .updateTable("negotiatedRate")
        .set({ deletedAt: clock.now().toString() })
        .where("network", "=", network)
        .where("negotiatedRateId", "=", negotiatedRateId)
        .where("tenantId", "=", tenantId)
        .where("deletedAt", "is", null)
        .execute();
    },

    async isForeign(network, negotiatedRateId, tenantId) {
      const owner = await db
        .selectFrom("negotiatedRate")
        .select("tenantId")
        .where("network", "=", network)
        .where("negotiatedRateId", "=", negotiatedRateId)
        .executeTakeFirst();
      return owner !== undefined && owner.tenantId !== tenantId;
    },
  };
}
