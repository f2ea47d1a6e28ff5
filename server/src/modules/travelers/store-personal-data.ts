import { sql } from "kysely";
import type { RandomBytes } from "../../domain/ids.ts";
import { GUEST_PREFIX } from "../../domain/user-ids.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { OpenDatabase, Queryable } from "../../platform/database/database.ts";
import type { PersonalData } from "./personal-data.ts";
import type { SealedFor } from "./stored-profile.ts";

interface Options {
  db: OpenDatabase["db"];
  stores: Stores;
  random: RandomBytes;
}

const AT_ONCE = 100;

export function createPersonalData({ db, stores, random }: Options): PersonalData {
  const erase: PersonalData["erase"] = (user, options) =>
    stores.transaction((aggregates) => aggregates.erasures.erase({ user, random, ...options }, aggregates));
  return {
    erase,
    async eraseOld({ guests, travelers }) {
      await eraseGuests(db, guests);
      const old = await findOldGuests(db, guests);
      if (travelers !== undefined) old.push(...(await findUnused(db, travelers)));
      for (const user of old) await erase(user, { actor: "retention", confirmFutureBookings: false });
    },
  };
}

async function eraseGuests(db: Queryable, before: Temporal.Instant): Promise<void> {
  await sql`
    update trip set encrypted_guest_email = null, details = details - 'guestName' - 'buyerName' - 'tripSummary'
    where (network, trip_id) in (
      select network, trip_id from trip
      where expires_at < ${before.toString()} and state in ('closed', 'failed', 'funded') and mail <> 'pending'
        and (encrypted_guest_email is not null or details ?| array['guestName', 'buyerName', 'tripSummary'])
      limit ${AT_ONCE})`.execute(db);
}

async function findOldGuests(db: Queryable, before: Temporal.Instant): Promise<SealedFor[]> {
  const { rows } = await sql<SealedFor>`
    select profile.tenant_id, profile.network, profile.user_id
    from traveler_profile profile join trip on trip.network = profile.network and trip.tenant_id = profile.tenant_id
      and trip.trip_id = '0x' || substr(profile.user_id, length(${GUEST_PREFIX}) + 1)
    where profile.user_id like ${`${GUEST_PREFIX.replace("_", "\\_")}%`} and trip.expires_at < ${before.toString()}
    order by trip.expires_at limit ${AT_ONCE}`.execute(db);
  return rows;
}

async function findUnused(db: Queryable, before: Temporal.Instant): Promise<readonly SealedFor[]> {
  const { rows } = await sql<SealedFor>`
    select tenant_id, network, user_id from traveler_profile profile
    where updated_at < ${before.toString()} and not exists (
      select 1 from person where person.tenant_id = profile.tenant_id and person.network = profile.network
        and person.id = profile.user_id and person.removed_at is null)
    and not exists (
      select 1 from booking where booking.tenant_id = profile.tenant_id and booking.network = profile.network
        and booking.created_at >= ${before.toString()}
        and (booking.user_id = profile.user_id
          or booking.travelers @> jsonb_build_array(jsonb_build_object('userId', profile.user_id))))
    order by updated_at limit ${AT_ONCE}`.execute(db);
  return rows;
}
