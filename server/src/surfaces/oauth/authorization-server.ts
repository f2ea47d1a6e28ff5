import { createPrivateKey } from "node:crypto";
import Provider, { type Configuration, errors } from "oidc-provider";
import type { Clock } from "../../ports/clock.ts";
import type { ConnectedAgents } from "../../ports/connected-agents.ts";
import type { Log } from "../../ports/log.ts";
import type { Vault } from "../../ports/vault.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import type { RateLimiter } from "../http/limits/rate-limiter.ts";
import { tidyDocument } from "./client-metadata.ts";
import { CONSENT_PATH, OAUTH_PATHS } from "./paths.ts";
import { renderErrorPage } from "./render-error-page.ts";
import type { Resources } from "./resources.ts";
import { createAdapter } from "./row-adapter.ts";
import { agentScopes } from "./scopes.ts";

export interface AuthorizationServerOptions {
  agents: ConnectedAgents;
  resources: Resources;
  /** The endpoint of a client that names none. */
  defaultResource: string;
  issuer: string;
  vault: Pick<Vault, "deriveKey">;
  clock: Clock;
  log: Log;
  /** By address: a client that is an address costs a request to it. */
  publicRequests: RateLimiter;
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** A connection ends when its person said; its tokens live on until then. */
const LONGEST_SECONDS = 400 * DAY_SECONDS;
const OFFLINE = "offline_access";

/** OAuth 2.1 for MCP clients: codes with PKCE for public clients, and refresh tokens that rotate. */
export function createAuthorizationServer(options: AuthorizationServerOptions): Provider {
  const { agents, issuer, clock, log } = options;
  const provider = new Provider(issuer, {
    adapter: createAdapter(agents.rows, clock),
    ...describeClients(options),
    ...describeTokens(),
    ...describePages(options),
    jwks: { keys: [deriveSigningKey(options)] },
    enabledJWA: { idTokenSigningAlgValues: ["Ed25519"] },
    features: describeFeatures(options),
  });
  // The host and the protocol of a request are set by the routes, from the public address.
  provider.proxy = true;
  provider.on("server_error", (_context, error) => log.error({ err: error }, "the authorization server failed"));
  return provider;
}

function describeClients({ agents }: AuthorizationServerOptions): Configuration {
  return {
    clientAuthMethods: ["none"],
    clientDefaults: {
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      id_token_signed_response_alg: "Ed25519",
    },
    // The only requests that the library makes are for the metadata of clients.
    async fetch(url) {
      const bytes = await agents.fetchMetadata(url.toString());
      const sent: unknown = JSON.parse(new TextDecoder().decode(bytes));
      const isObject = typeof sent === "object" && sent !== null && !Array.isArray(sent);
      const body = JSON.stringify(isObject ? tidyDocument({ ...sent }) : null);
      return new Response(body, { headers: { "content-type": "application/json" } });
    },
    // Pages of other origins were refused before.
    clientBasedCORS: () => true,
  };
}

function describeTokens(): Configuration {
  return {
    responseTypes: ["code"],
    pkce: { required: () => true },
    // No token has the length of a key.
    formats: { bitsOfOpaqueRandomness: 288 },
    scopes: [OFFLINE, ...agentScopes],
    // Asked for in so many words or not: a client without one would send its person here every hour.
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: HOUR_SECONDS,
      AuthorizationCode: 120,
      RefreshToken: LONGEST_SECONDS,
      Grant: LONGEST_SECONDS,
      Interaction: HOUR_SECONDS / 2,
      Session: HOUR_SECONDS / 2,
    },
  };
}

function describePages({ issuer, vault }: AuthorizationServerOptions): Configuration {
  const port = new URL(issuer).port;
  const name = (what: string) => `wayfare_oauth_${what}${port === "" ? "" : `_${port}`}`;
  return {
    routes: OAUTH_PATHS,
    cookies: {
      keys: [vault.deriveKey("oauth-cookies")],
      names: { session: name("session"), interaction: name("interaction"), resume: name("resume") },
    },
    interactions: { url: (_context, { uid }) => `${CONSENT_PATH}/${uid}` },
    // Who acts is the key of the connection: each consent makes one.
    findAccount: async (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    // Nothing is allowed for good: each request asks the person, who sees what is asked for.
    async loadExistingGrant({ oidc }) {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
    },
    renderError: renderErrorPage,
  };
}

function describeFeatures(options: AuthorizationServerOptions): Configuration["features"] {
  const { resources, defaultResource, publicRequests } = options;
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    revocation: { enabled: true },
    registration: { enabled: true },
    clientIdMetadataDocument: {
      enabled: true,
      ack: "draft-02",
      allowFetch: async (context) => publicRequests.take(addressGroup(context.ip)).allowed,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => defaultResource,
      useGrantedResource: async () => true,
      async getResourceServerInfo(context, resource) {
        const { resource: asked } = context.oidc.params ?? {};
        const isAlone = !Array.isArray(asked) || asked.length === 1;
        if (!isAlone || !resources.isOwn(resource)) throw new errors.InvalidTarget();
        return { scope: agentScopes.join(" "), accessTokenFormat: "opaque", accessTokenTTL: HOUR_SECONDS };
      },
    },
  };
}

/** PKCS #8 of an Ed25519 key, up to its 32 bytes. */
const ED25519_PREFIX = "302e020100300506032b657004220420";

/** No token is signed today, but the library wants a key. It follows from the master key, so that processes share it. */
function deriveSigningKey({ vault }: AuthorizationServerOptions) {
  const der = Buffer.from(`${ED25519_PREFIX}${vault.deriveKey("oauth-signing")}`, "hex");
  const { kty, crv, x, d } = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({ format: "jwk" });
  return { kty, crv, x, d, alg: "Ed25519", use: "sig", kid: "1" } as const;
}
