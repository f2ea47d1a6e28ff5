import { hash } from "node:crypto";
import { type RandomBytes, randomBase62 } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { ApiKey } from "../../ports/identity.ts";

const PREFIX = "ak_";
const RANDOM_CHARACTERS = 40;
const START_CHARACTERS = 8;
const KEY = /^ak_[0-9A-Za-z]{40}$/;

const columns = [
  "id",
  "tenantId",
  "personId",
  "name",
  "start",
  "scopes",
  "environment",
  "createdAt",
  "expiresAt",
  "revokedAt",
  "lastUsedAt",
] as const;
export function newKey(random: RandomBytes): { apiKey: string; start: string } {
  const apiKey = `${PREFIX}${randomBase62(RANDOM_CHARACTERS, random)}`;
  return { apiKey, start: apiKey.slice(0, START_CHARACTERS) };
}

/** Undefined for a malformed key: it is refused without asking the database. */
export function hashKey(apiKey: string): string | undefined {
  return KEY.test(apiKey) ? hash("sha256", apiKey, "base64url") : undefined;
}

export async function insertKey(queryable: Queryable, key: ApiKey, keyHash: string): Promise<void> {
  await queryable
    .insertInto("apiKey")
    .values({
      id: key.id,
      tenantId: key.tenantId,
      personId: key.personId ?? null,
      name: key.name,
      keyHash,
      start: key.start,
      scopes: [...key.scopes],
      environment: key.environment,
      createdAt: key.createdAt.toString(),
      expiresAt: key.expiresAt?.toString() ?? null,
    })
    .execute();
}

export async function selectKeys(queryable: Queryable, tenantId: string): Promise<readonly ApiKey[]> {
  const rows = await queryable
    .selectFrom("apiKey")
    .select(columns)
    .where("tenantId", "=", tenantId)
    .where("kind", "=", "key")
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  return rows.map(withoutNulls);
}

/** `revoked` now, `already` before, or `unknown` to this tenant. */
export async function markRevoked(
  queryable: Queryable,
  tenantId: string,
  keyId: string,
  at: Temporal.Instant,
): Promise<{ outcome: "revoked"; keyHash: string } | { outcome: "already" | "unknown" }> {
  const row = await queryable
    .updateTable("apiKey")
    .set({ revokedAt: at.toString() })
    .where("id", "=", keyId)
    .where("tenantId", "=", tenantId)
    .where("revokedAt", "is", null)
    .returning("keyHash")
    .executeTakeFirst();
  if (row !== undefined) return { outcome: "revoked", keyHash: row.keyHash };
  const known = await queryable
    .selectFrom("apiKey")
    .select("id")
    .where("id", "=", keyId)
    .where("tenantId", "=", tenantId)
    .executeTakeFirst();
  return { outcome: known === undefined ? "unknown" : "already" };
}
