import { sql } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../platform/database/database.ts";
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

export function createBookedStays(queryable: Queryable): Pick<Orders, "staysDuring" | "findStays"> {
  return {
    async findStays(tenantId, environment, { guests, userId, days: { from, to }, exceptQuoteId }) {
      const rows = await queryable
        .selectFrom("booking")
        .select(["result", "travelers", "userId"])
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("kind", "=", "stay")
        .where("state", "=", "booked")
        .where("orderStatus", "=", "confirmed")
        .where("offerId", "<>", exceptQuoteId)
        .where(sql<string>`result->>'checkInDate'`, "<=", to)
        .where(sql<string>`result->>'checkOutDate'`, ">", from)
        .orderBy(sql`result->>'checkInDate'`)
        .orderBy("id")
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

    async staysDuring(tenantId, environment, userId, { from, to }) {
      const rows = await queryable
        .selectFrom("booking")
        .select(["result", "stayPosition"])
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
      return rows.flatMap(({ result, stayPosition }) => {
        const { data: stay } = BookedStay.safeParse(result);
        return stay === undefined ? [] : [{ stay, position: readPosition(stayPosition) }];
      });
    },
  };
}
