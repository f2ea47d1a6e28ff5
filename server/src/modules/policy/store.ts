import { sql } from "kysely";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { batchLookUps } from "../../platform/batching/batch.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit, ownerKey } from "../identity/index.ts";
import { PolicyDocument } from "./document.ts";
import type { Enforced, Enforcement, NewPolicyVersion, Owner, PolicyNames, PolicyVersion } from "./policies.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "policy.travelPolicies": TravelPolicies;
  }
}

export const MOST_POLICIES = 100;
export const MOST_VERSIONS = 1_000;

const columns = ["policyId", "version", "effectiveAt", "createdAt", "createdBy"] as const;

/** Joins the caller's transaction if `queryable` is one. */
export function createTravelPolicies(queryable: Queryable, clock: Clock) {
  const inTransaction = <T>(work: (db: Queryable) => Promise<T>): Promise<T> =>
    queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  const findNames = batchLookUps((keys) => readNames(queryable, keys));
  const findEnforced = batchLookUps((keys) => readEnforced(queryable, keys));
  return {
    /** The ids of the tenant's own policies, in order, and the id of the enforced one. Concurrent requests are batched. */
    names: async (owner: Owner): Promise<PolicyNames> =>
      (await findNames(ownerKey(owner))) ?? { policyIds: [], enforcedId: undefined },
    /** Adds the next version; undefined when the tenant has too many policies, or the policy too many versions. */
    add: (owner: Owner, policyId: string, version: NewPolicyVersion): Promise<PolicyVersion | undefined> =>
      inTransaction((db) => add({ db, clock }, owner, policyId, version)),
    /** The version in force at `at`. */
    findActive: (owner: Owner, policyId: string, at: Temporal.Instant): Promise<PolicyVersion | undefined> =>
      selectVersions(queryable, owner, policyId)
        .select(columns)
        .where("effectiveAt", "<=", sql<Temporal.Instant>`${at.toString()}::timestamptz`)
        .orderBy("effectiveAt", "desc")
        .orderBy("version", "desc")
        .limit(1)
        .executeTakeFirst(),
    find: (owner: Owner, policyId: string, version: number): Promise<PolicyVersion | undefined> =>
      selectVersions(queryable, owner, policyId).select(columns).where("version", "=", version).executeTakeFirst(),
    document: (owner: Owner, policyId: string, version: number): Promise<PolicyDocument | undefined> =>
      readDocument(queryable, owner, policyId, version),
    /** Newest first, below `before`. */
    listVersions: (
      owner: Owner,
      policyId: string,
      { before, limit }: { before: number | undefined; limit: number },
    ): Promise<readonly PolicyVersion[]> =>
      selectVersions(queryable, owner, policyId)
        .select(columns)
        .$if(before !== undefined, (query) => query.where("version", "<", before ?? 0))
        .orderBy("version", "desc")
        .limit(limit)
        .execute(),
    /** The newest version of each policy, ordered by id. */
    list: (owner: Owner): Promise<readonly PolicyVersion[]> =>
      queryable
        .selectFrom("travelPolicy")
        .where("tenantId", "=", owner.tenantId)
        .where("environment", "=", owner.environment)
        .distinctOn("policyId")
        .select(columns)
        .orderBy("policyId")
        .orderBy("version", "desc")
        .limit(MOST_POLICIES)
        .execute(),
    /** The policy enforced on direct calls. */
    async findEnforced(owner: Owner): Promise<Enforced> {
      const found = await findEnforced(ownerKey(owner));
      if (found === undefined) throw new Error("A tenant that does not exist enforces nothing.");
      return found;
    },
    enforce: (owner: Owner, enforcement: Omit<Enforcement, "changedAt">): Promise<Enforcement> =>
      inTransaction((db) => enforce({ db, clock }, owner, enforcement)),
  };
}

/** The tenants' own policies, and the enforced one. The default policy is not stored. */
export type TravelPolicies = ReturnType<typeof createTravelPolicies>;

async function readNames(db: Queryable, keys: readonly string[]): Promise<ReadonlyMap<string, PolicyNames>> {
  const { rows } = await sql<{ key: string; policyIds: string[]; enforcedId: string | null }>`
    select key,
      array(select distinct policy_id from travel_policy
        where tenant_id = split_part(key, ' ', 2) and network = split_part(key, ' ', 1) order by policy_id) as policy_ids,
      (select policy_id from travel_policy_enforcement
        where tenant_id = split_part(key, ' ', 2) and network = split_part(key, ' ', 1)) as enforced_id
    from unnest(${keys}::text[]) as asked (key)`.execute(db);
  return new Map(
    rows.map(({ key, policyIds, enforcedId }) => [key, { policyIds, enforcedId: enforcedId ?? undefined }]),
  );
}

