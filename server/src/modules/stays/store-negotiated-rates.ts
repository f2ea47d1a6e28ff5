import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "stays.negotiatedRates": NegotiatedRates;
  }
}

export function createNegotiatedRates(db: Queryable, clock: Clock) {
  return {
    async add(environment: Environment, negotiatedRateId: string, tenantId: string): Promise<void> {
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

    /** Undefined also for an order of another tenant. */
    async find(
      tenantId: string,
      environment: Environment,
      negotiatedRateId: string,
    ): Promise<"active" | "deleted" | undefined> {
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

    /** The newest undeleted rates. */
    async listActive(tenantId: string, environment: Environment, limit: number): Promise<readonly string[]> {
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

    /** Removes it from searches; existing quotes stay the tenant's. */
    async markDeleted(tenantId: string, environment: Environment, negotiatedRateId: string): Promise<void> {
      await db
        .updateTable("negotiatedRate")
        .set({ deletedAt: clock.now().toString() })
        .where("environment", "=", environment)
        .where("negotiatedRateId", "=", negotiatedRateId)
        .where("tenantId", "=", tenantId)
        .where("deletedAt", "is", null)
        .execute();
    },

    /** Whether the rate belongs, or belonged before its deletion, to another tenant. */
    async isForeign(environment: Environment, negotiatedRateId: string, tenantId: string): Promise<boolean> {
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

/** The owners of the supplier's negotiated rates; the rates themselves are kept at the supplier. */
export type NegotiatedRates = ReturnType<typeof createNegotiatedRates>;
