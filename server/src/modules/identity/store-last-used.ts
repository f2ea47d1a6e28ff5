import type pg from "pg";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

const FLUSH_INTERVAL_MILLISECONDS = 30_000;

export interface LastUsed {
  touch(keyId: string): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Collects when keys were used and writes that now and then: one write per call would queue all calls of a key on one row. */
export function createLastUsed(options: { pool: pg.Pool; clock: Clock; log: Pick<Log, "warn"> }): LastUsed {
  const { pool, clock, log } = options;
  let pending = new Map<string, Temporal.Instant>();

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    // In one order everywhere: two processes that lock the same rows in different orders deadlock.
    const entries = [...batch].toSorted(([left], [right]) => (left < right ? -1 : 1));
    try {
      await pool.query(
        `with used as (
           select api_key.id, given.at from unnest($1::text[], $2::timestamptz[]) as given (id, at)
           join api_key on api_key.id = given.id order by api_key.id for update of api_key
         )
         update api_key set last_used_at = greatest(last_used_at, used.at) from used where api_key.id = used.id`,
        [entries.map(([keyId]) => keyId), entries.map(([, at]) => at.toString())],
      );
    } catch (error) {
      log.warn({ err: error, keys: batch.size }, "the time of use of some keys was not written yet");
      for (const [keyId, at] of batch) if (!pending.has(keyId)) pending.set(keyId, at);
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_INTERVAL_MILLISECONDS);
  timer.unref();
  return {
    touch: (keyId) => void pending.set(keyId, clock.now()),
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