interface Storage {
  db: Queryable;
  clock: Clock;
}

function selectVersions(db: Queryable, { tenantId, environment }: Owner, policyId: string) {
  return db
    .selectFrom("travelPolicy")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("policyId", "=", policyId);
}

async function readDocument(
  db: Queryable,
  owner: Owner,
  policyId: string,
  version: number,
): Promise<PolicyDocument | undefined> {
  const row = await selectVersions(db, owner, policyId)
    .select("document")
    .where("version", "=", version)
    .executeTakeFirst();
  return row === undefined ? undefined : PolicyDocument.parse(row.document);
}

async function add(
  { db, clock }: Storage,
  owner: Owner,
  policyId: string,
  { document, effectiveAt, createdBy }: NewPolicyVersion,
): Promise<PolicyVersion | undefined> {
  const { tenantId, environment } = owner;
  // Serialised per tenant: each version follows the one before it, and at first there is no row to lock.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`travel_policy:${environment}:${tenantId}`}, 0))`.execute(
    db,
  );
  const [last] = await selectVersions(db, owner, policyId)
    .select([...columns, "document"])
    .orderBy("version", "desc")
    .limit(1)
    .execute();
  if (last === undefined && (await countPolicies(db, owner)) >= MOST_POLICIES) return undefined;
  if (last !== undefined) {
    const { document: lastDocument, ...known } = last;
    if (isSame(known, effectiveAt, clock) && canonicalJson(lastDocument) === canonicalJson(document)) return known;
    if (last.version >= MOST_VERSIONS) return undefined;
  }
  const version = (last?.version ?? 0) + 1;
  const createdAt = clock.now();
  await db
    .insertInto("travelPolicy")
    .values({
      tenantId,
      environment,
      policyId,
      version,
      createdBy,
      document: JSON.stringify(document),
      effectiveAt: effectiveAt.toString(),
      createdAt: createdAt.toString(),
    })
    .execute();
  await appendAudit(
    db,
    {
      tenantId,
      environment,
      actor: createdBy,
      action: "travel_policy.put",
      subjectId: `${environment}:${policyId}:${version}`,
      details: { effectiveAt: effectiveAt.toString() },
    },
    clock,
  );
  return { policyId, version, effectiveAt, createdAt, createdBy };
}

/** A repeated version that is in force, or takes effect at the same time, is not stored again. */
function isSame(last: PolicyVersion, effectiveAt: Temporal.Instant, clock: Clock): boolean {
  const now = clock.now();
  const { compare } = Temporal.Instant;
  const bothNow = compare(last.effectiveAt, now) <= 0 && compare(effectiveAt, now) <= 0;
  return bothNow || compare(last.effectiveAt, effectiveAt) === 0;
}

async function countPolicies(db: Queryable, { tenantId, environment }: Owner): Promise<number> {
  const { count } = await db
    .selectFrom("travelPolicy")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("version", "=", 1)
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function readEnforced(db: Queryable, keys: readonly string[]): Promise<ReadonlyMap<string, Enforced>> {
  const { rows } = await sql<EnforcedRow>`
    select key, rules_version, policy_id, changed_at, changed_by from unnest(${keys}::text[]) as asked (key)
    join tenant on tenant.id = split_part(key, ' ', 2)
    left join travel_policy_enforcement on tenant_id = tenant.id and network = split_part(key, ' ', 1)
    ${prepared("policy-enforced")}`.execute(db);
  return new Map(rows.map(({ key, ...row }) => [key, withoutNulls(row)]));
}

interface EnforcedRow {
  key: string;
  rulesVersion: number;
  policyId: string | null;
  changedAt: Temporal.Instant | null;
  changedBy: string | null;
}

async function enforce(
  { db, clock }: Storage,
  { tenantId, environment }: Owner,
  { policyId, changedBy }: Omit<Enforcement, "changedAt">,
): Promise<Enforcement> {
  const changedAt = clock.now();
  const row = { policyId: policyId ?? null, changedAt: changedAt.toString(), changedBy };
  await db
    .insertInto("travelPolicyEnforcement")
    .values({ tenantId, environment, ...row })
    .onConflict((conflict) => conflict.columns(["tenantId", "environment"]).doUpdateSet(row))
    .execute();
  const details = { policyId: policyId ?? null };
  await appendAudit(
    db,
    { tenantId, environment, actor: changedBy, action: "travel_policy.enforce", subjectId: environment, details },
    clock,
  );
  return { policyId, changedAt, changedBy };
}
