import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { BookedStay } from "./booked-stay.ts";
import type { Orders } from "./orders.ts";

const MOST = 5;

export function createBookedStays(queryable: Queryable): Pick<Orders, "staysDuring"> {
  return {
    async staysDuring(tenantId, environment, userId, { from, to }) {
      const rows = await queryable
        .selectFrom("booking")
        .select("result")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("userId", "=", userId)
        .where("kind", "=", "stay")
        .where("state", "=", "booked")
        .where("orderStatus", "=", "confirmed")
        .where(sql<string>`result->>'checkInDate'`, "<=", to)
        .where(sql<string>`result->>'checkOutDate'`, ">", from)
        .orderBy(sql`result->>'checkInDate'`)
        .orderBy("id")
        .limit(MOST)
        .execute();
      return rows.flatMap(({ result }) => BookedStay.safeParse(result).data ?? []);
    },
  };
}
