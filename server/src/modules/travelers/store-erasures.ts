import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import { keyIdOf, tripOfGuest } from "../../domain/user-ids.ts";
import type { Aggregates, StoreParts } from "../../kernel/stores.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { appendAudit } from "../identity/index.ts";
import { ERASED_NAME, type Forgetting, forgetPerson, type NamedPerson } from "./forget-person.ts";
import type { ErasureOutcome } from "./personal-data.ts";
import { concerns } from "./store-records.ts";
import { openProfile, type SealedFor } from "./stored-profile.ts";

declare module "../../kernel/stores.ts" {
  interface Aggregates {
    erasures: Erasures;
  }
}

interface Erasure {
  user: SealedFor;
  actor: string;
  /** Also of somebody with bookings that are still ahead. */
  confirmFutureBookings: boolean;
  random: RandomBytes;
}

/** In the transaction that all aggregates share. */
export interface Erasures {
  erase(erasure: Erasure, others: Pick<Aggregates, "bookings" | "messages" | "trips">): Promise<ErasureOutcome>;
}

type Options = Pick<StoreParts, "clock" | "vault"> & { db: Queryable };

/** A departure is said on the clock of its airport, which may be so far behind. */
const CLOCKS_BEHIND_HOURS = 12;

/**
 * Found by an index, in tables that grow with every call. Records of money stay, without the person: they name a mark in place of the
 * user's id. A table that names users and is missing here is noticed by a test that asks the database's catalogue.
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

/** Every other table with rows of tenants is read for what names the person. */
const NOT_READ: Readonly<Record<string, string>> = {
  app_user: "deleted",
  traveler_profile: "deleted",
  traveler_customer: "deleted",
  document_scan: "sealed for whoever has the scan's id, and deleted within minutes",
  booking_invoice: "an invoice is a record of accounting",
  shared_file: "invoices as files, and maps",
  trip_entry: "names nobody but by the user's id, and is only added to",
  chain_transaction: "what was signed for a public chain, which names nobody",
};

export function createErasures(options: Options): Erasures {
  const { db, clock } = options;
  return {
    async erase({ user, actor, confirmFutureBookings, random }, others) {
      const { tenantId, userId, network } = user;
      const at = clock.now();
      const refusal = await refuse(db, user);
      if (refusal !== undefined) return refusal;
      const rules = await listRules(db, user, at);
      if (rules.length > 0) return { outcome: "ruled", rules };
      const ahead = confirmFutureBookings ? [] : await listAhead(db, user, at);
      if (ahead.length > 0) return { outcome: "ahead", orders: ahead };
      // A service account is nobody's name: what it did stays its own.
      const mark = keyIdOf(userId) === undefined ? newId("erased_", at.epochMilliseconds, random) : userId;
      const person = await readPerson(options, user, mark);
      const forgetting = forgetPerson(person);
      const taking = { forgetting, hasNamesake: await hasNamesake(db, user, person), ids: await idsOf(db, user) };
      await deleteOwn(db, user);
      await eraseInvitation(db, user);
      await takeOutOfRecords(db, user, taking);
      await others.trips.forgetGuests(tenantId, network, forgetting.isNamedIn);
      await others.messages.forgetAbout(tenantId, network, forgetting.isNamedIn);
      for (const { table, column } of NAMING_COLUMNS) {
        await sql`
          update ${sql.id(table)} set ${sql.id(column)} = ${mark}
          where tenant_id = ${tenantId} and network = ${network} and ${sql.id(column)} = ${userId}`.execute(db);
      }
      await others.bookings.forgetParticulars({ tenantId, network }, { userId: mark, name: ERASED_NAME });
      if (mark !== userId) await forgetRequests(db, user, mark);
      const entry = { tenantId, actor, action: "traveler.erase", subjectId: mark, details: { network } };
      await appendAudit(db, entry, clock);
      return { outcome: "erased" };
    },
  };
}

