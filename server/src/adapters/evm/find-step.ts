import { type Log, type PublicClient, parseEventLogs } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { tripEscrowAbi } from "../../generated/contracts/trip-escrow.ts";
import type { Chain, ChainReceipt } from "../../ports/chain.ts";
import type { AuthorizationState } from "../../ports/chain-sender.ts";
import type { ChainOrder } from "../../ports/chain-transactions.ts";
import type { EscrowAction } from "../../ports/escrow-contract.ts";
import { reach } from "./client.ts";
import { firstBlockSince } from "./find-outcome.ts";
import { lowerHex } from "./hex.ts";
import { readLogs } from "./movements.ts";

type EscrowEvent = ReturnType<typeof parseEvents>[number];

/** They stand behind the event of the step that pays. */
const PAYMENT_EVENTS: ReadonlySet<string> = new Set(["PaymentMade", "PaymentWaiting"]);

/**
 * Whether the contract has taken this step by another transaction than ours: a claim and the release of a booking are anybody's to
 * send. Every step happens at most once, so that one which would be the same is the same.
 */
export async function findStep(
  client: PublicClient,
  chain: Chain,
  { escrow, tripId, action }: ChainOrder & { kind: "escrow" },
  storedAt: Temporal.Instant,
): Promise<AuthorizationState> {
  return await reach(async () => {
    const { number } = await chain.head();
    const fromBlock = await firstBlockSince(client, storedAt, number);
    // Of every event of a trip its id is the first topic.
    const logs = await readLogs(client, { address: escrow, topics: [null, tripId] }, fromBlock, number);
    const found = parseEvents(logs).find((event) => isStep(action, event));
    if (found === undefined) return { kind: "none" };
    const hash = lowerHex(found.transactionHash ?? "0x");
    const receipt = await chain.receipt(hash);
    if (receipt === undefined) throw new Error("a step was taken in no block");
    const { logs: all } = await client.getTransactionReceipt({ hash });
    return { kind: "done", receipt: withOwnMovements(receipt, escrow, all, found.logIndex ?? 0) };
  });
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
    case "commit": {
      if (eventName !== "BookingCommitted") return false;
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

const isSame = (one: Hex, other: Hex): boolean => lowerHex(one) === lowerHex(other);

const parseEvents = (logs: Log[]) => parseEventLogs({ abi: tripEscrowAbi, logs });

/** Somebody else's transaction can hold more than this step: what the escrow pays for it comes behind its event and before the next. */
function withOwnMovements(receipt: ChainReceipt, escrow: Hex, logs: Log[], at: number): ChainReceipt {
  const next = parseEvents(logs.filter(({ address }) => isSame(address, escrow)))
    .filter(({ eventName, logIndex }) => !PAYMENT_EVENTS.has(eventName) && (logIndex ?? 0) > at)
    .map(({ logIndex }) => logIndex ?? 0);
  const end = Math.min(...next);
  return { ...receipt, movements: receipt.movements.filter(({ logIndex }) => logIndex > at && logIndex < end) };
}
