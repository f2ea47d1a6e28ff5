import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { appendAudit } from "../identity/index.ts";
import type { PricingPolicy } from "./pricing-policies.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "pricing.pricingPolicies": PricingPolicies;
  }
}

/** The policy of tenants that never activated one: customers pay no markup that was not configured. */
const DEFAULTS: PricingPolicy = {
  version: 0,
  markupBps: 0,
  floor: 0n,
  ceiling: undefined,
  serviceTakeBehavior: "add_to_customer",
  activatedAt: undefined,
  activatedBy: undefined,
};

const columns = [
  "version",
  "markupBps",
  "floorMicro as floor",
  "ceilingMicro as ceiling",
  "serviceTakeBehavior",
  "activatedAt",
  "activatedBy",
] as const;

/** Joins the caller's transaction if `queryable` is one. */
export function createPricingPolicies(queryable: Queryable, clock: Clock) {
  function inTransaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  }

  async function list(
    db: Queryable,
    tenantId: string,
    environment: Environment,
    limit: number,
  ): Promise<PricingPolicy[]> {
    const rows = await db
      .selectFrom("pricingPolicy")
      .select(columns)
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .orderBy("version", "desc")
      .limit(limit)
      .execute();
    return rows.map(withoutNulls);
  }

  const active = async (db: Queryable, tenantId: string, environment: Environment): Promise<PricingPolicy> =>
    (await list(db, tenantId, environment, 1))[0] ?? DEFAULTS;

  return {
    /** The latest version. */
    active: (tenantId: string, environment: Environment): Promise<PricingPolicy> =>
      active(queryable, tenantId, environment),
    /** Newest first. */
    list: (tenantId: string, environment: Environment, limit: number): Promise<readonly PricingPolicy[]> =>
      list(queryable, tenantId, environment, limit),

    /** Activates the next version; returns the active one if nothing would change. */
    activate: (
      tenantId: string,
      environment: Environment,
      wanted: Pick<PricingPolicy, "markupBps" | "floor" | "ceiling" | "serviceTakeBehavior"> & { activatedBy: string },
    ): Promise<PricingPolicy> =>
      inTransaction(async (db) => {
        // Serialised per tenant: each version follows the one before it, and at first there is no row to lock.
        await sql`select pg_advisory_xact_lock(hashtextextended(${`pricing_policy:${environment}:${tenantId}`}, 0))`.execute(
          db,
        );
        const before = await active(db, tenantId, environment);
        // Activating the defaults for the first time makes them the tenant's own version.
        if (before.version > 0 && isSame(before, wanted)) return before;
        const { activatedBy, ...rules } = wanted;
        const activatedAt = clock.now();
        const next: PricingPolicy = { ...rules, version: before.version + 1, activatedAt, activatedBy };
        await db
          .insertInto("pricingPolicy")
          .values({
            tenantId,
            environment,
            version: next.version,
            markupBps: next.markupBps,
            floorMicro: next.floor,
            ceilingMicro: next.ceiling ?? null,
            serviceTakeBehavior: next.serviceTakeBehavior,
            activatedAt: activatedAt.toString(),
            activatedBy,
          })
          .execute();
        await appendAudit(
          db,
          {
            tenantId,
            environment,
            actor: activatedBy,
            action: "pricing_policy.activate",
            subjectId: `${environment}:${next.version}`,
            details: { before: toDetails(before), after: toDetails(next) },
          },
          clock,
        );
        return next;
      }),
  };
}

type PricingPolicies = ReturnType<typeof createPricingPolicies>;

type Rules = Pick<PricingPolicy, "markupBps" | "floor" | "ceiling" | "serviceTakeBehavior">;

function isSame(one: Rules, other: Rules): boolean {
  return (
    one.markupBps === other.markupBps &&
    one.floor === other.floor &&
    one.ceiling === other.ceiling &&
    one.serviceTakeBehavior === other.serviceTakeBehavior
  );
}

function toDetails({ version, markupBps, floor, ceiling, serviceTakeBehavior }: Rules & { version: number }) {
  return {
    version,
    markupBps,
    floorMicroUsdc: floor.toString(),
    ceilingMicroUsdc: ceiling?.toString() ?? null,
    serviceTakeBehavior,
  };
}
