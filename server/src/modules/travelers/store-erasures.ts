import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import { findKeyId } from "../../domain/user-ids.ts";
import type { BesideStores } from "../../kernel/contracts/beside-stores.ts";
import type {
  Objections,
  PersonPage,
  PersonRecords,
  PersonTables,
  Retention,
} from "../../kernel/contracts/person-records.ts";
import type { StoreParts } from "../../kernel/contracts/stores.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { appendAudit } from "../identity/index.ts";
import { ERASED_NAME, type Forgetting, forgetPerson, type NamedPerson } from "./forget-person.ts";
import type { ErasureOutcome } from "./personal-data.ts";
import { openProfile, type SealedFor } from "./stored-profile.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "travelers.erasures": Erasures;
  }
}

interface Erasure {
  user: SealedFor;
  actor: string;
  /** Erases even a person with upcoming bookings. */
  confirmFutureBookings: boolean;
  random: RandomBytes;
}

export interface Erasures {
  /** Runs in the transaction that all aggregates share. */
  erase(erasure: Erasure): Promise<ErasureOutcome>;
  /** One search for each kind of person with a retention time. */
  listOld(before: Retention): readonly ((page: PersonPage) => Promise<readonly SealedFor[]>)[];
  forgetOldNames(before: Retention, limit: number): Promise<void>;
}

type Options = Pick<StoreParts, "clock" | "vault"> & Pick<BesideStores, "personRecords"> & { db: Queryable };

/** Tables of travelers and identity themselves. */
const NOT_SEARCHED: Readonly<Record<string, string>> = {
  app_user: "deleted",
  traveler_profile: "deleted",
  traveler_customer: "deleted",
};

export function createErasures(options: Options): Erasures {
  const { db, clock, personRecords } = options;
  return {
    async erase({ user, actor, confirmFutureBookings, random }) {
      const { tenantId, userId, environment } = user;
      const at = clock.now();
      const unknown = await lock(db, user);
      if (unknown !== undefined) return unknown;
      const records = personRecords();
      const traces = await identify(records, user);
      // A service account is not a person: its records stay, and rules keep naming it.
      const isServiceAccount = findKeyId(userId) !== undefined;
      const { isBusy, rules, ordersAhead } = await gatherObjections(records, user, { at, callIds: traces.callIds });
      if (isBusy) return { outcome: "busy" };
      if (rules.length > 0 && !isServiceAccount) return { outcome: "ruled", rules };
      if (ordersAhead.length > 0 && !confirmFutureBookings) return { outcome: "ahead", orders: ordersAhead };
      const mark = isServiceAccount ? userId : newId("erased_", at.epochMilliseconds, random);
      const person = await readPerson(options, user, { mark, names: traces.names });
      const forgetting = forgetPerson(person);
      const taking = { mark, forgetting, hasNamesake: await hasNamesake(db, user, person), ids: traces.ids };
      for (const one of records) await one.forgetOwn?.(user);
      await deleteOwn(db, user);
      const tables = joinTables(records);
      await takeOutOfRecords(db, user, tables, taking);
      for (const { table, column } of tables.naming) {
        await sql`
          update ${sql.id(table)} set ${sql.id(column)} = ${mark}
          where tenant_id = ${tenantId} and network = ${environment} and ${sql.id(column)} = ${userId}`.execute(db);
      }
      const { isNamedIn } = forgetting;
      for (const one of records) await one.forgetTraces?.({ person: user, mark, name: ERASED_NAME, isNamedIn });
      const details = { network: environment };
      const entry = { tenantId, environment, actor, action: "traveler.erase", subjectId: mark, details };
      await appendAudit(db, entry, clock);
      return { outcome: "erased" };
    },

    listOld: (before) => personRecords().map((one) => async (page) => (await one.findOld?.(before, page)) ?? []),

    async forgetOldNames(before, limit) {
      for (const one of personRecords()) await one.forgetOldNames?.(before, limit);
    },
  };
}

/**
 * Locks the user: a concurrent booking is either visible now, or will not find the user. Undefined: nothing here prevents the
 * erasure.
 */
