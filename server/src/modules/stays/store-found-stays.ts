import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { KeptSearch } from "./found-stays.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "stays.foundStays": FoundStays;
  }
}

/** Per tenant. */
const MOST_SEARCHES = 200;

export function createFoundStays(db: Queryable, clock: Clock) {
  return {
    /** Kept until `until`, unless the tenant's later searches displace it. */
    async keep(
      { tenantId, environment }: Owner,
      searchId: string,
      search: KeptSearch,
      until: Temporal.Instant,
    ): Promise<void> {
      await sql`
        insert into found_stay_search (tenant_id, network, search_id, found, created_at, expires_at)
        values (${tenantId}, ${environment}, ${searchId}, ${JSON.stringify(search)}::jsonb,
          ${clock.now().toString()}::timestamptz, ${until.toString()}::timestamptz)`.execute(db);
    },

    /** Undefined if it has expired, is of another release, or the tenant has no such search. */
    async find({ tenantId, environment }: Owner, searchId: string): Promise<KeptSearch | undefined> {
      const row = await db
        .selectFrom("foundStaySearch")
        .select("found")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("searchId", "=", searchId)
        .where("expiresAt", ">", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
        .executeTakeFirst();
      return KeptSearch.safeParse(row?.found).data;
    },

    /** Deletes expired searches, and each tenant's beyond the maximum. */
    async prune(): Promise<void> {
      await pruneRows(db, "found_stay_search", sql`expires_at <= ${clock.now().toString()}::timestamptz`);
      await pruneRows(
        db,
        "found_stay_search",
        sql`(tenant_id, network, search_id) in (
          select tenant_id, network, search_id from (
            select tenant_id, network, search_id,
              row_number() over (partition by tenant_id, network order by created_at desc, search_id) as place
            from found_stay_search) as placed
          where place > ${MOST_SEARCHES})`,
      );
    },
  };
}

/** Results of tenants' searches for stays, which can be listed without asking the supplier again. */
type FoundStays = ReturnType<typeof createFoundStays>;

interface Owner {
  tenantId: string;
  environment: Environment;
}
