import { formatDecimal } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Reads } from "../context.ts";

const LONGEST_ID = 40;

const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);

/** Why the wallet has no movements of an order, which does not mean that it cost nothing. */
export async function whyNoMovements(
  reads: Reads,
  { tenantId, environment }: { tenantId: string; environment: Environment },
  orderId: string,
): Promise<string> {
  const order = await reads(tenantId, ({ orders }) => orders.findBought(tenantId, environment, orderId));
  if (order === undefined) {
    return `You have no order ${toVisibleText(orderId, LONGEST_ID)}: list_orders has the ids.`;
  }
  if (order.status === "held" || order.status === "lapsed") return "Nothing was paid for this order: it was only held.";
  const { escrowBookingId } = order.booking;
  const paid = order.externalId ?? escrowBookingId;
  const booking =
    paid === undefined || !isHash(paid)
      ? undefined
      : await reads(tenantId, ({ escrowBookings }) => escrowBookings.find(tenantId, environment, paid));
  if (booking === undefined) return "Nothing has moved in these days for this order: ask without from and to.";
  const { tripId, bookingId, state, vendorPaid, feePaid } = booking;
  const amount = state === "settled" ? ` ${formatDecimal(vendorPaid + feePaid)} USDC were paid from there.` : "";
  return `The wallet paid nothing for this order: the budget of trip ${tripId} pays for it (booking ${bookingId}, ${state}).${amount} read_trip with that tripId has the amounts; list_movements with it has the budget's payment from the wallet and what came back.`;
}
