import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Bookings, Ticket } from "./bookings.ts";

/** A new search shows that a second ticket is meant only if it follows the refusal, and soon. */
const TOLD_HOURS = 1;

export function createTickets(queryable: Queryable, clock: Clock): Pick<Bookings, "findTicket" | "tellOfTicket"> {
  return {
    async findTicket(tenantId, environment, { userIds, flights, offerId }) {
      if (userIds.length === 0 || flights.length === 0) return undefined;
      const travelers = userIds.map((userId) => JSON.stringify([{ userId }]));
      const { rows } = await sql<Ticket>`
        select booking.id as booking_id, booking.order_id, traveler->>'userId' as user_id,
          segment->>'flightNumber' as flight_number, left(segment->>'departingAt', 10) as day
        from booking
          join seen_offer on seen_offer.tenant_id = booking.tenant_id and seen_offer.network = booking.network
            and seen_offer.offer_id = ${offerId}
          left join seen_search on seen_search.tenant_id = booking.tenant_id and seen_search.network = booking.network
            and seen_search.search_id = seen_offer.offer->>'searchId'
          cross join lateral jsonb_array_elements(booking.travelers) traveler
          cross join lateral jsonb_array_elements(
            coalesce(booking.order_slices, booking.result->'slices', booking.hold_result->'slices', booking.asked_slices)
          ) slice
          cross join lateral jsonb_array_elements(slice->'segments') segment
        where booking.tenant_id = ${tenantId} and booking.network = ${environment} and booking.kind = 'flight'
          and booking.state <> 'failed' and booking.order_status = any(array['confirmed', 'held'])
          and booking.offer_id <> ${offerId}
          and booking.travelers @> any(${travelers}::text[]::jsonb[])
          and traveler->>'userId' = any(${[...userIds]}::text[])
          and (segment->>'flightNumber') || ' ' || left(segment->>'departingAt', 10) = any(${flights.map(
            ({ flightNumber, day }) => `${flightNumber} ${day}`,
          )}::text[])
          and (seen_search.seen_at between booking.second_ticket_told_at
            and booking.second_ticket_told_at + ${`${TOLD_HOURS} hours`}::interval) is not true
        order by booking.created_at, booking.id
        limit 1`.execute(queryable);
      return rows[0];
    },

    async tellOfTicket(bookingId) {
      await queryable
        .updateTable("booking")
        .set({ secondTicketToldAt: clock.now().toString() })
        .where("id", "=", bookingId)
        .execute();
    },
  };
}
