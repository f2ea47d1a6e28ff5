import { nearest } from "../../domain/near-match.ts";
import type { ActivePolicies } from "./policies.ts";

const MOST_NAMED = 20;

/** The message for an unknown policy id. */
export function unknownPolicy(policyId: string, known: readonly string[]): string {
  const near = nearest(policyId, known);
  const meant = near === undefined ? "." : `; did you mean "${near}"?`;
  return `you have no such policy${meant} Known: ${known.slice(0, MOST_NAMED).join(", ")}`;
}

/** Why no version of the policy can judge anything; undefined: one can. */
export async function policyProblem(
  activePolicies: ActivePolicies,
  owner: Parameters<ActivePolicies["find"]>[0],
  policyId: string,
): Promise<string | undefined> {
  if ((await activePolicies.find(owner, policyId)) !== undefined) return undefined;
  const { policyIds } = await activePolicies.names(owner);
  return policyIds.includes(policyId) ? `no version of ${policyId} applies yet` : unknownPolicy(policyId, policyIds);
}
