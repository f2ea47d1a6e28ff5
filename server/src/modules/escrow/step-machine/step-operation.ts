import { z } from "zod";
import { StoredAddress, StoredHash, StoredToken } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import type { Chain, TokenMovement } from "../../../ports/chain/chain.ts";
import type { EventLog, OperationEvent } from "../../../ports/chain/chain-operation.ts";
import { isEvent, isSame, readEvent } from "../steps/escrow-event.ts";
import type { BoundStep } from "../steps/step.ts";
import { EscrowAction, toStep } from "./escrow-action.ts";

/** They stand behind the event of the step that pays. */
const PAYMENT_EVENTS: ReadonlySet<string> = new Set(["PaymentMade", "PaymentWaiting"]);

/** A step of a trip, by the relayer, who is the escrow's operator. */
export const escrowStep = defineChainOperation({
  kind: "escrow",
  input: z.strictObject({ token: StoredToken, escrow: StoredAddress, tripId: StoredHash, action: EscrowAction }),
  encode({ input: { escrow, tripId, action }, site }) {
    requireEscrow(site.chain, escrow);
    return { to: escrow, data: toStep(action).encode(tripId) };
  },
  // What a payment uses can change between the estimate and the block, as recipients can be blocked meanwhile.
  gasCeiling: ({ input }) => ({ gas: toStep(input.action).gas, bound: "least" }),
  outcome: {
    // The contract does what it is asked, or reverts; an empty transaction asked for nothing.
    tookEffect: (_input, { isEmpty }) => !isEmpty,
    event: ({ input: { escrow, tripId, action } }) => eventOfStep(escrow, tripId, toStep(action)),
    waitsWhileStopped: true,
  },
});

/** An operation of a time when the chain had another escrow must not be signed for a contract that nobody vouches for. */
export function requireEscrow({ escrow, chainId }: Pick<Chain, "escrow" | "chainId">, wanted: Hex): void {
  if (escrow?.address === wanted) return;
  throw new Error(`the escrow of chain ${chainId} is ${escrow?.address}, not ${wanted}`);
}

/**
 * How it is found that the contract has taken a step by another transaction than ours: a claim and the release of a booking are
 * anybody's to send. Every step happens at most once, so that one which would be the same is the same.
 */
function eventOfStep(escrow: Hex, tripId: Hex, { events }: Pick<BoundStep, "events">): OperationEvent {
  return {
    address: escrow,
    // Of every event of a trip its id is the first topic.
    topics: [null, tripId],
    isIt(log) {
      const event = readEvent(log);
      return event !== undefined && events.some((wanted) => isEvent(event, wanted));
    },
    movementsOf: (movements, { logIndex }, logs) => paidByStep(escrow, movements, logIndex, logs),
  };
}

/** Somebody else's transaction can hold more than this step: what the escrow pays for it comes behind its event and before the next. */
function paidByStep(
  escrow: Hex,
  movements: readonly TokenMovement[],
  at: number,
  logs: readonly EventLog[],
): readonly TokenMovement[] {
  const next = logs.filter((log) => {
    if (log.logIndex <= at || !isSame(log.address, escrow)) return false;
    const event = readEvent(log);
    return event !== undefined && !PAYMENT_EVENTS.has(event.eventName);
  });
  const end = Math.min(...next.map(({ logIndex }) => logIndex));
  return movements.filter(({ logIndex }) => logIndex > at && logIndex < end);
}
