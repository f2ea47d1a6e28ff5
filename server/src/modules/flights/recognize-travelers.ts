import type { Caller } from "../../kernel/tool.ts";
import type { LoyaltyAccount } from "../../ports/flights.ts";
import type { TravelerProfile, Travelers } from "../travelers/index.ts";

/**
 * Who the passengers of a search are, by passenger. Beside the first one, who may be named, a passenger is the tenant's traveler whose
 * profile has one of the loyalty accounts that the search gives for the passenger: suppliers take an account only with a name.
 */
export async function recognizeTravelers(
  travelers: Travelers,
  { tenantId, environment }: Caller,
  accounts: readonly (readonly LoyaltyAccount[])[],
  first: TravelerProfile | undefined,
): Promise<(TravelerProfile | undefined)[]> {
  const found: (TravelerProfile | undefined)[] = [];
  for (const [index, given] of accounts.entries()) {
    const isNamed = index === 0 && first !== undefined;
    found.push(isNamed ? first : await travelers.findByLoyaltyAccounts(tenantId, environment, given));
  }
  return accounts.length === 0 ? [first] : found;
}