/** Locks the user: a booking for the person is there already, or finds nobody. Undefined: the person can be erased. */
async function refuse(db: Queryable, user: SealedFor): Promise<ErasureOutcome | undefined> {
  const { tenantId, userId, network } = user;
  const found = await sql`
    select 1 from app_user where tenant_id = ${tenantId} and network = ${network} and id = ${userId} for update`.execute(
    db,
  );
  if (found.rows.length === 0) return { outcome: "unknown" };
  // Erasing an approver changes who decides: only the operator does that, by removing the person first.
  const member = await sql`
    select 1 from person
    where tenant_id = ${tenantId} and network = ${network} and id = ${userId} and removed_at is null`.execute(db);
  if (member.rows.length > 0) return { outcome: "works" };
  const open = await sql`
    select 1 from booking where ${concerns(user)} and state not in ('booked', 'failed')
    union all
    select 1 from workflow_run
    where tenant_id = ${tenantId} and network = ${network} and state in ('running', 'paused')
      and (user_id = ${userId} or lower(trip_id) = ${tripOfGuest(userId) ?? ""})
    union all
    -- A call under way writes the person's answer when it ends, and so does one that books for the person.
    select 1 from call
    where tenant_id = ${tenantId} and network = ${network} and state = 'reserved'
      and (subject = ${userId} or id in (select call_id from booking where ${concerns(user)}))
    limit 1`.execute(db);
  return open.rows.length > 0 ? { outcome: "busy" } : undefined;
}

/**
 * Budgets and policies that bind the user by name, and that are not over. Whoever comes next under the same id would not be bound.
 * A service account keeps its id when its profile is erased.
 */
async function listRules(
  db: Queryable,
  { tenantId, userId, network }: SealedFor,
  at: Temporal.Instant,
): Promise<readonly string[]> {
  if (keyIdOf(userId) !== undefined) return [];
  const { rows } = await sql<{ rule: string }>`
    select 'budget ' || budget_id as rule from budget
    where tenant_id = ${tenantId} and environment = ${network} and ${userId} = any (traveler_ids)
      and (ends_on is null or ends_on >= ${at.toZonedDateTimeISO("UTC").toPlainDate().toString()})
    union
    select 'policy ' || policy_id from travel_policy policy
    where tenant_id = ${tenantId} and network = ${network}
      and jsonb_path_exists(document, ${NAMED_BY_POLICY}::jsonpath, jsonb_build_object('user', ${userId}::text))
      -- Neither replaced by a version in force, nor only a part of the past.
      and not exists (
        select 1 from travel_policy later
        where later.tenant_id = policy.tenant_id and later.network = policy.network and later.policy_id = policy.policy_id
          and later.effective_at <= ${at.toString()}::timestamptz
          and (later.effective_at, later.version) > (policy.effective_at, policy.version))
    order by rule`.execute(db);
  return rows.map(({ rule }) => rule);
}

/** Wherever a document names users: who books, and for whom. */
const NAMED_BY_POLICY =
  "lax $ ? ($.booking.allowed[*].booker == $user || $.booking.allowed[*].travelers[*] == $user || $.rules[*].when.travelers[*] == $user || $.rules[*].when.bookers[*] == $user)";

const Times = z.array(z.string());

/** Orders of the person whose last flight has not left, or whose stay has not ended. */
async function listAhead(db: Queryable, user: SealedFor, at: Temporal.Instant): Promise<readonly string[]> {
  const { rows } = await sql<{ orderId: string; times: unknown }>`
    select order_id as order_id, jsonb_path_query_array(
      jsonb_build_array(coalesce(order_slices, result -> 'slices'), result -> 'checkOutDate'),
      'lax $.**.departingAt ? (@.type() == "string")') || coalesce(jsonb_build_array(result ->> 'checkOutDate'), '[]') as times
    from booking
    where ${concerns(user)} and state = 'booked' and order_id is not null and order_status is distinct from 'cancelled'
    order by created_at`.execute(db);
  const since = at.subtract({ hours: CLOCKS_BEHIND_HOURS }).toZonedDateTimeISO("UTC").toPlainDateTime().toString();
  return rows.flatMap(({ orderId, times }) => {
    const told = Times.parse(Array.isArray(times) ? times.filter((time) => typeof time === "string") : []);
    return told.some((time) => time >= since.slice(0, time.length)) ? [orderId] : [];
  });
}

