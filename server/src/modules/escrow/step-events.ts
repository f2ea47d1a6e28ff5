import { decodeEventLog } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { tripEscrowAbi } from "../../generated/contracts/trip-escrow.ts";
import type { TokenMovement } from "../../ports/chain.ts";
import type { EventLog, OperationEvent } from "../../ports/chain-operation.ts";
import type { EscrowAction } from "./escrow-action.ts";

type EscrowEvent = NonNullable<ReturnType<typeof eventOf>>;

/** They stand behind the event of the step that pays. */
const PAYMENT_EVENTS: ReadonlySet<string> = new Set(["PaymentMade", "PaymentWaiting"]);

/**
 * How it is found that the contract has taken a step by another transaction than ours: a claim and the release of a booking are
 * anybody's to send. Every step happens at most once, so that one which would be the same is the same.
 */
export function eventOfStep(escrow: Hex, tripId: Hex, action: EscrowAction): OperationEvent {
  return {
    address: escrow,
    // Of every event of a trip its id is the first topic.
    topics: [null, tripId],
    isIt(log) {
      const event = eventOf(log);
      return event !== undefined && isStep(action, event);
    },
    movementsOf: (movements, { logIndex }, logs) => paidByStep(escrow, movements, logIndex, logs),
  };
}

function isStep(action: EscrowAction, event: EscrowEvent): boolean {
  const { eventName } = event;
  switch (action.name) {
    case "claim":
      return eventName === "TripClaimed" && isSame(event.args.guest, action.guest);
    case "reserve":
      return (
        eventName === "BookingReserved" &&
        isSame(event.args.bookingId, action.bookingId) &&
        event.args.amount === action.amount
      );
    case "commit":
      return isCommit(action, event);
    case "confirm":
      return (
        eventName === "BookingConfirmed" &&
        isSame(event.args.bookingId, action.bookingId) &&
        isSame(event.args.ticketHash, action.ticketHash)
      );
    case "settle":
      return eventName === "BookingSettled" && isSame(event.args.bookingId, action.bookingId);
    case "cancel":
      return eventName === "BookingCancelled" && isSame(event.args.bookingId, action.bookingId);
    case "return":
      return eventName === "BookingReturned" && isSame(event.args.bookingId, action.bookingId);
    case "release_booking":
      return (
        (eventName === "BookingSettled" || eventName === "BookingCancelled") &&
        isSame(event.args.bookingId, action.bookingId)
      );
    case "log":
      return eventName === "ActionLogged" && isSame(event.args.actionId, action.actionId);
    case "close":
    case "release":
      return eventName === "TripClosed";
  }
}

function isCommit(action: Extract<EscrowAction, { name: "commit" }>, event: EscrowEvent): boolean {
  if (event.eventName !== "BookingCommitted") return false;
  const { args } = event;
  return (
    isSame(args.bookingId, action.bookingId) &&
    isSame(args.vendor, action.vendor) &&
    args.vendorAmount === action.vendorAmount &&
    args.markup === action.markup &&
    args.serviceFee === action.serviceFee &&
    isSame(args.itineraryHash, action.itineraryHash)
  );
}

const isSame = (one: Hex, other: Hex): boolean => one.toLowerCase() === other.toLowerCase();

/** Undefined: not one of the contract's own. */
function eventOf({ topics, data }: EventLog) {
  const [signature, ...indexed] = topics;
  if (signature === undefined) return undefined;
  try {
    return decodeEventLog({ abi: tripEscrowAbi, topics: [signature, ...indexed], data });
  } catch {
    return undefined;
  }
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
    const event = eventOf(log);
    return event !== undefined && !PAYMENT_EVENTS.has(event.eventName);
  });
  const end = Math.min(...next.map(({ logIndex }) => logIndex));
  return movements.filter(({ logIndex }) => logIndex > at && logIndex < end);
}
