import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { BookedSlices } from "./booked-slices.ts";
import type { Orders } from "./orders.ts";

const MOST = 200;

export function createBookedSlices(queryable: Queryable): Pick<Orders, "listBookedSlices" | "findByAirlineChange"> {
  return {
    async findByAirlineChange(tenantId, environment, changeId) {
      const row = await queryable
        .selectFrom("booking")
        .select("orderId")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("state", "=", "booked")
        .where(sql<boolean>`order_schedule_changes @> ${JSON.stringify([{ id: changeId }])}::jsonb`)
        .executeTakeFirst();
      return row?.orderId ?? undefined;
    },

    async listBookedSlices(tenantId, environment, userId) {
      const rows = await queryable
        .selectFrom("booking")
        .select(sql<unknown>`coalesce(order_slices, result->'slices')`.as("slices"))
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("kind", "=", "flight")
        .where("state", "=", "booked")
        .where("orderStatus", "=", "confirmed")
        .where(sql<boolean>`travelers @> ${JSON.stringify([{ userId }])}::jsonb`)
        .orderBy("id", "desc")
        .limit(MOST)
        .execute();
      return rows.flatMap(({ slices }) => BookedSlices.safeParse(slices).data ?? []);
    },
  };
}
