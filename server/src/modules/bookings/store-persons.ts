import { sql } from "kysely";
import { z } from "zod";
import type { PersonId, PersonPage, PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { createBookings } from "./booking/store.ts";

/** A departure is stored in its airport's local time, which may lag by this much. */
const CLOCKS_BEHIND_HOURS = 12;

/** Bookings that the person made or travels on. */
const concerns = ({ tenantId, userId, environment }: PersonId) => sql<boolean>`
  booking.tenant_id = ${tenantId} and booking.network = ${environment}
  and (booking.user_id = ${userId} or booking.travelers @> ${JSON.stringify([{ userId }])}::jsonb)`;

export function createBookedPersons({ db, clock }: { db: Queryable; clock: Clock }): PersonRecords {
  return {
    tables: {
      naming: [
        { table: "booking", column: "user_id" },
        { table: "customer_owner", column: "user_id" },
      ],
    },

    async held(person) {
      const { rows } = await sql<{ createdAt: Temporal.Instant }>`
        select booking.id as booking_id, booking.kind, booking.order_id, booking.created_at,
          traveler ->> 'givenName' as given_name, traveler ->> 'familyName' as family_name
        from booking left join lateral (
          select traveler from jsonb_array_elements(booking.travelers) traveler
          where traveler ->> 'userId' = ${person.userId} limit 1
        ) named on true
        where ${concerns(person)} order by booking.created_at`.execute(db);
      return { bookings: rows.map((row) => ({ ...row, createdAt: row.createdAt.toString() })) };
    },

    async identify(person) {
      const named = await sql<{ givenName: string; familyName: string }>`
        select distinct traveler ->> 'givenName' as given_name, traveler ->> 'familyName' as family_name
        from booking cross join lateral jsonb_array_elements(booking.travelers) traveler
        where ${concerns(person)} and traveler ->> 'userId' = ${person.userId}`.execute(db);
      const { rows } = await sql<{ id: string; orderId: string | null; callId: string | null }>`
        select id, order_id, call_id from booking where ${concerns(person)}`.execute(db);
      return {
        names: named.rows,
        ids: rows.flatMap(({ id, orderId, callId }) => [id, orderId ?? [], callId ?? []].flat()),
        callIds: rows.flatMap(({ callId }) => callId ?? []),
      };
    },

    async objections(person, { at }) {
      const open = await sql`
        select 1 from booking where ${concerns(person)} and state not in ('booked', 'failed') limit 1`.execute(db);
      return { isBusy: open.rows.length > 0, ordersAhead: await listAhead(db, person, at) };
    },

    forgetTraces: ({ person: { tenantId, environment }, mark: userId, name }) =>
      createBookings(db, clock).forgetParticulars({ tenantId, environment }, { userId, name }),

    findOld: async ({ travelers }, page) => (travelers === undefined ? [] : await findUnused(db, travelers, page)),
  };
}

const Times = z.array(z.string());

/** Orders of the person whose last flight has not left, or whose stay has not ended. */
async function listAhead(db: Queryable, person: PersonId, at: Temporal.Instant): Promise<readonly string[]> {
  const { rows } = await sql<{ orderId: string; times: unknown }>`
    select order_id as order_id, jsonb_path_query_array(
      jsonb_build_array(coalesce(order_slices, result -> 'slices'), result -> 'checkOutDate'),
      'lax $.**.departingAt ? (@.type() == "string")') || coalesce(jsonb_build_array(result ->> 'checkOutDate'), '[]') as times
    from booking
    where ${concerns(person)} and state = 'booked' and order_id is not null and order_status is distinct from 'cancelled'
    order by created_at`.execute(db);
  const since = at.subtract({ hours: CLOCKS_BEHIND_HOURS }).toZonedDateTimeISO("UTC").toPlainDateTime().toString();
  return rows.flatMap(({ orderId, times }) => {
    const told = Times.parse(Array.isArray(times) ? times.filter((time) => typeof time === "string") : []);
    return told.some((time) => time >= since.slice(0, time.length)) ? [orderId] : [];
  });
}

/** Travelers whose profile has not been changed or booked with since. People who work for the tenant stay. */
async function findUnused(
  db: Queryable,
  before: Temporal.Instant,
  { limit, offset }: PersonPage,
): Promise<readonly PersonId[]> {
  const { rows } = await sql<PersonId>`
    select tenant_id, network, user_id from traveler_profile profile
    where updated_at < ${before.toString()} and not exists (
      select 1 from person where person.tenant_id = profile.tenant_id and person.network = profile.network
        and person.id = profile.user_id and person.removed_at is null)
    and not exists (
      select 1 from booking where booking.tenant_id = profile.tenant_id and booking.network = profile.network
        and booking.created_at >= ${before.toString()}
        and (booking.user_id = profile.user_id
          or booking.travelers @> jsonb_build_array(jsonb_build_object('userId', profile.user_id))))
    order by updated_at, tenant_id, network, user_id limit ${limit} offset ${offset}`.execute(db);
  return rows;
}
