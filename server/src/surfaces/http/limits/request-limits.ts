import type { Clock } from "../../../ports/clock.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";
import { RefusalLimit } from "./refusal-limit.ts";

declare module "../../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "surfaces.requestLimits": RequestLimits;
  }
}

/** How often somebody may ask, over all surfaces. Addresses are groups of them, see client-address.ts. */
export interface RequestLimits {
  readonly perKey: RateLimiter;
  /** Refused keys and refused payments, by address: both are somebody who tries what does not fit. */
  readonly refused: RefusalLimit;
  /** Every request of routes without a key whose `limitByAddress` is `requests`. */
  readonly publicRequests: RateLimiter;
  /** Pictures, by address. */
  readonly photos: RateLimiter;
  /** Answers that only say what a call costs, by address. */
  readonly unpaid: RateLimiter;
  /** Calls with a signed payment that bring no new money, such as those that fail, by who signed and by address. */
  readonly unsettledByPayer: RateLimiter;
  readonly unsettledByAddress: RateLimiter;
}

export interface RequestLimitSettings {
  rateLimitPerSecond: number;
  rateLimitBurst: number;
  refusedKeysPerMinute: number;
  claimsPerMinute: number;
  photosPerMinute: number;
  unpaidPerMinute: number;
  unsettledPerPayerMinute: number;
  unsettledPerAddressMinute: number;
}

const MOST_IDS = 100_000;

export function createRequestLimits(settings: RequestLimitSettings, clock: Clock): RequestLimits {
  const limiter = (ratePerSecond: number, burst: number) =>
    createRateLimiter({ ratePerSecond, burst, maxEntries: MOST_IDS, clock });
  const aMinute = (count: number) => limiter(count / 60, count);
  return {
    perKey: limiter(settings.rateLimitPerSecond, settings.rateLimitBurst),
    refused: new RefusalLimit(aMinute(settings.refusedKeysPerMinute)),
    publicRequests: aMinute(settings.claimsPerMinute),
    photos: aMinute(settings.photosPerMinute),
    unpaid: aMinute(settings.unpaidPerMinute),
    unsettledByPayer: aMinute(settings.unsettledPerPayerMinute),
    unsettledByAddress: aMinute(settings.unsettledPerAddressMinute),
  };
}
