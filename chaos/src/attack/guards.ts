import type { Decorators } from "../../../server/src/decorate.ts";
import type { RateLimiter } from "../../../server/src/surfaces/http/rate-limiter.ts";
import { RefusalLimit } from "../../../server/src/surfaces/http/refusal-limit.ts";
import type { RequestLimits } from "../../../server/src/surfaces/http/request-limits.ts";

/** How the service is started without one of its guards. */
interface Guard {
  /** A guard that is a part is replaced at the start. */
  decorate?: Decorators;
  /** One that is a bound of a connection and no part: another text in its source as it is loaded. The product cannot be told to. */
  replace?: { readonly file: string; readonly from: string; readonly to: string };
  /** One that is Node's own. */
  nodeOption?: string;
}

const unlimited: RateLimiter = {
  take: () => ({ allowed: true, retryAfterSeconds: 0 }),
  giveBack: () => undefined,
  left: () => Number.MAX_SAFE_INTEGER,
  size: () => 0,
};

const withoutLimits = (limits: RequestLimits): RequestLimits => ({
  ...limits,
  perKey: unlimited,
  refused: new RefusalLimit(unlimited),
  publicRequests: unlimited,
  unpaid: unlimited,
  unsettledByPayer: unlimited,
  unsettledByAddress: unlimited,
});

const HTTP = "server/src/surfaces/http";

const guards = {
  "request-limits": { decorate: { requestLimits: withoutLimits } },
  "waiting-requests": {
    replace: {
      file: `${HTTP}/take-turns.ts`,
      from: "MAXIMUM_WAITING_REQUESTS = 128",
      to: "MAXIMUM_WAITING_REQUESTS = 1e9",
    },
  },
  "header-size": { nodeOption: "--max-http-header-size=1000000000" },
} as const satisfies Readonly<Record<string, Guard>>;

export type GuardName = keyof typeof guards;

const byName: Readonly<Record<string, Guard>> = guards;

export const guardNamed = (name: string): Guard => {
  const guard = byName[name];
  if (guard === undefined) throw new Error(`There is no guard ${name}.`);
  return guard;
};
