import type { Hex } from "../../../domain/tokens.ts";
import type { TokenMovement } from "../../../ports/chain/chain.ts";
import type { EventLog, OperationEvent } from "../../../ports/chain/chain-operation.ts";
import { isEvent, isSame, readEvent } from "../steps/escrow-event.ts";
import type { BoundStep } from "../steps/step.ts";

/** They stand behind the event of the step that pays. */
const PAYMENT_EVENTS: ReadonlySet<string> = new Set(["PaymentMade", "PaymentWaiting"]);

/**
 * How it is found that the contract has taken a step by another transaction than ours: a claim and the release of a booking are
 * anybody's to send. Every step happens at most once, so that one which would be the same is the same.
 */
export function eventOfStep(escrow: Hex, tripId: Hex, { events }: Pick<BoundStep, "events">): OperationEvent {
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
