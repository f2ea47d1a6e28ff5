import { z } from "zod";
import type { OutsideKey, OutsideKeys } from "../../ports/outside-keys.ts";
import { ClerkClient, type ClerkOptions, wasNotSent } from "./clerk-client.ts";

/** Members of the claims that are ours. Only a backend with the secret key can write them. */
const Claims = z.looseObject({
  wayfare_key: z.string().optional(),
  wayfare_environment: z.enum(["sandbox", "production"]).optional(),
});

const ClerkKey = z.object({
  object: z.literal("api_key"),
  id: z.string().regex(/^ak_[0-9A-Fa-f]{32}$/),
  subject: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  claims: Claims.nullish().catch(undefined),
  revoked: z.boolean(),
  expired: z.boolean(),
  /** In milliseconds. */
  expiration: z.number().int().nullable(),
});
const NewClerkKey = ClerkKey.extend({ secret: z.string().min(1) });
const ClerkKeys = z.object({ data: z.array(ClerkKey), total_count: z.number().int().optional() });

const ORGANIZATION = /^org_\w{27}$/;
/** The described form has a prefix and no length. */
const SECRET = /^ak_[0-9A-Za-z_-]{16,200}$/;
const PAGE = 100;
const MOST_PAGES = 10;
const SHORTEST_NAME = 3;
const REASON = "Revoked in Wayfare";

/** Clerk's API keys, whose subject is an organization: `POST /api_keys`, `/api_keys/verify` and `/api_keys/{id}/revoke`. */
export function createClerkKeys(options: ClerkOptions): OutsideKeys {
  const clerk = new ClerkClient(options);

  return {
    couldBe: (secret) => SECRET.test(secret),

    async verify(secret) {
      const json = { secret };
      // A secret of another form is answered with 400, an unknown one with 404.
      const key = await clerk.ask({ method: "POST", path: "/api_keys/verify", json }, ClerkKey, [400, 404]);
      return key === undefined ? undefined : toOutsideKey(key);
    },

    async find(id) {
      const key = await clerk.ask({ method: "GET", path: `/api_keys/${encodeURIComponent(id)}` }, ClerkKey, [404]);
      return key === undefined ? undefined : toOutsideKey(key);
    },

    async create({ organizationId, name, scopes, environment, keyId, lifeSeconds }) {
      try {
        const json = {
          name: name.length < SHORTEST_NAME ? `key ${name}` : name,
          subject: organizationId,
          scopes,
          claims: { wayfare_key: keyId, wayfare_environment: environment },
          ...(lifeSeconds === undefined ? {} : { seconds_until_expiration: lifeSeconds }),
        };
        const made = await clerk.ask({ method: "POST", path: "/api_keys", json }, NewClerkKey, [400, 409, 422]);
        return made ?? { notMade: new Error("the identity provider refused to make the key") };
      } catch (error) {
        if (wasNotSent(error)) return { notMade: error instanceof Error ? error : new Error(String(error)) };
        throw error;
      }
    },

    async list(organizationId) {
      const all: OutsideKey[] = [];
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = new URLSearchParams({
          subject: organizationId,
          include_invalid: "true",
          limit: String(PAGE),
          offset: String(page * PAGE),
        });
        const { data = [] } = (await clerk.ask({ method: "GET", path: `/api_keys?${query}` }, ClerkKeys, [404])) ?? {};
        all.push(...data.map(toOutsideKey).filter((key) => key !== undefined));
        if (data.length < PAGE) break;
      }
      return all;
    },

    async revoke(id) {
      const path = `/api_keys/${encodeURIComponent(id)}/revoke`;
      await clerk.ask({ method: "POST", path, json: { revocation_reason: REASON } }, ClerkKey, [404]);
    },
  };
}

/** Undefined: it is of a user or a machine, which are no tenants here. */
function toOutsideKey(key: z.output<typeof ClerkKey>): OutsideKey | undefined {
  if (!ORGANIZATION.test(key.subject)) return undefined;
  return {
    id: key.id,
    organizationId: key.subject,
    name: key.name,
    scopes: key.scopes,
    environment: key.claims?.wayfare_environment ?? "sandbox",
    keyId: key.claims?.wayfare_key,
    expiresAt: key.expiration === null ? undefined : Temporal.Instant.fromEpochMilliseconds(key.expiration),
    isLive: !key.revoked && !key.expired,
  };
}
