import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FlownAlready, Orders } from "./orders.ts";

const MOST = 10;

export function createBookedFlights(queryable: Queryable, clock: Clock): Pick<Orders, "findFlights"> {
  return {
    async findFlights(tenantId, environment, { userIds, flights, exceptOfferId }) {
      if (userIds.length === 0 || flights.length === 0) return [];
      const travelers = userIds.map((userId) => JSON.stringify([{ userId }]));
      const { rows } = await sql<FlownAlready>`
        select booking.order_id, traveler->>'userId' as user_id, asked.flight_number, asked.day
        from booking
          cross join lateral jsonb_array_elements(booking.travelers) traveler
          cross join lateral jsonb_array_elements(
            coalesce(booking.order_slices, booking.result->'slices', booking.hold_result->'slices')) slice
          cross join lateral jsonb_array_elements(slice->'segments') segment
          join unnest(
            ${flights.map(({ flightNumber }) => flightNumber)}::text[], ${flights.map(({ day }) => day)}::text[]
          ) as asked (flight_number, day)
            on asked.flight_number = segment->>'flightNumber'
            and asked.day = left(slice->'segments'->0->>'departingAt', 10)
        where booking.tenant_id = ${tenantId} and booking.network = ${environment} and booking.kind <> 'stay'
          and booking.travelers @> any(${travelers}::text[]::jsonb[])
          and traveler->>'userId' = any(${[...userIds]}::text[])
          and booking.offer_id <> ${exceptOfferId}
          and (booking.state = 'booked' or booking.hold_call_id is not null)
          and booking.order_status in ('confirmed', 'held')
          and not (booking.state = 'on_hold' and booking.hold_until <= ${clock.now().toString()}::timestamptz)
        order by booking.created_at, booking.id
        limit ${MOST}`.execute(queryable);
      return rows;
    },
  };
}
