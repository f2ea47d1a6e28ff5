import type pg from "pg";
import { Failure, invalidInput } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import { defaultScopes, EVERYTHING, findUnknownScopes, knownScopes, personalScopes } from "../../domain/scopes.ts";
import type { OpenDatabase, Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ApiKey, Environment, Identity, Tenant } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { Vault } from "../../ports/vault.ts";
import type { PrincipalCache } from "./principal-cache.ts";
import { appendAudit } from "./store-audit.ts";
import { createAuthentication } from "./store-authentication.ts";
import { hashKey, insertKey, markRevoked, newKey, selectKeys } from "./store-keys.ts";
import { findPerson } from "./store-persons.ts";
import {
  insertTenant,
  lockTenant,
  newSigningSecret,
  replaceSigningSecret,
  selectTenant,
  selectTenants,
  takeSigningSecret,
  tenantNotFound,
  updateLinkOrigins,
  updateTenant,
} from "./store-tenants.ts";
import { isTenantUser } from "./store-users.ts";

const DEFAULT_MONTHLY_CAP_MICRO_USDC = 100_000_000n;
const LONGEST_NAME = 100;
const MOST_LINK_ORIGINS = 20;
const CONTROL_CHARACTER = /\p{Cc}/u;

export interface IdentityOptions {
  db: OpenDatabase["db"];
  pool: pg.Pool;
  /** For the connection that listens for changes. */
  databaseUrl: string;
  vault: Vault;
  clock: Clock;
  random?: RandomBytes;
  /** `sandbox`: every key resolves as a sandbox key. `production`: the demo tenant's keys are refused. */
  networkMode: Environment;
  log: Pick<Log, "warn">;
  /** Equips a new tenant, in the transaction that creates it. */
  onTenantCreated?: (transaction: Queryable, tenant: Tenant) => Promise<void>;
}

type MintInput = Parameters<Identity["mintKey"]>[0];

export interface StoredIdentity extends Identity {
  /** Resolves when answers may be cached; see Authentication. */
  ready(): Promise<void>;
  /** Stores now when keys were used. */
  flush(): Promise<void>;
  cachedKeys(): number;
}

/** The common parts of changes to tenants and keys. */
interface Parts extends Pick<IdentityOptions, "db" | "vault" | "clock" | "onTenantCreated"> {
  random: RandomBytes;
  /** Drops changed entries. */
  cache: PrincipalCache;
}

/** Identity over our own tables. */
export function createIdentity(options: IdentityOptions): StoredIdentity {
  const { db } = options;
  const authentication = createAuthentication(options);
  const { cache } = authentication;
  const parts: Parts = { ...options, random: options.random ?? systemRandom, cache };

  return {
    ready: authentication.ready,
    flush: authentication.flush,
    cachedKeys: () => cache.size(),
    authenticate: authentication.authenticate,
    findPrincipal: authentication.findPrincipal,
    toPrincipal: authentication.toPrincipal,
    isUser: (tenantId, userId, environment) =>
      isTenantUser(db, { tenantId, environment, networkMode: options.networkMode }, userId),
    listTenants: () => selectTenants(db),
    getTenant: (tenantId) => selectTenant(db, tenantId),
    listKeys: (tenantId) => selectKeys(db, tenantId),
    ...createTenantChanges(parts),
    ...createLinkOriginChanges(parts),
    ...createKeyChanges(parts),
    ...createSecretChanges(parts),
    close: authentication.close,
  };
}

