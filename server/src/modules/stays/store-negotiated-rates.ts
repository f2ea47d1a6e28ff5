import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedRates } from "./negotiated-rate-records.ts";

export function createNegotiatedRates(db: Queryable, clock: Clock): NegotiatedRates {
  return {
    async add(network, negotiatedRateId, tenantId) {
      await db
        .insertInto("negotiated_rate")
        .values({
          network,
          negotiated_rate_id: negotiatedRateId,
          tenant_id: tenantId,
          created_at: clock.now().toString(),
          deleted_at: null,
        })
        .execute();
    },

    async find(tenantId, network, negotiatedRateId) {
      const row = await db
        .selectFrom("negotiated_rate")
        .select("deleted_at")
        .where("network", "=", network)
        .where("negotiated_rate_id", "=", negotiatedRateId)
        .where("tenant_id", "=", tenantId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return row.deleted_at === null ? "active" : "deleted";
    },

    async listActive(tenantId, network, limit) {
      const rows = await db
        .selectFrom("negotiated_rate")
        .select("negotiated_rate_id")
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .where("deleted_at", "is", null)
        .orderBy("created_at", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => row.negotiated_rate_id);
    },

    async markDeleted(tenantId, network, negotiatedRateId) {
      await db
        .updateTable("negotiated_rate")
        .set({ deleted_at: clock.now().toString() })
        .where("network", "=", network)
        .where("negotiated_rate_id", "=", negotiatedRateId)
        .where("tenant_id", "=", tenantId)
        .where("deleted_at", "is", null)
        .execute();
    },

    async isForeign(network, negotiatedRateId, tenantId) {
      const owner = await db
        .selectFrom("negotiated_rate")
        .select("tenant_id")
        .where("network", "=", network)
        .where("negotiated_rate_id", "=", negotiatedRateId)
        .executeTakeFirst();
      return owner !== undefined && owner.tenant_id !== tenantId;
    },
  };
}
