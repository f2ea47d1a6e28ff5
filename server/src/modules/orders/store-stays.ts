import { sql } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Position } from "../../ports/maps.ts";
import { BookedTravelers } from "../bookings/index.ts";
import { BookedStay } from "./booked-stay.ts";
import type { Orders, StayAlready, StayGuest } from "./orders.ts";

const MOST = 5;
/** A tenant's stays for the same nights, of whoever it books for. */
const MOST_COMPARED = 200;

const fold = (name: string) => name.trim().toLocaleLowerCase("und");

function isSamePerson(one: StayGuest, other: StayGuest): boolean {
  if (one.userId !== undefined && other.userId !== undefined) return one.userId === other.userId;
  return fold(one.givenName) === fold(other.givenName) && fold(one.familyName) === fold(other.familyName);
}

const StayPosition = z.object({ latitude: z.number(), longitude: z.number() });

export const readPosition = (column: unknown): Position | undefined => StayPosition.safeParse(column).data;

export function createBookedStays(queryable: Queryable): Pick<Orders, "staysDuring" | "findStays" | "findStaysAt"> {
  /** Uncancelled, with a night in these days, earliest check-in first. */
  const selectDuring = (tenantId: string, environment: Environment, { from, to }: { from: string; to: string }) =>
    queryable
      .selectFrom("booking")
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("kind", "=", "stay")
      .where("state", "=", "booked")
      .where("orderStatus", "=", "confirmed")
      .where(sql<string>`result->>'checkInDate'`, "<=", to)
      .where(sql<string>`result->>'checkOutDate'`, ">", from)
      .orderBy(sql`result->>'checkInDate'`)
      .orderBy("id");
  return {
    async findStays(tenantId, environment, { guests, userId, days, exceptQuoteId }) {
      const rows = await selectDuring(tenantId, environment, days)
        .select(["result", "travelers", "userId"])
        .where("offerId", "<>", exceptQuoteId)
        .limit(MOST_COMPARED)
        .execute();
      return rows
        .flatMap(({ result, travelers: stored, userId: bookedBy }): StayAlready[] => {
          const travelers = BookedTravelers.parse(stored);
          const { data: stay } = BookedStay.safeParse(result);
          if (stay === undefined) return [];
          const { orderId, accommodationName, checkInDate, checkOutDate } = stay;
          const already = { orderId, accommodationName, checkInDate, checkOutDate };
          if (travelers.length === 0) return bookedBy === userId ? [{ ...already, userId }] : [];
          const same = guests.find((guest) => travelers.some((other) => isSamePerson(guest, other)));
          return same === undefined ? [] : [{ ...already, userId: same.userId }];
        })
        .slice(0, MOST);
    },

    async findStaysAt(tenantId, environment, { accommodationName, days }) {
      const rows = await selectDuring(tenantId, environment, days)
        .select("result")
        .where(sql<string>`result->>'accommodationName'`, "=", accommodationName)
        .limit(MOST)
        .execute();
      return rows.flatMap(({ result }) => BookedStay.safeParse(result).data ?? []);
    },

    async staysDuring(tenantId, environment, userId, days) {
      const rows = await selectDuring(tenantId, environment, days)
        .select(["result", "stayPosition"])
        .where("userId", "=", userId)
        .limit(MOST)
        .execute();
      return rows.flatMap(({ result, stayPosition }) => {
        const { data: stay } = BookedStay.safeParse(result);
        return stay === undefined ? [] : [{ stay, position: readPosition(stayPosition) }];
      });
    },
  };
}