function createTenantChanges(parts: Parts): Pick<Identity, "createTenant" | "setTenant"> {
  const { db, vault, clock, random, cache, onTenantCreated } = parts;

  return {
    async createTenant(input) {
      const now = floorToMilliseconds(clock.now());
      const tenant: Tenant = {
        id: newId("tenant_", now.epochMilliseconds, random),
        name: checkName(input.name, "name"),
        plan: input.plan ?? "free",
        monthlyCapMicroUsdc: checkCap(input.monthlyCapMicroUsdc ?? DEFAULT_MONTHLY_CAP_MICRO_USDC),
        isDemo: input.isDemo ?? false,
        isBeta: false,
        linkOrigins: [],
        createdAt: now,
      };
      return await db.transaction().execute(async (transaction) => {
        await insertTenant(transaction, tenant, { signingSecret: newSigningSecret(random), vault });
        const details = { name: tenant.name, plan: tenant.plan, capMicroUsdc: tenant.monthlyCapMicroUsdc.toString() };
        const audit = { tenantId: tenant.id, actor: input.actor, action: "tenant.create", subjectId: tenant.id };
        await appendAudit(transaction, { ...audit, details }, clock);
        const key: MintInput = { tenantId: tenant.id, environment: "sandbox", actor: input.actor };
        const minted = await mint(transaction, key, parts);
        await onTenantCreated?.(transaction, tenant);
        return { tenant, ...minted };
      });
    },

    async setTenant(tenantId, change, actor) {
      const checked = {
        ...(change.plan === undefined ? {} : { plan: change.plan }),
        ...(change.name === undefined ? {} : { name: checkName(change.name, "name") }),
        ...(change.monthlyCapMicroUsdc === undefined
          ? {}
          : { monthlyCapMicroUsdc: checkCap(change.monthlyCapMicroUsdc) }),
        ...(change.isBeta === undefined ? {} : { isBeta: change.isBeta }),
      };
      const tenant = await db.transaction().execute(async (transaction) => {
        const updated = await updateTenant(transaction, tenantId, checked);
        if (updated === undefined) return undefined;
        const details = { ...checked, monthlyCapMicroUsdc: checked.monthlyCapMicroUsdc?.toString() };
        await appendAudit(transaction, { tenantId, actor, action: "tenant.set", subjectId: tenantId, details }, clock);
        return updated;
      });
      cache.evictTenant(tenantId);
      return tenant;
    },
  };
}

function createLinkOriginChanges({ db, clock }: Parts): Pick<Identity, "changeLinkOrigins"> {
  return {
    async changeLinkOrigins(tenantId, { add, remove }, actor) {
      return await db.transaction().execute(async (transaction) => {
        const tenant = await lockTenant(transaction, tenantId);
        if (tenant === undefined) return undefined;
        const { linkOrigins: before } = tenant;
        if (remove !== undefined && !before.includes(remove)) {
          throw invalidInput([{ path: "remove", message: `${remove} is not among this tenant's link origins` }]);
        }
        const added = add === undefined ? before : [...new Set([...before, add])];
        const linkOrigins = added.filter((origin) => origin !== remove);
        if (linkOrigins.length > MOST_LINK_ORIGINS) {
          throw invalidInput([{ path: "add", message: `a tenant has at most ${MOST_LINK_ORIGINS} link origins` }]);
        }
        await updateLinkOrigins(transaction, tenantId, linkOrigins);
        const audit = { tenantId, actor, action: "tenant.link_origins", subjectId: tenantId };
        await appendAudit(transaction, { ...audit, details: { before, after: linkOrigins } }, clock);
        return { ...tenant, linkOrigins };
      });
    },
  };
}

function createKeyChanges(parts: Parts): Pick<Identity, "mintKey" | "revokeKey"> {
  const { db, clock, cache } = parts;

  return {
    async mintKey(input) {
      return await db.transaction().execute(async (transaction) => {
        if ((await selectTenant(transaction, input.tenantId)) === undefined) throw tenantNotFound();
        return await mint(transaction, input, parts);
      });
    },

    async revokeKey(tenantId, keyId, actor) {
      const result = await db.transaction().execute(async (transaction) => {
        const marked = await markRevoked(transaction, tenantId, keyId, clock.now());
        if (marked.outcome !== "revoked") return marked;
        await appendAudit(transaction, { tenantId, actor, action: "key.revoke", subjectId: keyId }, clock);
        return marked;
      });
      if (result.outcome === "revoked") cache.evictKey(result.keyHash);
      return result.outcome !== "unknown";
    },
  };
}

function createSecretChanges(parts: Parts): Pick<Identity, "revealSigningSecret" | "rotateSigningSecret"> {
  const { db, vault, clock, random, cache } = parts;

  return {
    async revealSigningSecret(tenantId, actor) {
      return await db.transaction().execute(async (transaction) => {
        const secret = await takeSigningSecret(transaction, tenantId, clock.now(), vault);
        if (secret !== undefined) {
          const audit = { tenantId, actor, action: "signing_secret.reveal", subjectId: tenantId };
          await appendAudit(transaction, audit, clock);
        } else if ((await selectTenant(transaction, tenantId)) === undefined) throw tenantNotFound();
        return secret;
      });
    },

    async rotateSigningSecret(tenantId, actor) {
      const signingSecret = newSigningSecret(random);
      await db.transaction().execute(async (transaction) => {
        await replaceSigningSecret(transaction, tenantId, { signingSecret, at: clock.now(), vault });
        const audit = { tenantId, actor, action: "signing_secret.rotate", subjectId: tenantId };
        await appendAudit(transaction, audit, clock);
      });
      cache.evictTenant(tenantId);
      return signingSecret;
    },
  };
}

