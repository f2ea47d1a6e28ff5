import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "travelers.travelers": Travelers;
  }
}

interface LoyaltyProgrammeAccount {
  airlineIataCode: string;
  accountNumber: string;
}

export interface Passport {
  /** ISO 3166-1 alpha-3, or a code of ICAO for other British nationals, stateless persons and refugees. */
  nationality: string;
  /** Encrypted at rest. */
  number: string;
  issuedOn: string;
  expiresOn: string;
}

/** A traveler's profile; every field may still be missing. */
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
  loyaltyProgrammeAccounts: readonly LoyaltyProgrammeAccount[];
  passports: readonly Passport[];
}

/** Users of a tenant in one environment, and their profiles. A user of another tenant, or of the other environment, does not exist. */
export interface Travelers {
  /** Also of the service account of a key that the tenant has and has not revoked. */
  isUser(tenantId: string, userId: string, environment: Environment): Promise<boolean>;
  get(tenantId: string, userId: string, environment: Environment): Promise<TravelerProfile | undefined>;
  /** Somebody whose profile has one of the accounts; undefined: nobody, or there are no accounts. */
  findByLoyaltyAccounts(
    tenantId: string,
    environment: Environment,
    accounts: readonly LoyaltyProgrammeAccount[],
  ): Promise<TravelerProfile | undefined>;
  /** Replaces the profile; creates the user when it is new. True when it was created. */
  put(
    tenantId: string,
    userId: string,
    environment: Environment,
    profile: TravelerProfile,
    actor: string,
  ): Promise<boolean>;
  /** The supplier's customer ids of this tenant's users. */
  findCustomerUserId(tenantId: string, userId: string, environment: Environment): Promise<string | undefined>;
  findUserByCustomerId(tenantId: string, customerUserId: string, environment: Environment): Promise<string | undefined>;
  /** Of all of this tenant's users, the newest first. */
  listCustomerUserIds(tenantId: string, environment: Environment): Promise<readonly string[]>;
  linkCustomer(tenantId: string, userId: string, environment: Environment, customerUserId: string): Promise<void>;
}