async function readPerson({ db, vault }: Options, user: SealedFor, mark: string): Promise<NamedPerson> {
  const { tenantId, userId, network } = user;
  const { rows } = await sql<{ profile: unknown }>`
    select profile from traveler_profile
    where tenant_id = ${tenantId} and network = ${network} and user_id = ${userId}`.execute(db);
  const [profile] = rows.map((row) => openProfile(vault, row.profile, user));
  const booked = await sql<{ givenName: string; familyName: string }>`
    select distinct traveler ->> 'givenName' as given_name, traveler ->> 'familyName' as family_name
    from booking cross join lateral jsonb_array_elements(booking.travelers) traveler
    where ${concerns(user)} and traveler ->> 'userId' = ${userId}`.execute(db);
  const { givenName, familyName, email, phoneNumber, passports = [], loyaltyProgrammeAccounts = [] } = profile ?? {};
  const own = givenName === undefined || familyName === undefined ? [] : [{ givenName, familyName }];
  return {
    ...{ userId, mark, names: [...own, ...booked.rows] },
    identifiers: [
      ...[email, phoneNumber].filter((one) => one !== undefined),
      ...passports.map(({ number }) => number),
      ...loyaltyProgrammeAccounts.map(({ accountNumber }) => accountNumber),
    ],
  };
}

