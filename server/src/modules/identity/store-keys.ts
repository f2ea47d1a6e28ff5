import { hash } from "node:crypto";
import type { Selectable } from "kysely";
import { type RandomBytes, randomBase62 } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { ApiKeyTable } from "../../platform/database/tables/identity-tables.ts";
import type { ApiKey } from "../../ports/identity.ts";

const PREFIX = "ak_";
const RANDOM_CHARACTERS = 40;
const START_CHARACTERS = 8;
const KEY = /^ak_[0-9A-Za-z]{40}$/;

const columns = [
  "id",
  "tenant_id",
  "name",
  "start",
  "scopes",
  "environment",
  "created_at",
  "expires_at",
  "revoked_at",
  "last_used_at",
] as const;
type ApiKeyRow = Pick<Selectable<ApiKeyTable>, (typeof columns)[number]>;

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    start: row.start,
    scopes: row.scopes,
    environment: row.environment,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

export function newKey(random: RandomBytes): { apiKey: string; start: string } {
  const apiKey = `${PREFIX}${randomBase62(RANDOM_CHARACTERS, random)}`;
  return { apiKey, start: apiKey.slice(0, START_CHARACTERS) };
}

/** Undefined for text that cannot be a key: it is refused without asking the database. */
export function hashKey(apiKey: string): string | undefined {
  return KEY.test(apiKey) ? hash("sha256", apiKey, "base64url") : undefined;
}

export async function insertKey(queryable: Queryable, key: ApiKey, keyHash: string): Promise<void> {
  await queryable
    .insertInto("api_key")
    .values({
      id: key.id,
      tenant_id: key.tenantId,
      name: key.name,
      key_hash: keyHash,
      start: key.start,
      scopes: [...key.scopes],
      environment: key.environment,
      created_at: key.createdAt.toString(),
      expires_at: key.expiresAt?.toString() ?? null,
    })
    .execute();
}

export async function selectKeys(queryable: Queryable, tenantId: string): Promise<readonly ApiKey[]> {
  const rows = await queryable
    .selectFrom("api_key")
    .select(columns)
    .where("tenant_id", "=", tenantId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toApiKey);
}

/** `revoked` now, `already` before, or `unknown` to this tenant. */
export async function markRevoked(
  queryable: Queryable,
  tenantId: string,
  keyId: string,
  at: Temporal.Instant,
): Promise<{ outcome: "revoked"; keyHash: string } | { outcome: "already" | "unknown" }> {
  const row = await queryable
    .updateTable("api_key")
    .set({ revoked_at: at.toString() })
    .where("id", "=", keyId)
    .where("tenant_id", "=", tenantId)
    .where("revoked_at", "is", null)
    .returning("key_hash")
    .executeTakeFirst();
  if (row !== undefined) return { outcome: "revoked", keyHash: row.key_hash };
  const known = await queryable
    .selectFrom("api_key")
    .select("id")
    .where("id", "=", keyId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  return { outcome: known === undefined ? "unknown" : "already" };
}
