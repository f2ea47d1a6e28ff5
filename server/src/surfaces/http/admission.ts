import { Failure, unauthorized } from "../../domain/errors.ts";
import type { Identity, InternalTokens, Principal } from "../../ports/identity.ts";
import { addressGroup } from "./limits/client-address.ts";
import { type RateLimiter, takeOrThrow } from "./limits/rate-limiter.ts";
import type { RefusalLimit } from "./limits/refusal-limit.ts";

/** The contents of an `Authorization` header. An unreadable header must not count as "no key given". */
type Bearer = { kind: "absent" } | { kind: "malformed" } | { kind: "token"; token: string };

/** RFC 6750, section 2.1; the scheme's name is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i;

export interface Admitted {
  principal: Principal;
  /** Reads the key from the database, past the cache. */
  confirm(): Promise<Principal | undefined>;
}

export interface Admission {
  /** Identifies the sender of this `Authorization` header. Throws `unauthorized` or `rate_limited`. */
  admit(authorization: string | undefined, remoteAddress: string): Promise<Admitted>;
  /** Undefined: it is not an internal token. Throws like `admit` for an invalid one. */
  admitInternal(authorization: string | undefined, remoteAddress: string): Promise<readonly Principal[] | undefined>;
}

const INTERNAL_TOKEN = /^itk_/;

export interface AdmissionOptions {
  identity: Pick<Identity, "authenticate">;
  internalTokens: InternalTokens;
  perKey: RateLimiter;
  /** Counts only refused keys, and is checked before an unknown key is looked up, so it does not slow keys known to be good. */
  refused: RefusalLimit;
}

export function createAdmission(options: AdmissionOptions): Admission {
  return {
    async admitInternal(authorization, remoteAddress) {
      const bearer = readBearer(authorization);
      if (bearer.kind !== "token" || !INTERNAL_TOKEN.test(bearer.token)) return undefined;
      const principals = await options.refused.judge(
        addressGroup(remoteAddress),
        () => options.internalTokens.authenticate(bearer.token),
        (found) => found.status === "fulfilled" && found.value === undefined,
      );
      if (principals === undefined) throw badInternalToken();
      return principals;
    },

    async admit(authorization, remoteAddress) {
      const bearer = readBearer(authorization);
      const address = addressGroup(remoteAddress);
      if (bearer.kind !== "token") throw refuse(options, address);
      const principal = await identify(options, bearer.token, address);
      takeOrThrow(options.perKey, principal.keyId);
      return { principal, confirm: () => options.identity.authenticate(bearer.token, { fresh: true }) };
    },
  };
}

function badInternalToken(): Failure {
  return new Failure("unauthorized", {
    detail:
      "The internal token is not valid: it was mistyped, rotated or revoked. Ask the operator for the current token; npm run token lists and issues them.",
  });
}

async function identify({ identity, refused }: AdmissionOptions, token: string, address: string): Promise<Principal> {
  let isCounted = false;
  const principal = await identity.authenticate(token, {
    fresh: false,
    async judge(lookUp) {
      isCounted = true;
      return await refused.judge(address, lookUp, (found) => found.status === "fulfilled" && found.value === undefined);
    },
  });
  if (principal !== undefined) return principal;
  throw isCounted ? unauthorized() : refuse({ refused }, address);
}

function refuse({ refused }: Pick<AdmissionOptions, "refused">, address: string): Error {
  refused.count(address);
  return unauthorized();
}

export function readBearer(header: string | null | undefined): Bearer {
  if (header === null || header === undefined) return { kind: "absent" };
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? { kind: "malformed" } : { kind: "token", token };
}
