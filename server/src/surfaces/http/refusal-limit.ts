import { type RateLimiter, takeOrThrow } from "./rate-limiter.ts";

interface Judging {
  count: number;
  /** Resolves when one of them has ended. */
  ended: PromiseWithResolvers<void>;
}

/**
 * Limits how often somebody is refused, and asks before the cost: what may turn out to be refused runs only while there is room for
 * its refusal. As many are judged at once as may still be refused; the others wait, so that what is good is never counted.
 */
export class RefusalLimit {
  readonly #limiter: RateLimiter;
  readonly #judging = new Map<string, Judging>();

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** A refusal that cost nothing. Throws `rate_limited` when there were too many. */
  count(id: string, what?: string): void {
    takeOrThrow(this.#limiter, id, what);
  }

  /** Runs `work` and counts it when it was refused. Throws `rate_limited`, and runs nothing, after too many refusals. */
  async judge<Result>(
    id: string,
    work: () => Promise<Result>,
    isRefused: (outcome: PromiseSettledResult<Result>) => boolean,
  ): Promise<Result> {
    const judging = await this.#enter(id);
    const [outcome] = await Promise.allSettled([work()]);
    if (isRefused(outcome)) this.#limiter.take(id);
    this.#leave(id, judging);
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  }

  async #enter(id: string): Promise<Judging> {
    for (;;) {
      const judging = this.#judging.get(id) ?? { count: 0, ended: Promise.withResolvers<void>() };
      const left = this.#limiter.left(id);
      if (left > judging.count) {
        judging.count += 1;
        this.#judging.set(id, judging);
        return judging;
      }
      if (left === 0) {
        // Taken in vain, for the time to wait.
        takeOrThrow(this.#limiter, id);
        // There was room again from this very moment on: nobody who could end is waited for.
        this.#limiter.giveBack(id);
        continue;
      }
      await judging.ended.promise;
    }
  }

  #leave(id: string, judging: Judging): void {
    const { ended } = judging;
    judging.count -= 1;
    judging.ended = Promise.withResolvers<void>();
    if (judging.count === 0) this.#judging.delete(id);
    ended.resolve();
  }
}
