import type { Clock } from "../../../ports/clock.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";
import { RefusalLimit } from "./refusal-limit.ts";

declare module "../../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "surfaces.requestLimits": RequestLimits;
  }
}

/** Request limits over all surfaces. Addresses are grouped, see client-address.ts. */
export interface RequestLimits {
  readonly perKey: RateLimiter;
  /** Refused keys and refused payments, by address: both are attempts to guess. */
  readonly refused: RefusalLimit;
  /** Every request of routes without a key whose `limitByAddress` is `requests`. */
  readonly publicRequests: RateLimiter;
  /** Pictures, by address. */
  readonly photos: RateLimiter;
  /** Answers that only state a call's price, by address. */
  readonly unpaid: RateLimiter;
  /** Calls with a signed payment that does not settle, such as failed calls, by signer and by address. */
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
