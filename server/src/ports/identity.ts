import type { Micro } from "../domain/money.ts";

export type PricePlan = "free" | "pro" | "enterprise";
export type Environment = "sandbox" | "production";

/** Discount on list prices, in percent. */
export const discountPercentByPlan: Readonly<Record<PricePlan, number>> = { free: 0, pro: 30, enterprise: 50 };

/** The caller as proved by an API key. Cached for up to 15 s: none of it may be a permission to spend by itself. */
export interface Principal {
  keyId: string;
  tenantId: string;
  /** `svc:<keyId>`. */
  serviceAccountId: string;
  /** The user whose own key it is. Undefined: it is an agent's. */
  personId?: string | undefined;
  /** `*` or `<area>:<effect>`. */
  scopes: readonly string[];
  environment: Environment;
  plan: PricePlan;
  /** Signs the responses to this tenant (`x-service-sig`). */
  signingSecret: string;
  expiresAt: Temporal.Instant | undefined;
  /** The profile that the service account acts for if it has none (the demo tenant's `user_demo`). */
  defaultTravelerId: string | undefined;
  /** True: an internal token of one of the operator's systems, rather than a tenant's key. */
  isInternal?: true;
  /** True: a person's session whose sign-in is not recent, which may not spend or change rules before they sign in again. */
  signInAgain?: true;
}

/** A key that is not revoked, with what its principal needs of its tenant. Read anew for each use. */
export interface StoredKey {
  keyHash: string;
  id: string;
  tenantId: string;
  personId: string | null;
  scopes: string[];
  environment: Environment;
  expiresAt: Temporal.Instant | null;
  plan: PricePlan;
  isDemo: boolean;
  isBeta: boolean;
  signingSecret: string;
  /** Its id at the outside identity provider, which has to confirm it. */
  outsideId: string | null;
  /** The organization of its tenant there. */
  organizationId: string | null;
}

export interface Tenant {
  id: string;
  name: string;
  plan: PricePlan;
  monthlyCapMicroUsdc: Micro;
  isDemo: boolean;
  /** On the beta network: all of its keys work in the sandbox, including production ones. */
  isBeta: boolean;
  /** Its organization at the outside identity provider, which issues its keys. */
  organizationId: string | null;
  /** Allowed origins of its guest links in addition to those of the deployment. */
  linkOrigins: readonly string[];
  createdAt: Temporal.Instant;
}

export interface ApiKey {
  id: string;
  tenantId: string;
  /** The person whose own key it is. Undefined: it is an agent's. */
  personId: string | undefined;
  name: string;
  /** The first characters, for recognition; the key itself is never stored. */
  start: string;
  scopes: readonly string[];
  environment: Environment;
  createdAt: Temporal.Instant;
  expiresAt: Temporal.Instant | undefined;
  revokedAt: Temporal.Instant | undefined;
  lastUsedAt: Temporal.Instant | undefined;
  /** The key that it was made in place of. */
  replaces: string | undefined;
  /** Its id at the outside identity provider, which has issued it. */
  outsideId: string | undefined;
}

/** A member of the tenant that operates the deployment, for that tenant's audit log. */
interface OperatingMember {
  tenantId: string;
  environment: Environment;
  actor: string;
}

/** Tenants, users and keys. They are in our own tables; an outside identity provider can issue and confirm keys. */
export interface Identity {
  /**
   * Undefined: unknown, revoked or expired. `fresh` reads the database, as every call that writes or spends must. `judge` gets
   * the look-up of a key that is not known to be good, and decides whether to make it.
   */
  authenticate(
    key: string,
    options: {
      fresh: boolean;
      judge?: (lookUp: () => Promise<Principal | undefined>) => Promise<Principal | undefined>;
    },
  ): Promise<Principal | undefined>;
  /**
   * The principal of this key; undefined and `fresh` as above. For work that continues after its caller is gone.
   */
  findPrincipal(keyId: string, options: { fresh: boolean }): Promise<Principal | undefined>;
  /** The same for a key that a statement has just read. Asks the outside identity provider if the key is of there. */
  toPrincipal(key: StoredKey): Promise<Principal | undefined>;
  isUser(tenantId: string, userId: string, environment: Environment): Promise<boolean>;
  /** Creates the tenant with its sandbox key, which is returned only here and stored as a hash. */
  createTenant(input: {
    name: string;
    plan?: PricePlan;
    monthlyCapMicroUsdc?: Micro;
    isDemo?: boolean;
    actor: string;
    operator?: OperatingMember;
  }): Promise<{ tenant: Tenant; apiKey: string; key: ApiKey }>;
  listTenants(): Promise<readonly Tenant[]>;
  getTenant(tenantId: string): Promise<Tenant | undefined>;
  setTenant(
    tenantId: string,
    change: {
      plan?: PricePlan;
      monthlyCapMicroUsdc?: Micro;
      name?: string;
      isBeta?: boolean;
      /** Null: none any more. Fails with `conflict` if it is another tenant's. */
      organizationId?: string | null;
    },
    actor: string,
    operator?: OperatingMember,
  ): Promise<Tenant | undefined>;
  /** Undefined: no such tenant. Fails with `invalid_input` if a removed origin is not there, or there would be too many. */
  changeLinkOrigins(
    tenantId: string,
    change: { add?: string | undefined; remove?: string | undefined },
    actor: string,
  ): Promise<Tenant | undefined>;
  mintKey(input: {
    tenantId: string;
    /** A person of the tenant in this environment, who will own the key. */
    personId?: string;
    name?: string;
    environment: Environment;
    scopes?: readonly string[];
    expiresAt?: Temporal.Instant;
    /**
     * The caller's own id of this request. Sent again, as after a lost answer, it replaces the key that nobody saw; fails with
     * `conflict` if that key was used.
     */
    request?: string;
    actor: string;
  }): Promise<{ apiKey: string; key: ApiKey }>;
  /**
   * Makes a key like an existing one, which ends after `overlapHours`, or now if they are 0. Undefined: the tenant has no such
   * key, or it has ended.
   */
  rotateKey(input: {
    tenantId: string;
    keyId: string;
    overlapHours: number;
    actor: string;
  }): Promise<{ apiKey: string; key: ApiKey; oldEndsAt: Temporal.Instant } | undefined>;
  listKeys(tenantId: string): Promise<readonly ApiKey[]>;
  /** False: no such key of this tenant. */
  revokeKey(tenantId: string, keyId: string, actor: string): Promise<boolean>;
  /** The tenant's signing secret, shown once; undefined if it was shown before. */
  revealSigningSecret(tenantId: string, actor: string): Promise<string | undefined>;
  /** Creates and returns a new signing secret; the old one stops at once. */
  rotateSigningSecret(tenantId: string, actor: string): Promise<string>;
  close(): Promise<void>;
}

/** Tokens of the operator's own systems, which start and resume workflows for the tenants that a token is bound to. */
export interface InternalTokens {
  /** One principal for each tenant of the token, read from the database. Undefined: unknown, revoked or expired. */
  authenticate(token: string): Promise<readonly Principal[] | undefined>;
}
