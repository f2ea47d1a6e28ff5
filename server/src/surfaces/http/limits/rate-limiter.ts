import { Failure } from "../../../domain/errors.ts";
import type { Clock } from "../../../ports/clock.ts";

export interface RateLimiter {
  /** `weight`: the number of calls it counts as (default: 1). A weight above the bucket's size takes the whole bucket. */
  take(id: string, weight?: number): { allowed: boolean; retryAfterSeconds: number };
  /** Undoes a `take` that turned out not to fall under the limit. */
  giveBack(id: string, weight?: number): void;
  /** The number that could be taken now. */
  left(id: string): number;
  size(): number;
}

interface Bucket {
  tokens: number;
  updatedMilliseconds: number;
}

/**
 * A token bucket per id: `burst` calls at once, `ratePerSecond` in the long run. In memory, so each process counts separately.
 * When there are too many ids, the least recently used is dropped.
 */
export function createRateLimiter(options: {
  ratePerSecond: number;
  burst: number;
  maxEntries: number;
  clock: Clock;
}): RateLimiter {
  const { ratePerSecond, burst, maxEntries, clock } = options;
  const buckets = new Map<string, Bucket>();

  function countTokens(id: string, nowMilliseconds: number): number {
    const bucket = buckets.get(id) ?? { tokens: burst, updatedMilliseconds: nowMilliseconds };
    const elapsedSeconds = Math.max(0, nowMilliseconds - bucket.updatedMilliseconds) / 1000;
    return Math.min(burst, bucket.tokens + elapsedSeconds * ratePerSecond);
  }

  return {
    take(id, weight = 1) {
      const taken = Math.min(weight, burst);
      const nowMilliseconds = clock.now().epochMilliseconds;
      const tokens = countTokens(id, nowMilliseconds);
      const allowed = tokens >= taken;
      // Reinserted at the end of the map, which keeps it ordered by last use.
      buckets.delete(id);
      buckets.set(id, { tokens: allowed ? tokens - taken : tokens, updatedMilliseconds: nowMilliseconds });
      const [oldest] = buckets.keys();
      if (buckets.size > maxEntries && oldest !== undefined) buckets.delete(oldest);
      return { allowed, retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((taken - tokens) / ratePerSecond)) };
    },
    giveBack(id, weight = 1) {
      const bucket = buckets.get(id);
      if (bucket !== undefined) bucket.tokens = Math.min(burst, bucket.tokens + weight);
    },
    left: (id) => Math.floor(countTokens(id, clock.now().epochMilliseconds)),
    size: () => buckets.size,
  };
}

/** Counts against the limit. Throws `rate_limited` if it is reached. */
export function takeOrThrow(limiter: Pick<RateLimiter, "take">, id: string, what = "calls", weight = 1): void {
  const { allowed, retryAfterSeconds } = limiter.take(id, weight);
  if (allowed) return;
  throw new Failure("rate_limited", {
    detail: `Too many ${what}. Send again after ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}
