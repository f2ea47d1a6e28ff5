import { setTimeout as delay } from "node:timers/promises";
import { ProviderFailure } from "./provider.ts";

export interface RateLimiterOptions {
  millisecondsBetween: number;
  /** A request that would wait longer is refused at once: another provider's answer is better than a late one. */
  longestWaitMilliseconds: number;
  now?: () => number;
  pause?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Admits one request per interval, in the order of arrival. */
export class RateLimiter {
  readonly #options: Required<RateLimiterOptions>;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimiterOptions) {
    const pause = (milliseconds: number, signal: AbortSignal | undefined) => delay(milliseconds, undefined, { signal });
    this.#options = { now: () => performance.now(), pause, ...options };
  }

  async wait(signal?: AbortSignal): Promise<void> {
    const { millisecondsBetween, longestWaitMilliseconds, now, pause } = this.#options;
    const at = Math.max(now(), this.#nextAt);
    const waitMilliseconds = at - now();
    if (waitMilliseconds > longestWaitMilliseconds) throw new ProviderFailure("rate_limited");
    this.#nextAt = at + millisecondsBetween;
    if (waitMilliseconds > 0) await pause(waitMilliseconds, signal);
  }
}
