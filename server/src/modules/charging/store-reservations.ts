import { CompiledQuery, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { chargeColumns, keyColumns } from "./call-columns.ts";
import type { CallReservations } from "./calls.ts";
import { RESERVE } from "./store-calls-sql.ts";

/** Joins the caller's transaction: its further reservations are stored together with the call or not at all. */
export function createCallReservations(db: Queryable): CallReservations {
  return {
    async reserve(line, processId) {
      const reserving = CompiledQuery.raw(`/* prepared: reserve-call */ ${RESERVE}`, [
        ...chargeColumns([line]),
        ...keyColumns([line]),
        processId,
      ]);
      const isReserved = async () => (await db.executeQuery(reserving)).rows.length === 1;
      if (await isReserved()) return true;
      // The first call of a month finds no row to count in.
      const { tenantId, environment, period } = line;
      await sql`
        insert into tenant_spend (tenant_id, network, period) values (${tenantId}, ${environment}, ${period})
        on conflict do nothing`.execute(db);
      // Another call may have made the row meanwhile: only the count says whether there is room.
      return await isReserved();
    },
  };
}
