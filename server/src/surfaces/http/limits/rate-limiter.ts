import { Failure } from "../../../domain/errors.ts";
import type { Clock } from "../../../ports/clock.ts";

export interface RateLimiter {
  /** `weight`: as how many calls it counts; left out: one. What weighs more than all of a bucket takes all of it. */
  take(id: string, weight?: number): { allowed: boolean; retryAfterSeconds: number };
  /** Undoes a `take`: what was counted turned out not to be what the limit is for. */
  giveBack(id: string, weight?: number): void;
  /** What could be taken now. */
  left(id: string): number;
  size(): number;
}

interface Bucket {
  tokens: number;
  updatedMilliseconds: number;
}

/**
 * A token bucket for each id: `burst` calls at once, `ratePerSecond` in the long run. In memory, so each process counts for
 * itself. When there are too many ids, the one not seen for longest is forgotten.
 */
export function createRateLimiter(options: {
  ratePerSecond: number;
  burst: number;
  maxEntries: number;
  clock: Clock;
}): RateLimiter {
  const { ratePerSecond, burst, maxEntries, clock } = options;
  const buckets = new Map<string, Bucket>();

  function tokensOf(id: string, nowMilliseconds: number): number {
    const bucket = buckets.get(id) ?? { tokens: burst, updatedMilliseconds: nowMilliseconds };
    const elapsedSeconds = Math.max(0, nowMilliseconds - bucket.updatedMilliseconds) / 1000;
    return Math.min(burst, bucket.tokens + elapsedSeconds * ratePerSecond);
  }

  return {
    take(id, weight = 1) {
      const taken = Math.min(weight, burst);
      const nowMilliseconds = clock.now().epochMilliseconds;
      const tokens = tokensOf(id, nowMilliseconds);
      const allowed = tokens >= taken;
      // Written again at the end of the map, which is thereby ordered by last use.
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
    left: (id) => Math.floor(tokensOf(id, clock.now().epochMilliseconds)),
    size: () => buckets.size,
  };
}

/** Counts one against the limit. Throws `rate_limited` when there is no room for it. */
export function takeOrThrow(limiter: Pick<RateLimiter, "take">, id: string, what = "calls", weight = 1): void {
  const { allowed, retryAfterSeconds } = limiter.take(id, weight);
  if (allowed) return;
  throw new Failure("rate_limited", {
    detail: `Too many ${what}. Send again after ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}
