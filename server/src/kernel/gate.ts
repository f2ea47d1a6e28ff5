import type { GateReservations, PendingCall } from "./charge.ts";
import type { LazyPlan } from "./plan.ts";
import type { Aggregates } from "./stores.ts";

/**
 * Something that can refuse a call because of who makes it and what it would do: a spending limit, a budget, a policy, an approval.
 * Gates are asked in a fixed order, and a call runs when none of them throws a Failure.
 */
export interface Gate {
  /** For logs and the preview of a call. */
  readonly name: string;
  /** Reads only; a preview runs it too. What it answers at once costs a call nothing, so only a gate that must wait is a promise. */
  check(call: PendingCall, plan: LazyPlan): Promise<void> | void;
  /**
   * Takes what the call uses up, in the transaction that stores the call's reservation: both are stored, or neither. It judges
   * again, as other calls may have used it up since the check. Only for calls that write or spend.
   */
  reserve?(call: PendingCall, plan: LazyPlan, transaction: Aggregates): Promise<void>;
}

export function defineGate(gate: Gate): Gate {
  return gate;
}

/** Throws what the first gate that refuses says. */
export async function checkGates(gates: readonly Gate[], call: PendingCall, plan: LazyPlan): Promise<void> {
  for (const gate of gates) {
    const checking = gate.check(call, plan);
    if (checking !== undefined) await checking;
  }
}

/** Undefined: nothing is used up, and no transaction of the call's own is needed. */
export function gateReservations(
  gates: readonly Gate[],
  call: PendingCall,
  plan: LazyPlan,
): GateReservations | undefined {
  if (call.tool.effect === "read" || gates.every((gate) => gate.reserve === undefined)) return undefined;
  return async (transaction) => {
    for (const gate of gates) await gate.reserve?.(call, plan, transaction);
  };
}
