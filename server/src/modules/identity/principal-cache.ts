import type { Clock } from "../../ports/clock.ts";
import type { Principal } from "../../ports/identity.ts";

export interface PrincipalCache {
  /** `"unknown"`: the database recently did not know the key. Undefined: ask the database. */
  get(keyHash: string): Principal | "unknown" | undefined;
  /**
   * Taken before the database is asked and passed to `put`, which drops an answer that a change may have overtaken. `asked`: an
   * answer is as old as its question.
   */
  generation(): number;
  put(keyHash: string, principal: Principal | undefined, generation: number, asked?: Temporal.Instant): void;
  evictKey(keyHash: string): void;
  evictTenant(tenantId: string): void;
  /** Off: drops everything and caches nothing, because changes would not be notified. */
  setEnabled(enabled: boolean): void;
  size(): number;
}

interface Entry<Value> {
  value: Value;
  untilMilliseconds: number;
}

/**
 * Caches the principals of keys for a short time. Both halves are bounded; a flood of unknown keys cannot displace known ones.
 */
export function createPrincipalCache(options: {
  clock: Clock;
  timeToLiveMilliseconds?: number;
  unknownTimeToLiveMilliseconds?: number;
  maxEntries?: number;
}): PrincipalCache {
  const {
    clock,
    timeToLiveMilliseconds = 15_000,
    unknownTimeToLiveMilliseconds = 1_000,
    maxEntries = 10_000,
  } = options;
  const known = new Map<string, Entry<Principal>>();
  const unknown = new Map<string, Entry<"unknown">>();
  let generation = 0;
  let enabled = false;

  function read<Value>(entries: Map<string, Entry<Value>>, keyHash: string): Value | undefined {
    const entry = entries.get(keyHash);
    if (entry === undefined) return undefined;
    if (clock.now().epochMilliseconds < entry.untilMilliseconds) return entry.value;
    entries.delete(keyHash);
    return undefined;
  }

  function write<Value>(
    entries: Map<string, Entry<Value>>,
    keyHash: string,
    value: Value,
    endsMilliseconds: number,
  ): void {
    entries.delete(keyHash);
    entries.set(keyHash, { value, untilMilliseconds: endsMilliseconds });
    // Entries live equally long, so the first one written expires first.
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
  }

  return {
    get: (keyHash) => read(known, keyHash) ?? read(unknown, keyHash),
    generation: () => generation,
    put(keyHash, principal, before, asked = clock.now()) {
      if (!enabled || before !== generation) return;
      const now = asked.epochMilliseconds;
      if (principal === undefined) {
        known.delete(keyHash);
        write(unknown, keyHash, "unknown", now + unknownTimeToLiveMilliseconds);
      } else {
        unknown.delete(keyHash);
        write(known, keyHash, principal, now + timeToLiveMilliseconds);
      }
    },
    evictKey(keyHash) {
      generation += 1;
      known.delete(keyHash);
      unknown.delete(keyHash);
    },
    evictTenant(tenantId) {
      generation += 1;
      for (const [keyHash, entry] of known) if (entry.value.tenantId === tenantId) known.delete(keyHash);
    },
    setEnabled(on) {
      generation += 1;
      enabled = on;
      known.clear();
      unknown.clear();
    },
    size: () => known.size + unknown.size,
  };
}
