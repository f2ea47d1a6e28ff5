import { sql } from "kysely";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import { GUEST_PREFIX, keyIdOf, tripOfGuest } from "../../domain/user-ids.ts";
import type { OpenDatabase, Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";
import type { PersonalData } from "./personal-data.ts";
import { concerns, isHeld } from "./store-records.ts";
import type { SealedFor } from "./stored-profile.ts";

interface Options {
  db: OpenDatabase["db"];
  clock: Clock;
  random: RandomBytes;
}

const AT_ONCE = 100;
const ERASED_NAME = "(erased)";

/**
 * Records of money stay, without the person: they name a mark in place of the user's id. A table that names users and is missing here
 * is noticed by a test that asks the database's catalogue.
 */
const NAMING_COLUMNS = [
  { table: "booking", column: "user_id" },
  { table: "call", column: "subject" },
  { table: "customer_owner", column: "user_id" },
  { table: "feedback", column: "user_id" },
  { table: "pause_reminder", column: "user_id" },
  { table: "payment", column: "subject" },
  { table: "trip", column: "user_id" },
  { table: "trip_entry", column: "user_id" },
  { table: "usage_record", column: "subject" },
  { table: "workflow_run", column: "user_id" },
];

export function createPersonalData(options: Options): PersonalData {
  const { db } = options;
  return {
    erase: (tenantId, userId, network, actor) => erase(options, { tenantId, userId, network }, actor),
    async eraseOld({ guests, travelers }) {
      await eraseGuests(db, guests);
      for (const user of await findOldGuests(db, guests)) await erase(options, user, "retention");
      if (travelers === undefined) return;
      for (const user of await findUnused(db, travelers)) await erase(options, user, "retention");
    },
  };
}

async function erase(
  { db, clock, random }: Options,
  user: SealedFor,
  actor: string,
): ReturnType<PersonalData["erase"]> {
  const { tenantId, userId, network } = user;
  const at = clock.now();
  return await db.transaction().execute(async (transaction) => {
    if (!(await isHeld(transaction, user))) return "unknown";
    // Erasing an approver changes who decides: only the operator does that, by removing the person first.
    const member = await sql`
      select 1 from person
      where tenant_id = ${tenantId} and network = ${network} and id = ${userId} and removed_at is null`.execute(
      transaction,
    );
    if (member.rows.length > 0) return "works";
    const open = await sql`
      select 1 from booking where ${concerns(user)} and state not in ('booked', 'failed')
      union all
      select 1 from workflow_run
      where tenant_id = ${tenantId} and network = ${network} and state in ('running', 'paused')
        and (user_id = ${userId} or lower(trip_id) = ${tripOfGuest(userId) ?? ""})
      limit 1`.execute(transaction);
    if (open.rows.length > 0) return "busy";
    // A service account is nobody's name: what it did stays its own.
    const mark = keyIdOf(userId) === undefined ? newId("erased_", at.epochMilliseconds, random) : userId;
    await eraseNames(transaction, user, mark);
    await eraseAnswers(transaction, user);
    await eraseRuns(transaction, user, mark);
    await eraseInvitation(transaction, user);
    // What one rater rates once names the rater.
    await sql`
      update feedback set scope = replace(scope, ${JSON.stringify(userId)}, ${JSON.stringify(mark)})
      where tenant_id = ${tenantId} and network = ${network} and user_id = ${userId}`.execute(transaction);
    for (const { table, column } of NAMING_COLUMNS) {
      await sql`
        update ${sql.id(table)} set ${sql.id(column)} = ${mark}
        where tenant_id = ${tenantId} and network = ${network} and ${sql.id(column)} = ${userId}`.execute(transaction);
    }
    for (const table of ["traveler_profile", "traveler_customer", "message"]) {
      await sql`
        delete from ${sql.id(table)} where tenant_id = ${tenantId} and network = ${network} and user_id = ${userId}`.execute(
        transaction,
      );
    }
    await sql`
      delete from app_user where tenant_id = ${tenantId} and network = ${network} and id = ${userId}`.execute(
      transaction,
    );
    await appendAudit(
      transaction,
      { tenantId, actor, action: "traveler.erase", subjectId: mark, details: { network } },
      clock,
    );
    return "erased";
  });
}

/** A list of travelers in which a mark stands for the person. */
function withoutName(travelers: ReturnType<typeof sql>, { userId }: SealedFor, mark: string): ReturnType<typeof sql> {
  const erased = JSON.stringify({ givenName: ERASED_NAME, familyName: ERASED_NAME, userId: mark });
  return sql`(
    select jsonb_agg(case when traveler ->> 'userId' = ${userId} then traveler || ${erased}::jsonb else traveler end)
    from jsonb_array_elements(${travelers}) traveler)`;
}

/** An answer of a booking in which a mark stands for the person, and passengers, who are not told apart there, have no names. */
function withoutPeople(answer: ReturnType<typeof sql>, user: SealedFor, mark: string): ReturnType<typeof sql> {
  const nameless = sql`(
    select jsonb_agg(passenger - 'givenName' - 'familyName') from jsonb_array_elements(${answer} -> 'passengers') passenger)`;
  return sql`${answer}
    || jsonb_build_object('travelers', ${withoutName(sql`${answer} -> 'travelers'`, user, mark)})
    || case when jsonb_typeof(${answer} -> 'passengers') = 'array' and jsonb_array_length(${answer} -> 'passengers') > 0
      then jsonb_build_object('passengers', ${nameless}) else '{}' end`;
}

async function eraseNames(transaction: Queryable, user: SealedFor, mark: string): Promise<void> {
  await sql`
    update booking set travelers = ${withoutName(sql`booking.travelers`, user, mark)},
      result = case when result -> 'travelers' is null then result
        else ${withoutPeople(sql`booking.result`, user, mark)} end
    where ${concerns(user)} and jsonb_array_length(booking.travelers) > 0`.execute(transaction);
}

/** Stored answers may name the person. */
async function eraseAnswers(transaction: Queryable, { tenantId, userId, network }: SealedFor): Promise<void> {
  const own = sql`tenant_id = ${tenantId} and network = ${network} and subject = ${userId}`;
  await sql`delete from idempotency where ${own} and state = 'done'`.execute(transaction);
  await sql`update call set result = null where ${own} and state <> 'reserved'`.execute(transaction);
  await sql`update payment set result = 'null' where ${own} and state = 'settled'`.execute(transaction);
}

/** What runs were told and have journaled may name the person, and the guests that the person named. */
async function eraseRuns(transaction: Queryable, user: SealedFor, mark: string): Promise<void> {
  const { tenantId, userId, network } = user;
  const answer = sql`(workflow_step.outcome -> 'result')`;
  const runs = sql`select id from workflow_run where tenant_id = ${tenantId} and network = ${network}`;
  await sql`
    update workflow_step set outcome = jsonb_set(outcome, '{result}', ${withoutPeople(answer, user, mark)})
    where run_id in (${runs}) and ${answer} -> 'travelers' @> ${JSON.stringify([{ userId }])}::jsonb`.execute(
    transaction,
  );
  await sql`
    update workflow_run set result = ${withoutPeople(sql`workflow_run.result`, user, mark)}
    where id in (${runs}) and result -> 'travelers' @> ${JSON.stringify([{ userId }])}::jsonb`.execute(transaction);
  await sql`
    update workflow_pause set shown = shown - 'travelers'
    where run_id in (${runs}) and shown -> 'travelers' @> ${JSON.stringify([{ userId }])}::jsonb`.execute(transaction);
  const own = sql`${runs} and user_id = ${userId}`;
  await sql`
    update workflow_run set input = input - 'guestNames' - 'email' - 'phoneNumber' where id in (${own})`.execute(
    transaction,
  );
  await sql`
    update workflow_pause set resolution = resolution - 'guests'
    where run_id in (${own}) and resolution is not null`.execute(transaction);
  await sql`
    update workflow_step set outcome = outcome #- '{resolution,guests}'
    where run_id in (${own}) and outcome -> 'resolution' -> 'guests' is not null`.execute(transaction);
}

/** What the buyer said of the guest of a trip, which runs of the trip have read. */
async function eraseInvitation(transaction: Queryable, { tenantId, userId, network }: SealedFor): Promise<void> {
  const tripId = tripOfGuest(userId);
  if (tripId === undefined) return;
  await sql`
    update trip set encrypted_guest_email = null, details = details - 'guestName'
    where tenant_id = ${tenantId} and network = ${network} and trip_id = ${tripId}`.execute(transaction);
  await sql`
    update workflow_step set outcome = outcome #- '{result,details,guestName}' #- '{result,guestEmail}' #- '{result,keptMail}'
    where tool = 'read_trip' and run_id in (
      select id from workflow_run
      where tenant_id = ${tenantId} and network = ${network} and lower(trip_id) = ${tripId})`.execute(transaction);
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

async function findOldGuests(db: Queryable, before: Temporal.Instant): Promise<readonly SealedFor[]> {
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
