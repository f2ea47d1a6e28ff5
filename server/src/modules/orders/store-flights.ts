import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FlightsAsked, FlownAlready, Orders } from "./orders.ts";

const MOST = 20;

export function createBookedFlights(queryable: Queryable, clock: Clock): Pick<Orders, "findFlights"> {
  return {
    async findFlights(tenantId, environment, asked) {
      if (asked.userIds.length === 0 || asked.periods.length === 0) return [];
      const { rows } = await sql<FlownAlready>`
        ${selectFlights(clock, sql`${tenantId}`, sql`${environment}`, asked)}`.execute(queryable);
      return rows;
    },
  };
}

/** A column of a query over `booking`: the same for its tenant, as JSON. Null without a question. */
export const flightsColumn = (clock: Clock, asked: FlightsAsked | undefined) =>
  asked === undefined
    ? sql<null>`null`
    : sql<readonly FlownAlready[] | null>`(
        select coalesce(jsonb_agg(to_jsonb(flown)), '[]')
        from (${selectFlights(clock, sql`booking.tenant_id`, sql`booking.network`, asked)}) as flown)`;

function selectFlights(
  clock: Clock,
  tenantId: RawBuilder<unknown>,
  environment: RawBuilder<unknown>,
  { userIds, periods, exceptOfferId }: FlightsAsked,
) {
  const travelers = userIds.map((userId) => JSON.stringify([{ userId }]));
  // The names are those of the members: JSON is returned as it is.
  return sql`
    select other.order_id as "orderId", other.offer_id as "offerId", other.order_status = 'held' as "isHeld",
      traveler->>'userId' as "userId", segment->>'flightNumber' as "flightNumber",
      left(slice->'segments'->0->>'departingAt', 10) as day, segment->>'origin' as origin,
      segment->>'destination' as destination, segment->>'departingAt' as "departingAt",
      segment->>'arrivingAt' as "arrivingAt"
    from booking as other
      cross join lateral jsonb_array_elements(other.travelers) traveler
      cross join lateral jsonb_array_elements(
        coalesce(other.order_slices, other.result->'slices', other.hold_result->'slices')) slice
      cross join lateral jsonb_array_elements(slice->'segments') segment
    where other.tenant_id = ${tenantId} and other.network = ${environment} and other.kind <> 'stay'
      and other.travelers @> any(${travelers}::text[]::jsonb[])
      and traveler->>'userId' = any(${[...userIds]}::text[])
      and other.offer_id <> ${exceptOfferId}
      and exists (
        select 1 from unnest(
          ${periods.map(({ from }) => from)}::text[], ${periods.map(({ to }) => to)}::text[]
        ) as asked (starts, ends)
        where segment->>'departingAt' < asked.ends and segment->>'arrivingAt' > asked.starts
      )
      and (other.state = 'booked' or other.hold_call_id is not null)
      and other.order_status in ('confirmed', 'held')
      and not (other.state = 'on_hold' and other.hold_until <= ${clock.now().toString()}::timestamptz)
    order by other.created_at, other.id
    limit ${MOST}`;
}
