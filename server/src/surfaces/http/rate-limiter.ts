import type { Clock } from "../../ports/clock.ts";

export interface RateLimiter {
  take(id: string): { allowed: boolean; retryAfterSeconds: number };
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

  return {
    take(id) {
      const nowMilliseconds = clock.now().epochMilliseconds;
      const bucket = buckets.get(id) ?? { tokens: burst, updatedMilliseconds: nowMilliseconds };
      const elapsedSeconds = Math.max(0, nowMilliseconds - bucket.updatedMilliseconds) / 1000;
      const tokens = Math.min(burst, bucket.tokens + elapsedSeconds * ratePerSecond);
      const allowed = tokens >= 1;
      // Written again at the end of the map, which is thereby ordered by last use.
      buckets.delete(id);
      buckets.set(id, { tokens: allowed ? tokens - 1 : tokens, updatedMilliseconds: nowMilliseconds });
      const [oldest] = buckets.keys();
      if (buckets.size > maxEntries && oldest !== undefined) buckets.delete(oldest);
      return { allowed, retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / ratePerSecond)) };
    },
    size: () => buckets.size,
  };
}
