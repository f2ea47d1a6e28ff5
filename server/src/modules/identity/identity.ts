import type pg from "pg";
import { invalidInput } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import type { OpenDatabase, Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment, Identity, Tenant } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { OutsideKeys } from "../../ports/outside-keys.ts";
import type { Vault } from "../../ports/vault.ts";
import { checkName, checkOrganization, floorToMilliseconds } from "./check-input.ts";
import { createKeyChanges, mint } from "./key-changes.ts";
import { listKeys } from "./outside/list-keys.ts";
import { OutsideProof } from "./outside/outside-proof.ts";
import type { PrincipalCache } from "./principal-cache.ts";
import { appendAudit } from "./store-audit.ts";
import { createAuthentication } from "./store-authentication.ts";
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
const MOST_LINK_ORIGINS = 20;

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
  /** Undefined: this service issues all keys itself. */
  outsideKeys?: OutsideKeys | undefined;
  /** Equips a new tenant, in the transaction that creates it. */
  onTenantCreated?: (transaction: Queryable, tenant: Tenant) => Promise<void>;
}

export interface StoredIdentity extends Identity {
  /** Resolves when answers may be cached; see Authentication. */
  ready(): Promise<void>;
  /** Stores now when keys were used. */
  flush(): Promise<void>;
  cachedKeys(): number;
}

/** The common parts of changes to tenants and keys. */
interface Parts extends Pick<IdentityOptions, "db" | "vault" | "clock" | "log" | "onTenantCreated"> {
  random: RandomBytes;
  outsideKeys: OutsideKeys | undefined;
  /** Drops changed entries. */
  cache: PrincipalCache;
}

/** Identity over our own tables. */
export function createIdentity(options: IdentityOptions): StoredIdentity {
  const { db, random = systemRandom, outsideKeys } = options;
  const common = { ...options, random, outsideKeys };
  const authentication = createAuthentication({ ...options, outside: new OutsideProof(common) });
  const { cache } = authentication;
  const parts: Parts = { ...common, cache };

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
    listKeys: (tenantId) => listKeys(tenantId, parts),
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
        organizationId: null,
        linkOrigins: [],
        createdAt: now,
      };
      return await db.transaction().execute(async (transaction) => {
        await insertTenant(transaction, tenant, { signingSecret: newSigningSecret(random), vault });
        const details = { name: tenant.name, plan: tenant.plan, capMicroUsdc: tenant.monthlyCapMicroUsdc.toString() };
        const audit = { environment: null, actor: input.actor, action: "tenant.create", subjectId: tenant.id, details };
        await appendAudit(transaction, { ...audit, tenantId: tenant.id }, clock);
        if (input.operator !== undefined) await appendAudit(transaction, { ...audit, ...input.operator }, clock);
        const key = { tenantId: tenant.id, environment: "sandbox", actor: input.actor } as const;
        const minted = await mint(transaction, key, parts);
        await onTenantCreated?.(transaction, tenant);
        return { tenant, ...minted };
      });
    },

    async setTenant(tenantId, change, actor, operator) {
      const checked = {
        ...(change.plan === undefined ? {} : { plan: change.plan }),
        ...(change.name === undefined ? {} : { name: checkName(change.name, "name") }),
        ...(change.monthlyCapMicroUsdc === undefined
          ? {}
          : { monthlyCapMicroUsdc: checkCap(change.monthlyCapMicroUsdc) }),
        ...(change.isBeta === undefined ? {} : { isBeta: change.isBeta }),
        ...(change.organizationId === undefined ? {} : { organizationId: checkOrganization(change.organizationId) }),
      };
      const tenant = await db.transaction().execute(async (transaction) => {
        const updated = await updateTenant(transaction, tenantId, checked);
        if (updated === undefined) return undefined;
        const details = { ...checked, monthlyCapMicroUsdc: checked.monthlyCapMicroUsdc?.toString() };
        const audit = { tenantId, environment: null, actor, action: "tenant.set", subjectId: tenantId, details };
        await appendAudit(transaction, audit, clock);
        if (operator !== undefined) await appendAudit(transaction, { ...audit, ...operator }, clock);
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
        const audit = { tenantId, environment: null, actor, action: "tenant.link_origins", subjectId: tenantId };
        await appendAudit(transaction, { ...audit, details: { before, after: linkOrigins } }, clock);
        return { ...tenant, linkOrigins };
      });
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
          const audit = { tenantId, environment: null, actor, action: "signing_secret.reveal", subjectId: tenantId };
          await appendAudit(transaction, audit, clock);
        } else if ((await selectTenant(transaction, tenantId)) === undefined) throw tenantNotFound();
        return secret;
      });
    },

    async rotateSigningSecret(tenantId, actor) {
      const signingSecret = newSigningSecret(random);
      await db.transaction().execute(async (transaction) => {
        await replaceSigningSecret(transaction, tenantId, { signingSecret, at: clock.now(), vault });
        const audit = { tenantId, environment: null, actor, action: "signing_secret.rotate", subjectId: tenantId };
        await appendAudit(transaction, audit, clock);
      });
      cache.evictTenant(tenantId);
      return signingSecret;
    },
  };
}

/** The largest amount that the column holds. */
const LARGEST_CAP = 2n ** 63n - 1n;

function checkCap(capMicroUsdc: bigint): bigint {
  if (capMicroUsdc >= 0n && capMicroUsdc <= LARGEST_CAP) return capMicroUsdc;
  throw invalidInput([{ path: "monthlyCapMicroUsdc", message: "must not be negative, or more than can be stored" }]);
}
