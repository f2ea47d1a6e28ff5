import { z } from "zod";
import { StoredAddress, StoredHash, StoredToken } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import type { Chain, TokenMovement } from "../../../ports/chain/chain.ts";
import type { EventLog, OperationEvent } from "../../../ports/chain/chain-operation.ts";
import { isEvent, isSame, readEvent } from "../steps/escrow-event.ts";
import type { BoundStep } from "../steps/step.ts";
import { EscrowAction, toStep } from "./escrow-action.ts";

/** Stored with an operation on a further escrow: whoever stored it has found the contract in the tenant's list. */
export const FurtherEscrow = z.literal(true).optional();
export const FURTHER = { isFurther: true } as const;

/** They follow the event of the paying step. */
const PAYMENT_EVENTS: ReadonlySet<string> = new Set(["PaymentMade", "PaymentWaiting"]);

/** A step of a trip, sent by the relayer, which is the escrow's operator. */
export const escrowStep = defineChainOperation({
  kind: "escrow",
  input: z.strictObject({
    token: StoredToken,
    escrow: StoredAddress,
    isFurther: FurtherEscrow,
    tripId: StoredHash,
    action: EscrowAction,
  }),
  encode({ input, site }) {
    const { escrow, tripId, action } = input;
    requireEscrow(site.chain, input);
    return { to: escrow, data: toStep(action).encode(tripId) };
  },
  // A payment's gas can change between the estimate and the block, for example if a recipient is blocked meanwhile.
  gasCeiling: ({ input }) => ({ gas: toStep(input.action).gas, bound: "least" }),
  outcome: {
    // The contract does as it is asked or reverts; an empty transaction asked for nothing.
    tookEffect: (_input, { isEmpty }) => !isEmpty,
    event: ({ input: { escrow, tripId, action } }) => eventOfStep(escrow, tripId, toStep(action)),
    waitsWhileStopped: true,
  },
});

/** An operation stored under an earlier escrow must not be signed for a contract that nobody vouches for. */
export function requireEscrow(
  { escrow, chainId }: Pick<Chain, "escrow" | "chainId">,
  wanted: { escrow: Hex; isFurther?: true | undefined },
): void {
  if (wanted.isFurther === true || escrow?.address === wanted.escrow) return;
  throw new Error(`the escrow of chain ${chainId} is ${escrow?.address}, not ${wanted.escrow}`);
}

/**
 * Recognises a step that the contract took by another transaction than ours: anybody may send a claim or the release of
 * a booking. Every step happens at most once, so an equal one is the same.
 */
function eventOfStep(escrow: Hex, tripId: Hex, { events }: Pick<BoundStep, "events">): OperationEvent {
  return {
    address: escrow,
    // Every event of a trip has its id as the first topic.
    topics: [null, tripId],
    isIt(log) {
      const event = readEvent(log);
      return event !== undefined && events.some((wanted) => isEvent(event, wanted));
    },
    pickMovements: (movements, { logIndex }, logs) => paidByStep(escrow, movements, logIndex, logs),
  };
}

/** Another transaction can hold more than this step: the escrow's payments for it follow its event and precede the next. */
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
