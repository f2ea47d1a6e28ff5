import { CompiledQuery, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { chargeColumns, rulesColumn } from "./call-columns.ts";
import type { CallReservations } from "./calls.ts";
import { RESERVE } from "./store-calls-sql.ts";

/** Joins the caller's transaction: its further reservations are stored together with the call or not at all. */
export function createCallReservations(db: Queryable): CallReservations {
  return {
    async reserve(line, processId) {
      const { tenantId, environment, period } = line;
      await sql`insert into tenant_spend (tenant_id, network, period) values (${tenantId}, ${environment}, ${period})
        on conflict do nothing`.execute(db);
      const { rows } = await db.executeQuery(
        CompiledQuery.raw(RESERVE, [...chargeColumns([line]), rulesColumn([line]), processId]),
      );
      return rows.length === 1;
    },
  };
}
