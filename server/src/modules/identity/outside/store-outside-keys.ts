import { sql } from "kysely";
import { newId, type RandomBytes } from "../../../domain/ids.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { OutsideKey } from "../../../ports/outside-keys.ts";
import { mapScopes } from "./map-key.ts";

/** More keys of a tenant are made at the provider than anybody looks at. */
const MOST_KEYS = 1_000;
const MOST_INTENTS = 100;

/** The hash of a key that nobody has used here yet. No secret has it. */
const hashOfUnused = (outsideId: string): string => `outside:${outsideId}`;

export async function findTenantOfOrganization(db: Queryable, organizationId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("tenant")
    .select("id")
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return row?.id;
}

export async function findOrganization(db: Queryable, tenantId: string): Promise<string | undefined> {
  const row = await db.selectFrom("tenant").select("organizationId").where("id", "=", tenantId).executeTakeFirst();
  return row?.organizationId ?? undefined;
}

/** Rows for keys that were made at the provider. Those that exist are left as they are. */
export async function insertOutsideKeys(
  db: Queryable,
  tenantId: string,
  keys: readonly OutsideKey[],
  { at, random }: { at: Temporal.Instant; random: RandomBytes },
): Promise<void> {
  const { count } = await db
    .selectFrom("apiKey")
    .select((expression) => expression.fn.countAll<string>().as("count"))
    .where("tenantId", "=", tenantId)
    .where("outsideId", "is not", null)
    .executeTakeFirstOrThrow();
  const room = Math.max(0, MOST_KEYS - Number(count));
  const values = keys.slice(0, room).map((key) => ({
    id: newId("key_", at.epochMilliseconds, random),
    tenantId,
    name: key.name.slice(0, 100) || "key",
    keyHash: hashOfUnused(key.id),
    start: "",
    scopes: [...mapScopes(key)],
    environment: key.environment,
    createdAt: at.toString(),
    expiresAt: key.expiresAt?.toString() ?? null,
    outsideId: key.id,
  }));
  if (values.length === 0) return;
  await db
    .insertInto("apiKey")
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Remembers whose secret this is, now that somebody has shown it. A key that has ended here stays ended. */
export async function setHash(db: Queryable, outsideId: string, keyHash: string): Promise<void> {
  await db
    .updateTable("apiKey")
    .set({ keyHash })
    .where("outsideId", "=", outsideId)
    .where("keyHash", "=", hashOfUnused(outsideId))
    .execute();
}

/** Whether the secret belongs to a key that this service knows, and may have ended. */
export async function knowsHash(db: Queryable, keyHash: string): Promise<boolean> {
  const row = await db.selectFrom("apiKey").select("id").where("keyHash", "=", keyHash).executeTakeFirst();
  return row !== undefined;
}

/** So that a list shows what the provider says. */
export async function setScopes(
  db: Queryable,
  { id, tenantId, scopes }: { id: string; tenantId: string; scopes: readonly string[] },
): Promise<void> {
  await db
    .updateTable("apiKey")
    .set({ scopes: [...scopes] })
    .where("id", "=", id)
    .where("tenantId", "=", tenantId)
    .execute();
}

/** Keys that the provider has ended. */
export async function markEnded(
  db: Queryable,
  tenantId: string,
  outsideIds: readonly string[],
  at: Temporal.Instant,
): Promise<void> {
  if (outsideIds.length === 0) return;
  await db
    .updateTable("apiKey")
    .set({ outsideEndedAt: at.toString(), revokedAt: sql`coalesce(revoked_at, ${at.toString()}::timestamptz)` })
    .where("tenantId", "=", tenantId)
    .where("outsideId", "in", outsideIds)
    .where("outsideEndedAt", "is", null)
    .execute();
}

/** Keys that have ended here and not at the provider yet. */
export async function listToEnd(db: Queryable, at: Temporal.Instant, limit: number) {
  return await db
    .selectFrom("apiKey")
    .select(["id", "tenantId", "outsideId"])
    .where("outsideId", "is not", null)
    .where("outsideEndedAt", "is", null)
    .where((where) => where.or([where("revokedAt", "is not", null), where("expiresAt", "<=", at)]))
    .orderBy("id")
    .limit(limit)
    .execute();
}

export async function setEnded(db: Queryable, keyId: string, at: Temporal.Instant): Promise<void> {
  await db.updateTable("apiKey").set({ outsideEndedAt: at.toString() }).where("id", "=", keyId).execute();
}

export interface KeyIntent {
  keyId: string;
  tenantId: string;
  organizationId: string;
}

/** False: too many keys of the tenant are being made. */
export async function insertIntent(db: Queryable, intent: KeyIntent, at: Temporal.Instant): Promise<boolean> {
  const { rows } = await sql`
    insert into outside_key_intent (key_id, tenant_id, organization_id, created_at)
    select ${intent.keyId}, ${intent.tenantId}, ${intent.organizationId}, ${at.toString()}::timestamptz
    where (select count(*) from outside_key_intent where tenant_id = ${intent.tenantId}) < ${MOST_INTENTS}
    returning key_id`.execute(db);
  return rows.length > 0;
}

export async function deleteIntent(db: Queryable, keyId: string): Promise<void> {
  await db.deleteFrom("outsideKeyIntent").where("keyId", "=", keyId).execute();
}

/** Those whose request has certainly arrived or never will. */
export async function listIntents(
  db: Queryable,
  before: Temporal.Instant,
  limit: number,
): Promise<readonly KeyIntent[]> {
  return await db
    .selectFrom("outsideKeyIntent")
    .select(["keyId", "tenantId", "organizationId"])
    .where("createdAt", "<", before)
    .orderBy("createdAt")
    .limit(limit)
    .execute();
}
