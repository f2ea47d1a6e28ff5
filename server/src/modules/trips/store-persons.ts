import { sql } from "kysely";
import { GUEST_PREFIX, tripOfGuest } from "../../domain/user-ids.ts";
import type { PersonId, PersonPage, PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import { createTrips } from "./store-trips.ts";

/** Who requested trips, and the guests who travel on them. */
export function createTripPersons({ db, vault, clock }: { db: Queryable; vault: Vault; clock: Clock }): PersonRecords {
  const listTrips = async ({ tenantId, userId, environment }: PersonId): Promise<readonly string[]> => {
    const { rows } = await sql<{ tripId: string }>`
      select trip_id from trip
      where tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId} order by created_at`.execute(
      db,
    );
    return rows.map(({ tripId }) => tripId);
  };
  return {
    tables: { naming: [{ table: "trip", column: "user_id" }] },
    held: async (person) => ({ tripIds: await listTrips(person) }),
    identify: async (person) => ({ ids: await listTrips(person) }),

    /** The buyer's details about the guest of a trip. */
    async forgetOwn({ tenantId, userId, environment }) {
      const tripId = tripOfGuest(userId);
      if (tripId === undefined) return;
      await sql`
        update trip set encrypted_guest_email = null, details = details - 'guestName'
        where tenant_id = ${tenantId} and network = ${environment} and trip_id = ${tripId}`.execute(db);
    },

    forgetTraces: ({ person: { tenantId, environment }, isNamedIn }) =>
      createTrips({ db, vault, clock }).forgetGuests(tenantId, environment, isNamedIn),

    findOld: ({ guests }, page) => findOldGuests(db, guests, page),

    async forgetOldNames({ guests }, limit) {
      await sql`
        update trip set encrypted_guest_email = null, details = details - 'guestName' - 'buyerName' - 'tripSummary'
        where (network, trip_id) in (
          select network, trip_id from trip
          where expires_at < ${guests.toString()} and state in ('closed', 'failed', 'funded') and mail <> 'pending'
            and (encrypted_guest_email is not null or details ?| array['guestName', 'buyerName', 'tripSummary'])
          limit ${limit})`.execute(db);
    },
  };
}

/** Guests of trips that expired before. */
async function findOldGuests(
  db: Queryable,
  before: Temporal.Instant,
  { limit, offset }: PersonPage,
): Promise<readonly PersonId[]> {
  const { rows } = await sql<PersonId>`
    select profile.tenant_id, profile.network, profile.user_id
    from traveler_profile profile join trip on trip.network = profile.network and trip.tenant_id = profile.tenant_id
      and trip.trip_id = '0x' || substr(profile.user_id, length(${GUEST_PREFIX}) + 1)
    where profile.user_id like ${`${GUEST_PREFIX.replace("_", "\\_")}%`} and trip.expires_at < ${before.toString()}
    order by trip.expires_at, profile.tenant_id, profile.network, profile.user_id
    limit ${limit} offset ${offset}`.execute(db);
  return rows;
}
