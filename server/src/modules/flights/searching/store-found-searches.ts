import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import type { Write } from "../../../platform/database/write-together.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "flights.foundSearches": FoundSearches;
  }
}

/** Per tenant. */
const MOST_SEARCHES = 200;
export function createFoundSearches(db: Queryable, clock: Clock) {
  return {
    /** Returns the statement that keeps it until `until`, unless the tenant's later searches displace it. */
    prepare({ tenantId, environment }: Owner, searchId: string, packed: Uint8Array, until: Temporal.Instant): Write {
      const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
      return sql`
        insert into found_search (tenant_id, network, search_id, found, created_at, expires_at)
        values (${tenantId}, ${environment}, ${searchId}, ${bytes}, ${clock.now().toString()}::timestamptz,
          ${until.toString()}::timestamptz)
        returning search_id`;
    },

    /** Packed. Undefined if it has expired, or the tenant has no such search. */
    async find({ tenantId, environment }: Owner, searchId: string): Promise<Buffer | undefined> {
      const row = await db
        .selectFrom("foundSearch")
        .select("found")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("searchId", "=", searchId)
        .where("expiresAt", ">", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
        .executeTakeFirst();
      return row?.found;
    },

    /** Deletes expired searches, and each tenant's beyond the maximum. */
    async prune(): Promise<void> {
      await pruneRows(db, "found_search", sql`expires_at <= ${clock.now().toString()}::timestamptz`);
      await pruneRows(
        db,
        "found_search",
        sql`(tenant_id, network, search_id) in (
          select tenant_id, network, search_id from (
            select tenant_id, network, search_id,
              row_number() over (partition by tenant_id, network order by created_at desc, search_id) as place
            from found_search) as placed
          where place > ${MOST_SEARCHES})`,
      );
    },
  };
}

/** Results of tenants' searches (`found-search.ts`), which can be read completely without asking the supplier again. */
type FoundSearches = ReturnType<typeof createFoundSearches>;

interface Owner {
  tenantId: string;
  environment: Environment;
}
