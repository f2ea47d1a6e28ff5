import { formatDecimal } from "../../domain/money.ts";
import type { Aggregates } from "../../kernel/stores.ts";
import type { TripNote } from "../../kernel/trip-note.ts";
import type { ChainReceipt } from "../../ports/chain.ts";
import type { ChainTransaction } from "../../ports/chain-transactions.ts";
import type { EscrowBooking } from "./escrow-bookings.ts";
import { tripPrefund } from "./prefund-operation.ts";
import { rememberOrder } from "./remember-order.ts";
import { escrowStep } from "./step-operation.ts";
import type { Trip } from "./trips.ts";

interface Ended {
  transaction: ChainTransaction;
  receipt: ChainReceipt;
}

/** Adds to the trip's record what a step has done, in the transaction that stores it. `before`: the trip as it was. */
export async function rememberStep(aggregates: Aggregates, before: Trip, ended: Ended): Promise<void> {
  const { tripRecords, trips, escrowBookings } = aggregates;
  const { tenantId, network, tripId } = before;
  const action = escrowStep.read(ended.transaction.operation)?.action;
  const bookingId = action !== undefined && "bookingId" in action ? action.bookingId : undefined;
  const booking = bookingId === undefined ? undefined : await escrowBookings.find(tenantId, network, bookingId);
  const after = (await trips.get(network, tripId)) ?? before;
  const note = noteOf(ended, { before, after, booking });
  if (note === undefined) return;
  const { hash } = ended.receipt;
  await tripRecords.append(
    { tenantId, network, tripId },
    {
      ...note,
      details: { ...note.details, txHash: hash },
      // One transaction is one step of one trip.
      // A step of a booking does not always change its trip.
      ...{ key: `escrow:${hash}`, userId: undefined, at: (booking ?? after).updatedAt },
    },
  );
  if (action?.name === "commit") await rememberOrder(aggregates, before, action.itineraryHash);
}

function noteOf(
  { transaction: { operation } }: Pick<Ended, "transaction">,
  { before, after, booking }: { before: Trip; after: Trip; booking: EscrowBooking | undefined },
): TripNote | undefined {
  const money = (text: string, details: object): TripNote => ({ kind: "money", text, details: { ...details } });
  if (operation.kind === tripPrefund.kind) {
    const budgetUsdc = formatDecimal(before.budget);
    return money(`The trip was funded with ${budgetUsdc} USDC.`, { step: "fund", budgetUsdc });
  }
  const action = escrowStep.read(operation)?.action;
  if (action === undefined) return undefined;
  const step = action.name;
  if (action.name === "claim") {
    const details = { step, guestWallet: action.guest };
    return { kind: "claim", text: "The guest claimed the trip.", details };
  }
  if (action.name === "log") {
    const [feeUsdc, { actionId, actionType }] = [formatDecimal(action.fee), action];
    return money(`An agent action was logged for ${feeUsdc} USDC.`, { step, actionId, actionType, feeUsdc });
  }
  if (action.name === "close" || action.name === "release") {
    const refundedUsdc = formatDecimal(after.refunded - before.refunded);
    return money(`The trip was closed, and ${refundedUsdc} USDC went back to its funder.`, { step, refundedUsdc });
  }
  return booking === undefined ? undefined : money(...sayBookingStep(booking, step));
}

function sayBookingStep(booking: EscrowBooking, step: string): [text: string, details: object] {
  const { bookingId, state } = booking;
  const [reservedUsdc, vendorAmountUsdc] = [formatDecimal(booking.reserved), formatDecimal(booking.vendorAmount)];
  const [vendorPaidUsdc, feePaidUsdc] = [formatDecimal(booking.vendorPaid), formatDecimal(booking.feePaid)];
  const refundedUsdc = formatDecimal(booking.refunded);
  const about = { step, bookingId };
  switch (state) {
    case "reserved":
      return [`${reservedUsdc} USDC were reserved for a booking.`, { ...about, reservedUsdc }];
    case "committed":
      return [`${vendorAmountUsdc} USDC were committed to a booking's vendor.`, { ...about, vendorAmountUsdc }];
    case "confirmed":
      return [
        "The escrow learned of a booking's tickets or confirmation.",
        { ...about, ticketHash: booking.ticketHash },
      ];
    case "settled":
      return [
        `A booking was settled: ${vendorPaidUsdc} USDC to its vendor, ${feePaidUsdc} USDC in fees, ${refundedUsdc} USDC back.`,
        { ...about, vendorPaidUsdc, feePaidUsdc, refundedUsdc },
      ];
    default:
      if (booking.returned > 0n) {
        const returnedToTripUsdc = formatDecimal(booking.returned);
        return [
          `A booking was cancelled, and ${returnedToTripUsdc} USDC are back in the trip's budget.`,
          { ...about, returnedToTripUsdc },
        ];
      }
      return [`A booking was cancelled, and ${refundedUsdc} USDC came back.`, { ...about, refundedUsdc }];
  }
}
