import { defaultScopes, findUnknownScopes, personalScopes } from "../../../domain/scopes.ts";
import type { StoredKey } from "../../../ports/identity.ts";
import type { OutsideKey } from "../../../ports/outside-keys.ts";

/**
 * A key without scopes has those of a new key of its environment. What only a person's own key may have, and what is no scope here,
 * is left out.
 */
export function mapScopes({ scopes, environment }: Pick<OutsideKey, "scopes" | "environment">): readonly string[] {
  if (scopes.length === 0) return defaultScopes(environment);
  const unknown = findUnknownScopes(scopes);
  return scopes.filter((scope) => !unknown.includes(scope) && !personalScopes.includes(scope));
}

/** The key as both sides allow it. Undefined: one of them does not. */
export function joinKey(row: StoredKey, outside: OutsideKey | undefined): StoredKey | undefined {
  if (outside?.isLive !== true || outside.id !== row.outsideId) return undefined;
  if (outside.organizationId !== row.organizationId || outside.environment !== row.environment) return undefined;
  return { ...row, scopes: [...mapScopes(outside)], expiresAt: findEarlier(row.expiresAt, outside.expiresAt) };
}

function findEarlier(one: Temporal.Instant | null, other: Temporal.Instant | undefined): Temporal.Instant | null {
  if (one === null || other === undefined) return one ?? other ?? null;
  return Temporal.Instant.compare(one, other) < 0 ? one : other;
}
