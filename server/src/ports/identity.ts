import type { Micro } from "../domain/money.ts";

export type Plan = "free" | "pro" | "enterprise";
export type Environment = "sandbox" | "production";

/** Discount on list prices, in percent. */
export const discountPercentByPlan: Readonly<Record<Plan, number>> = { free: 0, pro: 30, enterprise: 50 };

/** Who is calling, as proved by an API key. Cached for up to 15 s: nothing in it may be a permission to spend by itself. */
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
  plan: Plan;
  /** Signs the responses to this tenant (`x-service-sig`). */
  signingSecret: string;
  expiresAt: Temporal.Instant | undefined;
  /** Profile that the service account acts for when it has none of its own (the demo tenant's `user_demo`). */
  defaultTravelerId: string | undefined;
  /** True: it is an internal token's, of a system of the operator's, and not a key that a tenant has. */
  isInternal?: true;
}

export interface Tenant {
  id: string;
  name: string;
  plan: Plan;
  monthlyCapMicroUsdc: Micro;
  isDemo: boolean;
  /** On the beta network: all of its keys work in the sandbox, also those that are labelled production. */
  isBeta: boolean;
  /** Where its guest links may lead besides the origins of the deployment. */
  linkOrigins: readonly string[];
  createdAt: Temporal.Instant;
}

export interface ApiKey {
  id: string;
  tenantId: string;
  /** The person whose own key it is. Undefined: it is an agent's. */
  personId: string | undefined;
  name: string;
  /** The first characters, to recognise a key by; the key itself is never stored. */
  start: string;
  scopes: readonly string[];
  environment: Environment;
  createdAt: Temporal.Instant;
  expiresAt: Temporal.Instant | undefined;
  revokedAt: Temporal.Instant | undefined;
  lastUsedAt: Temporal.Instant | undefined;
}

/** Tenants, users and keys. Our own tables now; an identity provider later, with the same keys. */
export interface Identity {
  /**
   * Undefined: unknown, revoked or expired. `fresh` reads the database, as every call that writes or spends must. `judge` is given the
   * look-up of a key that has not proved good before, and decides whether it is made.
   */
  authenticate(
    key: string,
    options: {
      fresh: boolean;
      judge?: (lookUp: () => Promise<Principal | undefined>) => Promise<Principal | undefined>;
    },
  ): Promise<Principal | undefined>;
  /** Whoever has this key, read from the database; undefined as above. For work that goes on after its caller has gone. */
  findPrincipal(keyId: string): Promise<Principal | undefined>;
  isUser(tenantId: string, userId: string, environment: Environment): Promise<boolean>;
  /** Creates the tenant with its sandbox key, which is returned here once and stored as a hash. */
  createTenant(input: {
    name: string;
    plan?: Plan;
    monthlyCapMicroUsdc?: Micro;
    isDemo?: boolean;
    actor: string;
  }): Promise<{ tenant: Tenant; apiKey: string; key: ApiKey }>;
  listTenants(): Promise<readonly Tenant[]>;
  getTenant(tenantId: string): Promise<Tenant | undefined>;
  setTenant(
    tenantId: string,
    change: { plan?: Plan; monthlyCapMicroUsdc?: Micro; name?: string; isBeta?: boolean },
    actor: string,
  ): Promise<Tenant | undefined>;
  /** Undefined: no such tenant. Fails with `invalid_input` when what is removed is not there, or too many would be. */
  changeLinkOrigins(
    tenantId: string,
    change: { add?: string | undefined; remove?: string | undefined },
    actor: string,
  ): Promise<Tenant | undefined>;
  mintKey(input: {
    tenantId: string;
    /** A person of the tenant in this environment, whose own key it will be. */
    personId?: string;
    name?: string;
    environment: Environment;
    scopes?: readonly string[];
    expiresAt?: Temporal.Instant;
    actor: string;
  }): Promise<{ apiKey: string; key: ApiKey }>;
  listKeys(tenantId: string): Promise<readonly ApiKey[]>;
  /** False: no such key of this tenant. */
  revokeKey(tenantId: string, keyId: string, actor: string): Promise<boolean>;
  /** The tenant's signing secret, shown once; undefined when it was shown before. */
  revealSigningSecret(tenantId: string, actor: string): Promise<string | undefined>;
  /** Makes and returns a new signing secret; the old one stops at once. */
  rotateSigningSecret(tenantId: string, actor: string): Promise<string>;
  close(): Promise<void>;
}

/** Tokens of systems of the operator's own, which start and resume workflows for the tenants that a token is bound to. */
export interface InternalTokens {
  /** One principal for each tenant of the token, read from the database. Undefined: unknown, revoked or expired. */
  authenticate(token: string): Promise<readonly Principal[] | undefined>;
}
