import { z } from "zod";
import type { Failure, FailureDetails } from "../../domain/errors.ts";
import { parseDecimal } from "../../domain/money.ts";
import type { BoughtOrder } from "../orders/index.ts";
import type { Stores } from "./context.ts";
import type { Settlement } from "./find-settlement.ts";
import { listPaidChanges } from "./paid-changes.ts";

/** The members of a booking's answer that say how its price was paid. */
const Paid = z.object({
  totalAmount: z.string(),
  totalCurrency: z.string(),
  chargedUsdc: z.string().default("0"),
  chargeTransferId: z.string().nullable().default(null),
});

type Fail = (code: "booking_not_settled" | "settlement_not_final", details?: FailureDetails) => Failure;

/** The payments of an order from the wallet, by our records: at the booking, and for changes since. Throws if there are none. */
export async function findPayment(
  { chainTransactions, servicingActions }: Pick<Stores, "chainTransactions" | "servicingActions">,
  order: BoughtOrder,
  fail: Fail,
): Promise<Settlement> {
  const paid = Paid.safeParse(order.booking.result ?? {}).data;
  const charged = parseDecimal(paid?.chargedUsdc ?? "0") ?? 0n;
  const settledAt = order.events.find(({ kind }) => kind === "booked")?.at;
  if (paid === undefined || charged === 0n || settledAt === undefined) {
    throw fail("booking_not_settled", {
      detail:
        order.status === "held"
          ? "The airline holds this order unpaid, so there is no receipt yet. Pay for it with book_flight."
          : "Nothing was paid from the wallet for this order, so it has no receipt. A booking that was paid in escrow has an invoice: use the bookingId of reserve_booking.",
    });
  }
  const transaction = paid.chargeTransferId === null ? undefined : await chainTransactions.get(paid.chargeTransferId);
  const changes = await listPaidChanges({ chainTransactions, servicingActions }, order);
  if (transaction?.state !== "confirmed" || transaction.hash === undefined || changes === undefined) {
    throw fail("settlement_not_final", { detail: "The payment is not confirmed yet. Call again shortly." });
  }
  const { tenantId, environment, bookingId, itineraryHash } = order;
  const { totalAmount, totalCurrency } = paid;
  return {
    booking: {
      ...{ tenantId, environment, bookingId, itineraryHash: undefined, tripId: null },
      ...{ vendorPaid: charged, feePaid: 0n, serviceFee: 0n },
    },
    transactionHash: transaction.hash,
    settledAt,
    order: { ...order, itineraryHash, totalAmount, totalCurrency },
    changes,
  };
}
