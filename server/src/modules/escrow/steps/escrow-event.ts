import { decodeEventLog } from "viem";
import { tripEscrowAbi } from "../../../generated/contracts/trip-escrow.ts";
import type { EventLog } from "../../../ports/chain/chain-operation.ts";

type EscrowEvent = NonNullable<ReturnType<typeof readEvent>>;

/** An event of the contract by its name, and what it says. */
export interface StepEvent {
  name: string;
  args: Readonly<Record<string, unknown>>;
}

/** The event with the arguments that distinguish the step from others of its trip. */
export function emitted<Name extends EscrowEvent["eventName"]>(
  name: Name,
  args: Partial<Extract<EscrowEvent, { eventName: Name }>["args"]>,
): StepEvent {
  return { name, args: { ...args } };
}

/** Undefined if it is not one of the contract's own. */
export function readEvent({ topics, data }: EventLog) {
  const [signature, ...indexed] = topics;
  if (signature === undefined) return undefined;
  try {
    return decodeEventLog({ abi: tripEscrowAbi, topics: [signature, ...indexed], data });
  } catch {
    return undefined;
  }
}

export function isEvent({ eventName, args }: EscrowEvent, wanted: StepEvent): boolean {
  const said: Readonly<Record<string, unknown>> = { ...args };
  return eventName === wanted.name && Object.entries(wanted.args).every(([key, value]) => isSame(said[key], value));
}

/** Compares strings without case, for hexadecimal digits. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string") return one === other;
  return one.toLowerCase() === other.toLowerCase();
}
