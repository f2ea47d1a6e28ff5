import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "travelers.travelers": Travelers;
  }
}

declare module "../../kernel/contracts/call-plan.ts" {
  interface CallPlan {
    /** For a preview: the profile of a traveler whom the plan names, as the plan has read it. */
    readProfile?: ((userId: string) => Promise<TravelerProfile | undefined>) | undefined;
  }
}

interface LoyaltyProgrammeAccount {
  airlineIataCode: string;
  accountNumber: string;
}

export interface Passport {
  /** ISO 3166-1 alpha-3, or an ICAO code for other British nationals, stateless persons and refugees. */
  nationality: string;
  /** Encrypted at rest. */
  number: string;
  issuedOn: string;
  expiresOn: string;
}

/** A traveler's profile; every field may be missing. */
export interface TravelerProfile {
  givenName?: string;
  familyName?: string;
  /** YYYY-MM-DD. */
  bornOn?: string;
  title?: "mr" | "ms" | "mrs" | "miss" | "dr";
  gender?: "m" | "f";
  email?: string;
  /** E.164. */
  phoneNumber?: string;
  /** BCP-47. */
  preferredLanguage?: string;
  /** ISO 3166-1 alpha-3: the country where the person may live. */
  residence?: string;
  loyaltyProgrammeAccounts: readonly LoyaltyProgrammeAccount[];
  passports: readonly Passport[];
}

/**
 * A tenant's users in one environment, with their profiles. Users of other tenants or of the other environment are not found.
 */
export interface Travelers {
  /** Includes the service account of an unrevoked key of the tenant. */
  isUser(tenantId: string, userId: string, environment: Environment): Promise<boolean>;
  get(tenantId: string, userId: string, environment: Environment): Promise<TravelerProfile | undefined>;
  /** A user whose profile has one of the accounts; undefined: none, or there are no accounts. */
  findByLoyaltyAccounts(
    tenantId: string,
    environment: Environment,
    accounts: readonly LoyaltyProgrammeAccount[],
  ): Promise<TravelerProfile | undefined>;
  /** The users whose profiles have these names, in any case; at most ten. */
  listByName(
    tenantId: string,
    environment: Environment,
    names: { givenName: string; familyName: string },
  ): Promise<readonly { userId: string; email: string | undefined }[]>;
  /** Replaces the profile; creates a new user. True: it was created. */
  put(
    tenantId: string,
    userId: string,
    environment: Environment,
    profile: TravelerProfile,
    actor: string,
  ): Promise<boolean>;
  /** The supplier's customer id of this user. */
  findCustomerUserId(tenantId: string, userId: string, environment: Environment): Promise<string | undefined>;
  findUserByCustomerId(tenantId: string, customerUserId: string, environment: Environment): Promise<string | undefined>;
  /** The customer ids of all users of this tenant, newest first. */
  listCustomerUserIds(tenantId: string, environment: Environment): Promise<readonly string[]>;
  linkCustomer(tenantId: string, userId: string, environment: Environment, customerUserId: string): Promise<void>;
}
