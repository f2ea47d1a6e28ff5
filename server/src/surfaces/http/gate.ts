import { Failure, unauthorized } from "../../domain/errors.ts";
import type { Identity, Principal } from "../../ports/identity.ts";
import { readBearer } from "./bearer.ts";
import { addressGroup } from "./client-address.ts";
import type { RateLimiter } from "./rate-limiter.ts";

export interface Admitted {
  principal: Principal;
  /** Reads the key from the database, past the cache. */
  confirm(): Promise<Principal | undefined>;
}

export interface Gate {
  /** Who sends this `Authorization` header. Throws `unauthorized` or `rate_limited`. */
  admit(authorization: string | undefined, remoteAddress: string): Promise<Admitted>;
}

export function createGate(options: {
  identity: Pick<Identity, "authenticate">;
  perKey: RateLimiter;
  /** Counts only refused keys, so that an address with valid keys is never held up by it. */
  perAddress: RateLimiter;
}): Gate {
  const { identity, perKey, perAddress } = options;

  function refuse(remoteAddress: string): Failure {
    const { allowed, retryAfterSeconds } = perAddress.take(addressGroup(remoteAddress));
    return allowed ? unauthorized() : rateLimited(retryAfterSeconds);
  }

  return {
    async admit(authorization, remoteAddress) {
      const bearer = readBearer(authorization);
      if (bearer.kind !== "token") throw refuse(remoteAddress);
      const { token } = bearer;
      const principal = await identity.authenticate(token, { fresh: false });
      if (principal === undefined) throw refuse(remoteAddress);
      const { allowed, retryAfterSeconds } = perKey.take(principal.keyId);
      if (!allowed) throw rateLimited(retryAfterSeconds);
      return { principal, confirm: () => identity.authenticate(token, { fresh: true }) };
    },
  };
}

function rateLimited(retryAfterSeconds: number): Failure {
  return new Failure("rate_limited", {
    detail: `Too many calls. Send again after ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}