async function lock(db: Queryable, user: SealedFor): Promise<ErasureOutcome | undefined> {
  const { tenantId, userId, environment } = user;
  const found = await sql`
    select 1 from app_user where tenant_id = ${tenantId} and network = ${environment} and id = ${userId} for update`.execute(
    db,
  );
  if (found.rows.length === 0) return { outcome: "unknown" };
  // Erasing an approver would change who decides: the operator must remove the person first.
  const member = await sql`
    select 1 from person
    where tenant_id = ${tenantId} and network = ${environment} and id = ${userId} and removed_at is null`.execute(db);
  return member.rows.length > 0 ? { outcome: "works" } : undefined;
}

async function identify(records: readonly PersonRecords[], user: SealedFor) {
  const found = [];
  for (const one of records) found.push((await one.identify?.(user)) ?? {});
  return {
    names: found.flatMap(({ names = [] }) => names),
    ids: found.flatMap(({ ids = [] }) => ids),
    callIds: found.flatMap(({ callIds = [] }) => callIds),
  };
}

async function gatherObjections(
  records: readonly PersonRecords[],
  user: SealedFor,
  asked: { at: Temporal.Instant; callIds: readonly string[] },
): Promise<Required<Objections>> {
  const found: Objections[] = [];
  for (const one of records) found.push((await one.objections?.(user, asked)) ?? {});
  return {
    isBusy: found.some(({ isBusy = false }) => isBusy),
    rules: found.flatMap(({ rules = [] }) => rules),
    ordersAhead: found.flatMap(({ ordersAhead = [] }) => ordersAhead),
  };
}

function joinTables(records: readonly PersonRecords[]): Required<PersonTables> {
  return {
    naming: records.flatMap(({ tables }) => tables?.naming ?? []),
    notSearched: Object.assign({}, NOT_SEARCHED, ...records.map(({ tables }) => tables?.notSearched)),
    through: Object.assign({}, ...records.map(({ tables }) => tables?.through)),
  };
}

async function readPerson(
  { db, vault }: Options,
  user: SealedFor,
  { mark, names }: Pick<NamedPerson, "mark" | "names">,
): Promise<NamedPerson> {
  const { tenantId, userId, environment } = user;
  const { rows } = await sql<{ profile: unknown }>`
    select profile from traveler_profile
    where tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}`.execute(db);
  const [profile] = rows.map((row) => openProfile(vault, row.profile, user));
  const { givenName, familyName, email, phoneNumber, passports = [], loyaltyProgrammeAccounts = [] } = profile ?? {};
  const own = givenName === undefined || familyName === undefined ? [] : [{ givenName, familyName }];
  return {
    userId,
    mark,
    names: [...own, ...names],
    identifiers: [
      ...[email, phoneNumber].filter((one) => one !== undefined),
      ...passports.map(({ number }) => number),
      ...loyaltyProgrammeAccounts.map(({ accountNumber }) => accountNumber),
    ],
  };
}

