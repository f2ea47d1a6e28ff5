import type { Failure, FailureDetails } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import { escrowStep } from "../escrow/index.ts";
import type { BoughtOrder } from "../orders/index.ts";
import type { EscrowBooking } from "../trips/index.ts";
import type { Stores } from "./context.ts";
import type { PaidChange } from "./paid-changes.ts";

export const settlementErrors = {
  booking_not_found:
    "You have no booking in escrow with this id. Use the 0x… id from reserve_booking. For an order paid directly by book_flight or book_stay, use its bkg_… or order id.",
  booking_not_settled:
    "The booking is not settled, so it cannot be invoiced yet. Call settle_booking first; the text names the booking's state.",
  settlement_unknown:
    "You have no transaction with this hash. Leave settleTxHash out, or use txHash from settle_booking's answer.",
  settlement_of_other_booking:
    "This transaction did not settle this booking; it belongs to another step or booking. Leave settleTxHash out.",
  settlement_reverted: "This transaction was reverted and settled nothing. Call settle_booking again.",
  settlement_not_final: "The settlement is not confirmed yet. Call again shortly.",
} as const;

type Fail = (code: keyof typeof settlementErrors, details?: FailureDetails) => Failure;

/** The settled booking, or an order that was paid from the wallet. */
type Invoiced = Pick<
  EscrowBooking,
  "tenantId" | "environment" | "vendorPaid" | "feePaid" | "serviceFee" | "itineraryHash"
> & {
  bookingId: string;
  /** Null: it was not paid in escrow. */
  tripId: Hex | null;
};

export interface Settlement {
  booking: Invoiced;
  transactionHash: Hex;
  settledAt: Temporal.Instant;
  /** Set if the order was paid from the wallet, without escrow: it then has a receipt. */
  order?: BoughtOrder;
  /** Its changes that were paid after the booking, in the same way. */
  changes?: readonly PaidChange[];
}

/** The settlement in our records of the chain; throws if there is none or the hash is another's. */
export async function findSettlement(
  { escrowBookings, chainTransactions }: Pick<Stores, "escrowBookings" | "chainTransactions">,
  {
    tenantId,
    environment,
    bookingId,
    hash,
  }: Pick<EscrowBooking, "tenantId" | "environment" | "bookingId"> & { hash: Hex | undefined },
  fail: Fail,
): Promise<Settlement> {
  const booking = await escrowBookings.find(tenantId, environment, bookingId);
  if (booking === undefined) throw fail("booking_not_found");
  if (hash !== undefined) await requireSettling({ chainTransactions }, booking, hash, fail);
  if (booking.state !== "settled") {
    throw fail("booking_not_settled", {
      detail: `The booking is ${booking.state}: it cannot be invoiced until settle_booking has paid it out.`,
    });
  }
  const step = booking.transactions.findLast((one) => one.step === "settle" || one.step === "release");
  const recorded = step && (await chainTransactions.findByHash(booking, step.transactionHash));
  if (step === undefined || recorded === undefined) {
    throw fail("settlement_unknown", {
      detail:
        "The booking was paid out by someone else's transaction, of which there is no record. It cannot be invoiced here.",
    });
  }
  if (recorded.state !== "confirmed") throw fail("settlement_not_final");
  return { booking, transactionHash: step.transactionHash, settledAt: step.at };
}

async function requireSettling(
  { chainTransactions }: Pick<Stores, "chainTransactions">,
  booking: EscrowBooking,
  hash: Hex,
  fail: Fail,
): Promise<void> {
  const transaction = await chainTransactions.findByHash(booking, hash);
  if (transaction === undefined || transaction.tenantId !== booking.tenantId) throw fail("settlement_unknown");
  const step = escrowStep.read(transaction.operation)?.action;
  const settles = step?.name === "settle" || step?.name === "release_booking";
  if (!settles || step.bookingId !== booking.bookingId) throw fail("settlement_of_other_booking");
  if (transaction.state === "reverted") throw fail("settlement_reverted");
  if (transaction.state !== "confirmed") throw fail("settlement_not_final");
}
