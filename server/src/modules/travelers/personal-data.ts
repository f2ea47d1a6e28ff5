import type { Retention } from "../../kernel/contracts/person-records.ts";
import type { Environment } from "../../ports/identity.ts";
import type { TravelerProfile } from "./traveler-profile.ts";

/** Everything that is held of a person, in one environment. */
export interface HeldData {
  profile: TravelerProfile | undefined;
  customerUserIds: readonly string[];
  /** What the modules hold, by names of their own. */
  records: Readonly<Record<string, unknown>>;
}

/**
 * Nothing was changed unless it is `erased`. `busy`: a booking or a run of the person is under way. `works`: the person works for the
 * tenant. `ahead`: these orders of the person are, and nobody confirmed it. `ruled`: these budgets and policies bind the person by name.
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
   * Erases guests of trips that expired before, and travelers whose profile nobody has written or booked with since. Whom budgets or
   * policies name stays, which the log says.
   */
  eraseOld(before: Retention): Promise<void>;
}