async function mint(
  transaction: Queryable,
  input: MintInput,
  { clock, random }: Pick<Parts, "clock" | "random">,
): Promise<{ apiKey: string; key: ApiKey }> {
  const now = floorToMilliseconds(clock.now());
  const { apiKey, start } = newKey(random);
  const keyHash = hashKey(apiKey);
  if (keyHash === undefined) throw new Error("A new key does not have the form of a key.");
  const { personId, tenantId, environment } = input;
  await requirePerson(transaction, { tenantId, environment }, personId);
  const key: ApiKey = {
    id: newId("key_", now.epochMilliseconds, random),
    tenantId,
    personId,
    name: checkName(input.name ?? input.environment, "name"),
    start,
    scopes: checkScopes(input.scopes ?? defaultScopes(input.environment), personId),
    environment: input.environment,
    createdAt: now,
    expiresAt: checkExpiry(input.expiresAt === undefined ? undefined : floorToMilliseconds(input.expiresAt), now),
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  await insertKey(transaction, key, keyHash);
  await appendAudit(
    transaction,
    {
      tenantId: key.tenantId,
      actor: input.actor,
      action: "key.mint",
      subjectId: key.id,
      details: {
        environment: key.environment,
        personId: personId ?? null,
        scopes: key.scopes,
        expiresAt: key.expiresAt?.toString() ?? null,
      },
    },
    clock,
  );
  return { apiKey, key };
}

/** Rounds to the database's precision, so that a returned time equals the one read later. */
function floorToMilliseconds(instant: Temporal.Instant): Temporal.Instant {
  return instant.round({ smallestUnit: "millisecond", roundingMode: "floor" });
}

function checkName(name: string, path: string): string {
  const trimmed = name.trim();
  if (trimmed.length === 0 || trimmed.length > LONGEST_NAME || CONTROL_CHARACTER.test(trimmed)) {
    throw invalidInput([{ path, message: `must be 1 to ${LONGEST_NAME} characters on one line` }]);
  }
  return trimmed;
}

/** The largest amount that the column holds. */
const LARGEST_CAP = 2n ** 63n - 1n;

function checkCap(capMicroUsdc: bigint): bigint {
  if (capMicroUsdc >= 0n && capMicroUsdc <= LARGEST_CAP) return capMicroUsdc;
  throw invalidInput([{ path: "monthlyCapMicroUsdc", message: "must not be negative, or more than can be stored" }]);
}

async function requirePerson(
  transaction: Queryable,
  owner: { tenantId: string; environment: Environment },
  personId: string | undefined,
): Promise<void> {
  if (personId === undefined || (await findPerson(transaction, owner, personId)) !== undefined) return;
  throw invalidInput([{ path: "personId", message: "must be a person of this tenant in this environment" }]);
}

function checkScopes(scopes: readonly string[], personId: string | undefined): readonly string[] {
  const unknown = findUnknownScopes(scopes);
  const known = `Known scopes: ${knownScopes.join(", ")}`;
  if (unknown.length > 0) {
    const message = `unknown scope ${unknown.map((scope) => `"${scope}"`).join(", ")}. ${known}`;
    throw invalidInput([{ path: "scopes", message }]);
  }
  if (scopes.length === 0) throw invalidInput([{ path: "scopes", message: `must name at least one scope. ${known}` }]);
  const personal = personalScopes.filter((scope) => scopes.includes(scope));
  if (personal.length > 0 && personId === undefined) {
    const message = `${personal.join(", ")} can be held by a person's own key only; name the person`;
    throw invalidInput([{ path: "scopes", message }]);
  }
  return scopes.includes(EVERYTHING) ? [EVERYTHING, ...personal] : [...new Set(scopes)];
}

function checkExpiry(expiresAt: Temporal.Instant | undefined, now: Temporal.Instant): Temporal.Instant | undefined {
  if (expiresAt === undefined || Temporal.Instant.compare(expiresAt, now) > 0) return expiresAt;
  throw new Failure("invalid_input", {
    detail: "The key would have expired already.",
    issues: [{ path: "expiresAt", message: "must lie in the future" }],
  });
}
