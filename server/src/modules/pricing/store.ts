import { type Selectable, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { EscrowTables } from "../../platform/database/tables/escrow-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { appendAudit } from "../identity/store-audit.ts";
import type { PricingPolicies, PricingPolicy } from "./pricing-policies.ts";

/** Of who never activated any: nobody's customers pay a markup that was not asked for. */
const DEFAULTS: PricingPolicy = {
  version: 0,
  markupBps: 0,
  floor: 0n,
  ceiling: undefined,
  serviceTakeBehavior: "add_to_customer",
  activatedAt: undefined,
  activatedBy: undefined,
};

/** Joins the caller's transaction when `queryable` is one. */
export function createPricingPolicies(queryable: Queryable, clock: Clock): PricingPolicies {
  function inTransaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  }

  async function list(db: Queryable, tenantId: string, network: Environment, limit: number): Promise<PricingPolicy[]> {
    const rows = await db
      .selectFrom("pricing_policy")
      .selectAll()
      .where("tenant_id", "=", tenantId)
      .where("network", "=", network)
      .orderBy("version", "desc")
      .limit(limit)
      .execute();
    return rows.map(toPolicy);
  }

  const active = async (db: Queryable, tenantId: string, network: Environment): Promise<PricingPolicy> =>
    (await list(db, tenantId, network, 1))[0] ?? DEFAULTS;

  return {
    active: (tenantId, network) => active(queryable, tenantId, network),
    list: (tenantId, network, limit) => list(queryable, tenantId, network, limit),

    activate: (tenantId, network, wanted) =>
      inTransaction(async (db) => {
        // One after the other for each tenant: a version follows the one before it, and there may be none to lock yet.
        await sql`select pg_advisory_xact_lock(hashtextextended(${`pricing_policy:${network}:${tenantId}`}, 0))`.execute(
          db,
        );
        const before = await active(db, tenantId, network);
        // The defaults become the tenant's own decision once it activates them.
        if (before.version > 0 && isSame(before, wanted)) return before;
        const { activatedBy, ...rules } = wanted;
        const activatedAt = clock.now();
        const next: PricingPolicy = { ...rules, version: before.version + 1, activatedAt, activatedBy };
        await db
          .insertInto("pricing_policy")
          .values({
            tenant_id: tenantId,
            network,
            version: next.version,
            markup_bps: next.markupBps,
            floor_micro: next.floor,
            ceiling_micro: next.ceiling ?? null,
            service_take_behavior: next.serviceTakeBehavior,
            activated_at: activatedAt.toString(),
            activated_by: activatedBy,
          })
          .execute();
        await appendAudit(
          db,
          {
            tenantId,
            actor: activatedBy,
            action: "pricing_policy.activate",
            subjectId: `${network}:${next.version}`,
            details: { before: toDetails(before), after: toDetails(next) },
          },
          clock,
        );
        return next;
      }),
  };
}

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

function toPolicy(row: Selectable<EscrowTables["pricing_policy"]>): PricingPolicy {
  return {
    version: row.version,
    markupBps: row.markup_bps,
    floor: row.floor_micro,
    ceiling: row.ceiling_micro ?? undefined,
    serviceTakeBehavior: row.service_take_behavior,
    activatedAt: row.activated_at,
    activatedBy: row.activated_by,
  };
}
