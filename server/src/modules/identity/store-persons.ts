import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { grantScopes } from "./grant-scopes.ts";
import { type Person, type PersonOfTenant, type PersonRole, type Persons, personRoles } from "./persons.ts";
import { appendAudit } from "./store-audit.ts";
import { followRoles, insertGrantKey, narrowOwnKeys } from "./store-grant-keys.ts";
import { ensureSessionKey } from "./store-session-keys.ts";

interface Owner {
  tenantId: string;
  environment: Environment;
}

const columns = ["id", "name", "email", "roles", "createdAt"] as const;

/** Joins the caller's transaction if `queryable` is one. */
export function createPersons(queryable: Queryable, clock: Clock): Persons {
  const inTransaction = <T>(work: (db: Queryable) => Promise<T>): Promise<T> =>
    queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  return {
    add: (owner, person, actor) => inTransaction((db) => add({ db, clock }, owner, person, actor)),
    find: (owner, id) => findPerson(queryable, owner, id),
    async list(owner) {
      const rows = await selectPersons(queryable, owner).select(columns).orderBy("createdAt").orderBy("id").execute();
      return rows.map(toPerson);
    },
    async lockAll(owner) {
      const rows = await selectPersons(queryable, owner).select(columns).orderBy("id").forUpdate().execute();
      return rows.map(toPerson);
    },
    listActive: (owner) => selectActive(queryable, owner),
    setRoles: (owner, id, roles, actor) => inTransaction((db) => setRoles({ db, clock }, owner, { id, roles }, actor)),
    remove: (owner, id, actor) => inTransaction((db) => remove({ db, clock }, owner, id, actor)),
    async ofKey(tenantId, keyId) {
      const row = await queryable
        .selectFrom("apiKey")
        .select("personId")
        .where("tenantId", "=", tenantId)
        .where("id", "=", keyId)
        .executeTakeFirst();
      return row?.personId ?? undefined;
    },
    async keyName(tenantId, keyId) {
      const keys = queryable.selectFrom("apiKey").select("name").where("tenantId", "=", tenantId);
      return (await keys.where("id", "=", keyId).executeTakeFirst())?.name;
    },
    keyOfSessions: (owner, id) =>
      inTransaction(async (db) => {
        const person = await findPerson(db, owner, id);
        return person === undefined ? undefined : await ensureSessionKey(db, owner, person, clock.now());
      }),
    keyOfGrant: (owner, grant, actor) =>
      inTransaction(async (db) => {
        const person = await findPerson(db, owner, grant.personId);
        return person === undefined
          ? undefined
          : await insertGrantKey({ db, clock }, owner, { ...grant, person, actor });
      }),
    withAddress: (email) => selectWithAddress(queryable, email),
  };
}

export async function findPerson(db: Queryable, owner: Owner, id: string): Promise<Person | undefined> {
  const row = await selectPersons(db, owner).select(columns).where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : toPerson(row);
}

async function selectActive(db: Queryable, { tenantId, environment }: Owner): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("apiKey")
    .select("personId")
    .distinct()
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("personId", "is not", null)
    .where("revokedAt", "is", null)
    .execute();
  return new Set(rows.flatMap(({ personId }) => (personId === null ? [] : [personId])));
}

async function selectWithAddress(db: Queryable, email: string): Promise<readonly PersonOfTenant[]> {
  const rows = await db
    .selectFrom("person")
    .innerJoin("tenant", "tenant.id", "person.tenantId")
    .select(["person.id", "person.name", "person.email", "person.roles", "person.tenantId", "person.environment"])
    .select("tenant.name as tenantName")
    .where(sql`lower(person.email)`, "=", email.toLowerCase())
    .where("person.removedAt", "is", null)
    .orderBy("person.createdAt")
    .execute();
  return rows.map(toPerson);
}

interface Storage {
  db: Queryable;
  clock: Clock;
}

function selectPersons(db: Queryable, { tenantId, environment }: Owner) {
  return db
    .selectFrom("person")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("removedAt", "is", null);
}

async function add(
  { db, clock }: Storage,
  owner: Owner,
  person: Omit<Person, "createdAt">,
  actor: string,
): Promise<Person | undefined> {
  const createdAt = clock.now();
  await db
    .insertInto("appUser")
    .values({ ...owner, id: person.id, createdAt: createdAt.toString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await db
    .insertInto("person")
    .values({ ...owner, ...person, roles: [...person.roles], createdAt: createdAt.toString() })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await audit({ db, clock }, owner, { action: "person.add", id: person.id, actor, details: { roles: person.roles } });
  return toPerson(row);
}

async function setRoles(
  { db, clock }: Storage,
  owner: Owner,
  { id, roles }: Pick<Person, "id" | "roles">,
  actor: string,
): Promise<Person | undefined> {
  const before = await selectPersons(db, owner).select(columns).where("id", "=", id).forUpdate().executeTakeFirst();
  const row = await changePerson(db, owner, id)
    .set({ roles: [...roles] })
    .returning(columns)
    .executeTakeFirst();
  if (row === undefined || before === undefined) return undefined;
  // Live sessions follow at once: the change of their key is told to every process.
  await db
    .updateTable("apiKey")
    .set({ scopes: [...grantScopes(roles, owner.environment, "session")] })
    .where("tenantId", "=", owner.tenantId)
    .where("environment", "=", owner.environment)
    .where("personId", "=", id)
    .where("kind", "=", "session")
    .where("revokedAt", "is", null)
    .execute();
  await followRoles(db, owner, { id, roles });
  await narrowOwnKeys({ db, clock }, owner, { id, before: toPerson(before).roles, roles, actor });
  await audit({ db, clock }, owner, { action: "person.roles", id, actor, details: { roles } });
  return toPerson(row);
}

async function remove({ db, clock }: Storage, owner: Owner, id: string, actor: string): Promise<boolean> {
  const now = clock.now().toString();
  const row = await changePerson(db, owner, id).set({ removedAt: now }).returning("id").executeTakeFirst();
  if (row === undefined) return false;
  await db
    .updateTable("apiKey")
    .set({ revokedAt: sql<string>`coalesce(revoked_at, ${now}::timestamptz)` })
    .where("tenantId", "=", owner.tenantId)
    .where("environment", "=", owner.environment)
    .where("personId", "=", id)
    .execute();
  await audit({ db, clock }, owner, { action: "person.remove", id, actor, details: {} });
  return true;
}

function changePerson(db: Queryable, { tenantId, environment }: Owner, id: string) {
  return db
    .updateTable("person")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("id", "=", id)
    .where("removedAt", "is", null);
}

function audit(
  { db, clock }: Storage,
  { tenantId, environment }: Owner,
  { action, id, actor, details }: { action: string; id: string; actor: string; details: object },
): Promise<void> {
  const entry = { tenantId, environment, actor, action, subjectId: id, details: { network: environment, ...details } };
  return appendAudit(db, entry, clock);
}

function toPerson<Row extends { roles: readonly string[] }>(row: Row): Omit<Row, "roles"> & Pick<Person, "roles"> {
  return { ...row, roles: row.roles.filter(isRole) };
}

function isRole(text: string): text is PersonRole {
  return personRoles.some((role) => role === text);
}