/** Whether another user of the tenant has the same name. */
async function hasNamesake(db: Queryable, user: SealedFor, { names }: NamedPerson): Promise<boolean> {
  const { tenantId, userId, network } = user;
  for (const { givenName, familyName } of names) {
    const { rows } = await sql`
      select 1 from traveler_profile
      where tenant_id = ${tenantId} and network = ${network} and user_id <> ${userId}
        and lower(profile ->> 'givenName') = lower(${givenName}) and lower(profile ->> 'familyName') = lower(${familyName})
      limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

async function deleteOwn(db: Queryable, { tenantId, userId, network }: SealedFor): Promise<void> {
  const own = sql`tenant_id = ${tenantId} and network = ${network}`;
  for (const table of ["traveler_profile", "traveler_customer", "message"]) {
    await sql`delete from ${sql.id(table)} where ${own} and user_id = ${userId}`.execute(db);
  }
  // With who the person was among those who work for the tenant.
  await sql`delete from app_user where ${own} and id = ${userId}`.execute(db);
  await sql`delete from idempotency where ${own} and subject = ${userId} and state = 'done'`.execute(db);
  // The guests that the person named in runs of their own.
  const runs = sql`select id from workflow_run where ${own} and user_id = ${userId}`;
  await sql`
    update workflow_run set input = input - 'guestNames' - 'email' - 'phoneNumber' where id in (${runs})`.execute(db);
  await sql`
    update workflow_pause set resolution = resolution - 'guests'
    where run_id in (${runs}) and resolution is not null`.execute(db);
  await sql`
    update workflow_step set outcome = outcome #- '{resolution,guests}'
    where run_id in (${runs}) and outcome -> 'resolution' -> 'guests' is not null`.execute(db);
}

/**
 * Hashes of what was asked for have no salt, and dates of birth and addresses could be guessed from them. The approvals that they
 * bind can no longer be used, as nobody can call for the person any more; the person's runs are not started a second time.
 */
async function forgetRequests(db: Queryable, { tenantId, network }: SealedFor, mark: string): Promise<void> {
  const own = sql`tenant_id = ${tenantId} and network = ${network}`;
  await sql`
    update approval set call_hash = 'erased:' || id, content_hash = 'erased', fare_hash = null, rejection_hash = null
    where ${own} and (traveler_id = ${mark} or requested_by = ${mark})`.execute(db);
  await sql`update workflow_run set request_hash = 'erased' where ${own} and user_id = ${mark}`.execute(db);
}

/** What the buyer said of the guest of a trip, which runs of the trip have read. */
async function eraseInvitation(db: Queryable, { tenantId, userId, network }: SealedFor): Promise<void> {
  const tripId = tripOfGuest(userId);
  if (tripId === undefined) return;
  await sql`
    update trip set encrypted_guest_email = null, details = details - 'guestName'
    where tenant_id = ${tenantId} and network = ${network} and trip_id = ${tripId}`.execute(db);
  await sql`
    update workflow_step set outcome = outcome #- '{result,details,guestName}' #- '{result,guestEmail}' #- '{result,keptMail}'
    where tool = 'read_trip' and run_id in (
      select id from workflow_run
      where tenant_id = ${tenantId} and network = ${network} and lower(trip_id) = ${tripId})`.execute(db);
}

const Columns = z.array(z.object({ name: z.string(), type: z.enum(["text", "jsonb", "_text"]) }));
interface RecordTable {
  name: string;
  columns: z.output<typeof Columns>;
  /** Which rows are the tenant's. */
  rows: RawBuilder<unknown>;
}

/** By the database's own catalogue, so that a table that is added later is read too. */
async function listTables(db: Queryable, owner: SealedFor): Promise<readonly RecordTable[]> {
  const { rows } = await sql<{ name: string; all: string[]; columns: unknown }>`
    select class.relname as name, array_agg(attribute.attname::text) as "all",
      coalesce(jsonb_agg(jsonb_build_object('name', attribute.attname, 'type', type.typname))
        filter (where type.typname in ('text', 'jsonb', '_text') and attribute.attgenerated = ''), '[]') as columns
    from pg_class class join pg_attribute attribute on attribute.attrelid = class.oid and attribute.attnum > 0
      join pg_type type on type.oid = attribute.atttypid
    where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
      and not attribute.attisdropped
    group by class.relname order by class.relname`.execute(db);
  return rows.flatMap(({ name, all, columns }) => {
    const own = Object.hasOwn(NOT_READ, name) ? undefined : rowsOf(name, all, owner);
    return own === undefined ? [] : [{ name, columns: Columns.parse(columns), rows: own }];
  });
}

/** Undefined: the table has no rows of tenants. */
function rowsOf(
  table: string,
  columns: readonly string[],
  { tenantId, network }: SealedFor,
): RawBuilder<unknown> | undefined {
  const own = sql`tenant_id = ${tenantId} and network = ${network}`;
  if (table === "workflow_step") return sql`run_id in (select id from workflow_run where ${own})`;
  if (table === "order_event") {
    return sql`network = ${network} and order_id in (select order_id from booking where ${own} and order_id is not null)`;
  }
  // Lines that name no environment are of both.
  if (table === "audit_log")
    return sql`tenant_id = ${tenantId} and coalesce(details ->> 'network', ${network}) = ${network}`;
  if (!columns.includes("tenant_id")) return undefined;
  if (columns.includes("network")) return own;
  return columns.includes("environment") ? sql`tenant_id = ${tenantId} and environment = ${network}` : undefined;
}

interface Taking {
  forgetting: Forgetting;
  hasNamesake: boolean;
  /** Of what was the person's, for rows that name it. */
  ids: readonly string[];
}

const Found = z.array(z.object({ place: z.string(), part: z.string(), stored: z.record(z.string(), z.unknown()) }));

async function takeOutOfRecords(db: Queryable, user: SealedFor, taking: Taking): Promise<void> {
  const { forgetting, hasNamesake, ids } = taking;
  for (const { name: table, columns, rows: own } of await listTables(db, user)) {
    const { rows } = await sql`
      select ctid::text as place, tableoid::regclass::text as part, to_jsonb(one) as stored from ${sql.table(table)} one
      where ${own} and one::text ~* ${forgetting.pattern} for update`.execute(db);
    for (const { place, part, stored } of Found.parse(rows)) {
      const text = JSON.stringify(stored);
      const isAbout = !hasNamesake || forgetting.isNamedIn(text) || ids.some((id) => text.includes(id));
      const changes = columns.flatMap(({ name, type }) => {
        const after = forgetting.value(stored[name], name, isAbout);
        return JSON.stringify(after) === JSON.stringify(stored[name])
          ? []
          : [sql`${sql.id(name)} = ${type === "jsonb" ? JSON.stringify(after) : after}`];
      });
      if (changes.length === 0) continue;
      await sql`update ${sql.table(part)} set ${sql.join(changes)} where ctid = ${place}::tid`.execute(db);
    }
  }
}

/** Of bookings, calls, runs and trips that were the person's. */
async function idsOf(db: Queryable, user: SealedFor): Promise<readonly string[]> {
  const { tenantId, userId, network } = user;
  const { rows } = await sql<{ id: string | null }>`
    select unnest(array[id, order_id, call_id]) as id from booking where ${concerns(user)}
    union select id from workflow_run where tenant_id = ${tenantId} and network = ${network} and user_id = ${userId}
    union select trip_id from trip where tenant_id = ${tenantId} and network = ${network} and user_id = ${userId}`.execute(
    db,
  );
  return rows.flatMap(({ id }) => id ?? []);
}
