import { Failure } from "../../domain/errors.ts";
import type { Log } from "../../ports/log.ts";
import type { LazyPlan } from "./call-plan.ts";
import type { GateReservations, PendingCall } from "./charge.ts";
import type { Allowance } from "./preview-answer.ts";
import type { Transaction } from "./stores.ts";

/**
 * Refuses calls by who makes them and by their plan: a spending limit, a budget, a policy, an approval. Gates are asked
 * in a fixed order, and a call runs if none of them throws a Failure.
 */
export interface Gate {
  /** For logs and the preview of a call. */
  readonly name: string;
  /** Reads only; a preview runs it too. Returns a promise only if it must wait, as a synchronous answer costs a call nothing. */
  check(call: PendingCall, plan: LazyPlan): Promise<void> | void;
  /**
   * After its check has refused a real call, not a preview: stores what can help, such as a request for an approval,
   * and returns the failure for the caller. `listWarnings` returns what a preview of the call warns of.
   */
  refused?(
    call: PendingCall,
    plan: LazyPlan,
    refusal: Failure,
    listWarnings: () => Promise<readonly string[]>,
  ): Promise<Failure>;
  /**
   * For the preview of a call that its check allows: what it counts, and what the call would leave. Throws a Failure if
   * only `reserve` or the run would refuse.
   */
  preview?(call: PendingCall, plan: LazyPlan): Promise<readonly Allowance[]>;
  /** For every preview, also of a refused call: warnings for the caller, in whole sentences. */
  warn?(call: PendingCall, plan: LazyPlan): Promise<readonly string[]>;
  /**
   * For the preview of a call that nothing has refused: throws a Failure if only the run would, such as for a price
   * found too high. Judges by what the caller was shown.
   */
  previewRun?(call: PendingCall, plan: LazyPlan): Promise<void>;
  /**
   * Takes the call's share in the transaction that stores the call's reservation, so that both are stored or neither.
   * Judges again, as other calls may have taken it since the check. Only for calls that write or spend.
   */
  reserve?(call: PendingCall, plan: LazyPlan, transaction: Transaction): Promise<void>;
  /** Whether `reserve` takes anything for this call; defaults to true. If no gate takes anything, the call needs no extra transaction. */
  uses?(call: PendingCall, plan: LazyPlan): Promise<boolean> | boolean;
  /**
   * After the end of a call for which it reserved: returns the unused part. The used part follows from the call's
   * effects outside, which may still be open (`modules/effects`). A crash before this leaves the reservation to the
   * gate's own sweep, which runs after the call's.
   */
  settle?(call: PendingCall): Promise<void>;
}

/** Refuses a call until the person at the client says yes to its plan. Only a surface that can ask meets it. */
export class ConfirmationRequired extends Failure {
  readonly question: string;
  readonly planHash: string;

  constructor({ question, planHash }: { question: string; planHash: string }) {
    super("confirmation_required", { detail: question });
    this.question = question;
    this.planHash = planHash;
  }
}

/**
 * Whether a gate may judge the call by the tenant's rules in a remembered version. The call is reserved only if that
 * version is still in force; otherwise the gates are asked once more and must read the rules. A signed payment reserves
 * nothing of the tenant's. Without the memory a write costs a fifth more processor time, and one with a plan two fifths
 * (service and database together).
 */
export function judgeByMemory(call: PendingCall, version: number): boolean {
  if (call.paidBy !== "tenant") return false;
  if (call.rulesVersion === undefined) call.rulesVersion = version;
  return call.rulesVersion === version;
}

/** Collects the allowances of all gates, in their order. */
export async function previewGates(
  gates: readonly Gate[],
  call: PendingCall,
  plan: LazyPlan,
): Promise<readonly Allowance[]> {
  const allowances: Allowance[] = [];
  for (const gate of gates) allowances.push(...((await gate.preview?.(call, plan)) ?? []));
  return allowances;
}

export async function previewWarnings(
  gates: readonly Gate[],
  call: PendingCall,
  plan: LazyPlan,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const gate of gates) warnings.push(...((await gate.warn?.(call, plan)) ?? []));
  return warnings;
}

/** Throws the first refusal that would come only in the run. */
export async function previewRun(gates: readonly Gate[], call: PendingCall, plan: LazyPlan): Promise<void> {
  for (const gate of gates) await gate.previewRun?.(call, plan);
}

export function defineGate(gate: Gate): Gate {
  return gate;
}

export interface Refusal {
  readonly gate: Gate;
  readonly failure: Failure;
}

/** Returns the first gate's refusal, if any. Errors that are no Failure are thrown. */
export async function findRefusal(
  gates: readonly Gate[],
  call: PendingCall,
  plan: LazyPlan,
): Promise<Refusal | undefined> {
  for (const gate of gates) {
    try {
      const checking = gate.check(call, plan);
      if (checking !== undefined) await checking;
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      return { gate, failure };
    }
  }
  return undefined;
}

/** The refusal for the caller of a real call. */
export async function sayRefusal(
  gates: readonly Gate[],
  { gate, failure }: Refusal,
  call: PendingCall,
  plan: LazyPlan,
): Promise<Failure> {
  return (await gate.refused?.(call, plan, failure, () => listWarnings(gates, call, plan))) ?? failure;
}

/** All that a preview warns of. Empty if that cannot be found out now: the refusal matters more. */
async function listWarnings(gates: readonly Gate[], call: PendingCall, plan: LazyPlan): Promise<readonly string[]> {
  try {
    const byGates = await previewWarnings(gates, call, plan);
    const { warnings = [], readOverlaps } = await plan();
    const overlaps = (await readOverlaps?.()) ?? [];
    return [...byGates, ...warnings, ...overlaps.map(({ warning }) => warning)];
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** The gates that reserve something for this call. */
export async function findReserving(
  gates: readonly Gate[],
  call: PendingCall,
  plan: LazyPlan,
): Promise<readonly Gate[]> {
  const reserving: Gate[] = [];
  for (const gate of gates) {
    if (gate.reserve !== undefined && (await (gate.uses?.(call, plan) ?? true))) reserving.push(gate);
  }
  return reserving;
}

/** Undefined if nothing is reserved, so that the call needs no transaction. */
export function gateReservations(
  reserving: readonly Gate[],
  call: PendingCall,
  plan: LazyPlan,
): GateReservations | undefined {
  if (reserving.length === 0) return undefined;
  return async (transaction) => {
    for (const gate of reserving) await gate.reserve?.(call, plan, transaction);
  };
}

/** The call has ended: if a gate fails, its sweep does the rest. */
export async function settleGates(reserving: readonly Gate[], call: PendingCall, log: Log): Promise<void> {
  for (const gate of reserving) {
    try {
      await gate.settle?.(call);
    } catch (err) {
      log.warn({ err, gate: gate.name, traceId: call.traceId }, "a gate's reservation is left to its sweep");
    }
  }
}
