import { hash } from "node:crypto";
import { type RandomBytes, randomBase62 } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { ApiKey, Environment } from "../../ports/identity.ts";

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
  "replaces",
  "outsideId",
] as const;

export const newKey = (random: RandomBytes): string => `${PREFIX}${randomBase62(RANDOM_CHARACTERS, random)}`;

/** Shown in lists, for recognition. */
export const startKey = (apiKey: string): string => apiKey.slice(0, START_CHARACTERS);

/** Undefined for a malformed key: it is refused without asking the database. */
export function hashKey(apiKey: string): string | undefined {
  return KEY.test(apiKey) ? hashSecret(apiKey) : undefined;
}

export const hashSecret = (secret: string): string => hash("sha256", secret, "base64url");

export async function insertKey(
  queryable: Queryable,
  key: ApiKey,
  { keyHash, request }: { keyHash: string; request: string | undefined },
): Promise<void> {
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
      replaces: key.replaces ?? null,
      mintRequest: request ?? null,
      outsideId: key.outsideId ?? null,
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

/** Locks a key that has not ended, until the transaction does. */
export async function lockKey(
  transaction: Queryable,
  tenantId: string,
  keyId: string,
  at: Temporal.Instant,
): Promise<ApiKey | undefined> {
  const row = await transaction
    .selectFrom("apiKey")
    .select(columns)
    .where("id", "=", keyId)
    .where("tenantId", "=", tenantId)
    .where("kind", "=", "key")
    .where("revokedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
  const key = row === undefined ? undefined : withoutNulls(row);
  const isOver = key?.expiresAt !== undefined && Temporal.Instant.compare(key.expiresAt, at) <= 0;
  return isOver ? undefined : key;
}

/** The key that an earlier sending of the same request has made. */
export async function findByRequest(
  transaction: Queryable,
  { tenantId, environment }: Pick<ApiKey, "tenantId" | "environment">,
  request: string,
): Promise<Pick<ApiKey, "id" | "lastUsedAt"> | undefined> {
  const row = await transaction
    .selectFrom("apiKey")
    .select(["id", "lastUsedAt"])
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("mintRequest", "=", request)
    .where("revokedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : withoutNulls(row);
}

export async function setExpiry(transaction: Queryable, { id, tenantId }: ApiKey, at: Temporal.Instant): Promise<void> {
  await transaction
    .updateTable("apiKey")
    .set({ expiresAt: at.toString() })
    .where("id", "=", id)
    .where("tenantId", "=", tenantId)
    .execute();
}

/** `revoked` now, `already` before, or `unknown` to this tenant. */
export async function markRevoked(
  queryable: Queryable,
  tenantId: string,
  keyId: string,
  at: Temporal.Instant,
): Promise<{ outcome: "revoked"; keyHash: string; environment: Environment } | { outcome: "already" | "unknown" }> {
  const row = await queryable
    .updateTable("apiKey")
    .set({ revokedAt: at.toString() })
    .where("id", "=", keyId)
    .where("tenantId", "=", tenantId)
    .where("revokedAt", "is", null)
    .returning(["keyHash", "environment"])
    .executeTakeFirst();
  if (row !== undefined) return { outcome: "revoked", ...row };
  const known = await queryable
    .selectFrom("apiKey")
    .select("id")
    .where("id", "=", keyId)
    .where("tenantId", "=", tenantId)
    .executeTakeFirst();
  return { outcome: known === undefined ? "unknown" : "already" };
}
