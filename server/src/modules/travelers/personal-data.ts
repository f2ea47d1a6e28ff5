import type { Retention } from "../../kernel/contracts/person-records.ts";
import type { Environment } from "../../ports/identity.ts";
import type { TravelerProfile } from "./traveler-profile.ts";

/** Everything held about a person in an environment. */
export interface HeldData {
  profile: TravelerProfile | undefined;
  customerUserIds: readonly string[];
  /** The modules' records, under the names that they chose. */
  records: Readonly<Record<string, unknown>>;
}

/**
 * Nothing was changed unless it is `erased`. `busy`: the person has a pending booking or run. `works`: the person works for the
 * tenant. `ahead`: the person has these upcoming orders, which the caller did not confirm. `ruled`: these budgets and policies
 * name the person.
 */
export type ErasureOutcome =
  | { outcome: "erased" | "unknown" | "busy" | "works" }
  | { outcome: "ahead"; orders: readonly string[] }
  | { outcome: "ruled"; rules: readonly string[] };

export interface PersonalData {
  erase(
    user: { tenantId: string; userId: string; environment: Environment },
    options: { actor: string; confirmFutureBookings: boolean },
  ): Promise<ErasureOutcome>;
  /**
   * Erases guests of trips that expired before, and travelers whose profile was not written or booked with since. Persons named
   * by budgets or policies stay, which the log says.
   */
  eraseOld(before: Retention): Promise<void>;
}
