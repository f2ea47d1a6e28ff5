import type { Environment } from "../../ports/identity.ts";
import type { HeldData } from "./personal-data.ts";
import type { TravelerProfile } from "./traveler-profile.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "travelers.travelerRecords": TravelerRecords;
  }
}

/** What is read of many records at once, and profiles that change together with other records. */
export interface TravelerRecords {
  get(tenantId: string, userId: string, environment: Environment): Promise<TravelerProfile | undefined>;
  /** In a transaction. Replaces the profile, and creates the user if it is new; never of a service account. */
  put(
    tenantId: string,
    userId: string,
    environment: Environment,
    profile: TravelerProfile,
    actor: string,
  ): Promise<void>;
  /** Those who have a profile, by their ids, each with its customer id; those behind `after`. */
  list(
    tenantId: string,
    environment: Environment,
    page: { after: string | undefined; limit: number },
  ): Promise<readonly { userId: string; customerUserId: string | undefined; profile: TravelerProfile }[]>;
  /** Keeps users from being erased until the end of the transaction. Returns those who are gone; a service account never is. */
  keep(tenantId: string, environment: Environment, userIds: readonly string[]): Promise<readonly string[]>;
  /** Everything that is held of a user. Undefined: there is no such user. */
  held(tenantId: string, userId: string, environment: Environment): Promise<HeldData | undefined>;
}