/** Whether another user of the tenant has the same name. */
async function hasNamesake(db: Queryable, user: SealedFor, { names }: NamedPerson): Promise<boolean> {
  const { tenantId, userId, environment } = user;
  for (const { givenName, familyName } of names) {
    const { rows } = await sql`
      select 1 from traveler_profile
      where tenant_id = ${tenantId} and network = ${environment} and user_id <> ${userId}
        and lower(profile ->> 'givenName') = lower(${givenName}) and lower(profile ->> 'familyName') = lower(${familyName})
      limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

async function deleteOwn(db: Queryable, { tenantId, userId, environment }: SealedFor): Promise<void> {
  const own = sql`tenant_id = ${tenantId} and network = ${environment}`;
  for (const table of ["traveler_profile", "traveler_customer"]) {
    await sql`delete from ${sql.id(table)} where ${own} and user_id = ${userId}`.execute(db);
  }
  // Includes the person's membership.
  await sql`delete from app_user where ${own} and id = ${userId}`.execute(db);
}

const Columns = z.array(z.object({ name: z.string(), type: z.enum(["text", "jsonb", "_text"]) }));
interface RecordTable {
  name: string;
  columns: z.output<typeof Columns>;
  /** The condition that selects the tenant's rows. */
  rows: RawBuilder<unknown>;
}

/** From the database's catalogue, so that tables added later are covered. */
async function listTables(
  db: Queryable,
  owner: SealedFor,
  { notSearched, through }: Required<PersonTables>,
): Promise<readonly RecordTable[]> {
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
    const own = Object.hasOwn(notSearched, name) ? undefined : tenantRows(name, { columns: all, through }, owner);
    return own === undefined ? [] : [{ name, columns: Columns.parse(columns), rows: own }];
  });
}

/** Undefined: the table has no rows of tenants. */
function tenantRows(
  table: string,
  { columns, through }: { columns: readonly string[] } & Pick<Required<PersonTables>, "through">,
  { tenantId, environment }: SealedFor,
): RawBuilder<unknown> | undefined {
  const own = sql`tenant_id = ${tenantId} and network = ${environment}`;
  const way = through[table];
  if (way !== undefined) {
    const key = sql.id(way.key);
    const rows = sql`select ${key} from ${sql.id(way.table)} where ${own} and ${key} is not null`;
    const isHere = columns.includes("network") ? sql`network = ${environment}` : sql`true`;
    return sql`${isHere} and ${sql.id(way.column)} in (${rows})`;
  }
  // Lines without an environment belong to both.
  if (table === "audit_log") return sql`tenant_id = ${tenantId} and coalesce(network, ${environment}) = ${environment}`;
  if (!columns.includes("tenant_id")) return undefined;
  if (columns.includes("network")) return own;
  return columns.includes("environment") ? sql`tenant_id = ${tenantId} and environment = ${environment}` : undefined;
}

/**
 * A line of the audit log takes the mark alone for whom or what it names, such as a policy that is called like the user, and
 * loses from where the person acted.
 */
function keepLine(
  name: string,
  before: unknown,
  { changed, mark, isActor }: { changed: unknown; mark: string; isActor: boolean },
): unknown {
  if (isActor && (name === "address" || name === "program")) return null;
  return (name === "actor" || name === "subject_id") && changed !== before ? mark : changed;
}

interface Taking {
  mark: string;
  forgetting: Forgetting;
  hasNamesake: boolean;
  /** Ids of the person's records, for rows that refer to them. */
  ids: readonly string[];
}

const Found = z.array(z.object({ place: z.string(), part: z.string(), stored: z.record(z.string(), z.unknown()) }));

async function takeOutOfRecords(
  db: Queryable,
  user: SealedFor,
  tables: Required<PersonTables>,
  taking: Taking,
): Promise<void> {
  const { forgetting, hasNamesake, ids, mark } = taking;
  for (const { name: table, columns, rows: own } of await listTables(db, user, tables)) {
    const { rows } = await sql`
      select ctid::text as place, tableoid::regclass::text as part, to_jsonb(one) as stored from ${sql.table(table)} one
      where ${own} and one::text ~* ${forgetting.pattern} for update`.execute(db);
    for (const { place, part, stored } of Found.parse(rows)) {
      const text = JSON.stringify(stored);
      const isAbout = !hasNamesake || forgetting.isNamedIn(text) || ids.some((id) => text.includes(id));
      const isActor = forgetting.value(stored.actor, "actor", isAbout) !== stored.actor;
      const changes = columns.flatMap(({ name, type }) => {
        const changed = forgetting.value(stored[name], name, isAbout);
        const after = table === "audit_log" ? keepLine(name, stored[name], { changed, mark, isActor }) : changed;
        return JSON.stringify(after) === JSON.stringify(stored[name])
          ? []
          : [sql`${sql.id(name)} = ${type === "jsonb" ? JSON.stringify(after) : after}`];
      });
      if (changes.length === 0) continue;
      await sql`update ${sql.table(part)} set ${sql.join(changes)} where ctid = ${place}::tid`.execute(db);
    }
  }
}
