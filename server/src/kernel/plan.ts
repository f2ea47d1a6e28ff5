import type { Micro } from "../domain/money.ts";
import type { Hex, TokenSymbol } from "../domain/tokens.ts";

/**
 * Where money is: the calling tenant's treasury wallet, the service's collection account or the trips' escrow contract, which are
 * this deployment's own; anybody else by address, in lower case.
 */
export type Party = "treasury" | "collection" | "escrow" | Hex;

/** Money that moves when the call succeeds. */
export interface PlannedMovement {
  token: TokenSymbol;
  /** In micro-units of the token; at most this where `isUpperBound` is true. Undefined: only the supplier knows what it asks. */
  amount: Micro | undefined;
  isUpperBound?: true;
  from: Party;
  to: Party;
}

/** What cannot be taken back any more after the call. */
export interface PlannedFinality {
  /** In a few words, such as "the vendor is paid". */
  what: string;
  /** Until when it can still be undone. Undefined: not at all, or only while others agree. */
  undoableUntil: Temporal.Instant | undefined;
}

/** What a call will do when nothing refuses it: gates judge it, and a preview shows it. */
export interface Plan {
  movements: readonly PlannedMovement[];
  /** Hash of what is bought, such as an itinerary's or a ticket's, where the caller has named it. */
  boughtHash?: Hex | undefined;
  irreversible: readonly PlannedFinality[];
}

/** Worked out when the first gate asks for it, and once for a call. It reads nothing but the service's own records. */
export type LazyPlan = () => Promise<Plan>;

/** What a read plans, and a write that moves no money and can be undone. */
export const EMPTY_PLAN: Plan = { movements: [], irreversible: [] };

const emptyPlan: LazyPlan = () => Promise.resolve(EMPTY_PLAN);

/** `work` runs at the first question. Undefined: there is nothing to plan. */
export function planOnce(work: LazyPlan | undefined): LazyPlan {
  if (work === undefined) return emptyPlan;
  let planned: Promise<Plan> | undefined;
  return () => (planned ??= work());
}
