import type { AccountFacts } from "../../kernel/account.ts";
import type { Stores } from "./context.ts";
import type { ActivePolicies, Owner } from "./policies.ts";

/** The policy that the tenant holds direct calls to, with the version that applies now. */
export async function describeEnforced(
  { travelPolicies }: Pick<Stores, "travelPolicies">,
  activePolicies: ActivePolicies,
  owner: Owner,
): Promise<AccountFacts> {
  const { policyId } = await travelPolicies.findEnforced(owner);
  const active = policyId === undefined ? undefined : await activePolicies.find(owner, policyId);
  return { facts: { enforcedPolicy: active === undefined ? null : { policyId, version: active.version } } };
}
