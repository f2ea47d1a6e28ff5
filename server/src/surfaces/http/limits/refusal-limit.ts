import { Failure } from "../../../domain/errors.ts";
import { type RateLimiter, takeOrThrow } from "./rate-limiter.ts";

interface Judging {
  count: number;
  waiting: number;
  /** Resolves when one of them has ended. */
  ended: PromiseWithResolvers<void>;
}

/**
 * Limits refusals per id, checked before their cost: work that may be refused runs only while there is room for its refusal. At
 * most as many run at once as may still be refused; the others wait, so that accepted work never counts.
 */
export class RefusalLimit {
  readonly #limiter: RateLimiter;
  readonly #judging = new Map<string, Judging>();

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Counts a refusal without cost. Throws `rate_limited` after too many. */
  count(id: string, what?: string): void {
    takeOrThrow(this.#limiter, id, what);
  }

  /** Throws `rate_limited` after too many refusals; counts nothing. */
  requireRoom(id: string): void {
    if (this.#limiter.left(id) > 0) return;
    // Fails, to obtain the waiting time.
    takeOrThrow(this.#limiter, id);
    // Room became free just now.
    this.#limiter.giveBack(id);
  }

  /**
   * Runs `work` and counts its refusal. Throws `rate_limited` without running it after too many refusals, or while
   * `mostWaiting` others wait.
   */
  async judge<Result>(
    id: string,
    work: () => Promise<Result>,
    isRefused: (outcome: PromiseSettledResult<Result>) => boolean,
    mostWaiting = Number.POSITIVE_INFINITY,
  ): Promise<Result> {
    const judging = await this.#enter(id, mostWaiting);
    const [outcome] = await Promise.allSettled([work()]);
    if (isRefused(outcome)) this.#limiter.take(id);
    this.#leave(id, judging);
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  }

  async #enter(id: string, mostWaiting: number): Promise<Judging> {
    for (;;) {
      const judging = this.#judging.get(id) ?? { count: 0, waiting: 0, ended: Promise.withResolvers<void>() };
      const left = this.#limiter.left(id);
      if (left > judging.count) {
        judging.count += 1;
        this.#judging.set(id, judging);
        return judging;
      }
      if (left === 0) {
        this.requireRoom(id);
        // None is running whose end could be awaited.
        continue;
      }
      if (judging.waiting >= mostWaiting) throw tooManyWaiting();
      judging.waiting += 1;
      await judging.ended.promise;
      judging.waiting -= 1;
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

const RETRY_AFTER_SECONDS = 1;

function tooManyWaiting(): Failure {
  return new Failure("rate_limited", {
    detail: `Too many requests from this address are being checked. Send again after ${RETRY_AFTER_SECONDS} s.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
