import { nearest } from "../../domain/near-match.ts";

const MOST_NAMED = 20;

/** What is said of a policy that the tenant has not. */
export function unknownPolicy(policyId: string, known: readonly string[]): string {
  const near = nearest(policyId, known);
  const meant = near === undefined ? "." : `; did you mean "${near}"?`;
  return `you have no such policy${meant} Known: ${known.slice(0, MOST_NAMED).join(", ")}`;
}
