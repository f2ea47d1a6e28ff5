import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FlownAlready, Orders } from "./orders.ts";

const MOST = 20;

export function createBookedFlights(queryable: Queryable, clock: Clock): Pick<Orders, "findFlights"> {
  return {
    async findFlights(tenantId, environment, { userIds, periods, exceptOfferId }) {
      if (userIds.length === 0 || periods.length === 0) return [];
      const travelers = userIds.map((userId) => JSON.stringify([{ userId }]));
      const { rows } = await sql<FlownAlready>`
        select booking.order_id, booking.offer_id, booking.order_status = 'held' as is_held,
          traveler->>'userId' as user_id, segment->>'flightNumber' as flight_number,
          left(slice->'segments'->0->>'departingAt', 10) as day, segment->>'origin' as origin,
          segment->>'destination' as destination, segment->>'departingAt' as departing_at,
          segment->>'arrivingAt' as arriving_at
        from booking
          cross join lateral jsonb_array_elements(booking.travelers) traveler
          cross join lateral jsonb_array_elements(
            coalesce(booking.order_slices, booking.result->'slices', booking.hold_result->'slices')) slice
          cross join lateral jsonb_array_elements(slice->'segments') segment
        where booking.tenant_id = ${tenantId} and booking.network = ${environment} and booking.kind <> 'stay'
          and booking.travelers @> any(${travelers}::text[]::jsonb[])
          and traveler->>'userId' = any(${[...userIds]}::text[])
          and booking.offer_id <> ${exceptOfferId}
          and exists (
            select 1 from unnest(
              ${periods.map(({ from }) => from)}::text[], ${periods.map(({ to }) => to)}::text[]
            ) as asked (starts, ends)
            where segment->>'departingAt' < asked.ends and segment->>'arrivingAt' > asked.starts
          )
          and (booking.state = 'booked' or booking.hold_call_id is not null)
          and booking.order_status in ('confirmed', 'held')
          and not (booking.state = 'on_hold' and booking.hold_until <= ${clock.now().toString()}::timestamptz)
        order by booking.created_at, booking.id
        limit ${MOST}`.execute(queryable);
      return rows;
    },
  };
}
