import { Failure } from "../../domain/errors.ts";
import type { Log } from "../../ports/log.ts";
import type { GateReservations, PendingCall } from "./charge.ts";
import type { LazyPlan } from "./plan.ts";
import type { Allowance } from "./preview-answer.ts";
import type { Transaction } from "./stores.ts";

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
   * After its check has refused a call that was really made, and not only previewed: leaves behind what can help, such as a request
   * for an approval, and gives back what the caller is told.
   */
  refused?(call: PendingCall, plan: LazyPlan, refusal: Failure): Promise<Failure>;
  /**
   * For the preview of a call that its check lets through: what it counts, and what the call would leave. Throws a Failure where
   * only `reserve` or the run would refuse.
   */
  preview?(call: PendingCall, plan: LazyPlan): Promise<readonly Allowance[]>;
  /** For the preview of a call, also of one that is refused: what its caller should know before it makes the call, in whole sentences. */
  warn?(call: PendingCall, plan: LazyPlan): Promise<readonly string[]>;
  /**
   * For the preview of a call that nothing has refused before: throws a Failure where only the run would, as it finds out a price
   * that is too much. Judges by what the caller was shown.
   */
  previewRun?(call: PendingCall, plan: LazyPlan): Promise<void>;
  /**
   * Takes what the call uses up, in the transaction that stores the call's reservation: both are stored, or neither. It judges
   * again, as other calls may have used it up since the check. Only for calls that write or spend.
   */
  reserve?(call: PendingCall, plan: LazyPlan, transaction: Transaction): Promise<void>;
  /** Whether `reserve` takes anything for this call; left out: it does for every call. Without it no transaction of its own is made. */
  uses?(call: PendingCall, plan: LazyPlan): Promise<boolean> | boolean;
  /**
   * After the end of a call for which it reserved: gives back what the call has not used. What it has used follows from what it did
   * outside, which may still be open (`modules/effects`). A crash before this leaves the reservation: who keeps one sweeps it, after
   * the call itself was swept.
   */
  settle?(call: PendingCall): Promise<void>;
}

/**
 * Whether a gate may judge the call by what it remembers of the tenant's rules in that version. The call is reserved only if it is
 * the version in force then; else the gates are asked once more, and must look. A signed payment reserves nothing of the tenant's.
 * Without the memory a write costs a fifth more processor time, and one with a plan two fifths (service and database together).
 */
export function judgeByMemory(call: PendingCall, version: number): boolean {
  if (call.paidBy !== "tenant") return false;
  if (call.rulesVersion === undefined) call.rulesVersion = version;
  return call.rulesVersion === version;
}

/** What all gates say, in their order. */
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

/** Throws what the first gate refuses that would only refuse in the run. */
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

/** What the first gate that refuses says. Undefined: none refuses. What is no Failure is thrown. */
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

/** What the caller of a call is told that was really made. */
export async function sayRefusal({ gate, failure }: Refusal, call: PendingCall, plan: LazyPlan): Promise<Failure> {
  return (await gate.refused?.(call, plan, failure)) ?? failure;
}

/** Those that this call uses something up of. */
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

/** Undefined: nothing is used up, and no transaction of the call's own is needed. */
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

/** What fails is left to their sweeps: the call has ended. */
export async function settleGates(reserving: readonly Gate[], call: PendingCall, log: Log): Promise<void> {
  for (const gate of reserving) {
    try {
      await gate.settle?.(call);
    } catch (err) {
      log.warn({ err, gate: gate.name, traceId: call.traceId }, "a gate's reservation is left to its sweep");
    }
  }
}
