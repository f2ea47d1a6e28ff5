import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Stores } from "./context.ts";

interface Asked {
  /** Undefined for a stay that is not booked yet. */
  orderId?: string;
  /** Undefined if unknown. */
  name?: string | undefined;
  accommodationName?: string;
  checkInDate: string;
  checkOutDate: string;
}

/** Names the stays elsewhere that the same user has booked for one of these nights. It may be intended, so nothing is refused. */
export async function sayOtherStays(
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment, userId }: Pick<Caller, "tenantId" | "environment" | "userId">,
  { orderId, name, accommodationName = name, checkInDate: from, checkOutDate }: Asked,
): Promise<string[]> {
  const to = Temporal.PlainDate.from(checkOutDate).subtract({ days: 1 }).toString();
  const stays = await orders.staysDuring(tenantId, environment, userId, { from, to });
  return stays
    .filter((stay) => stay.orderId !== orderId && stay.accommodationName !== accommodationName)
    .map(
      (stay) =>
        `Careful: you have already booked a stay elsewhere from ${stay.checkInDate} to ${stay.checkOutDate}, as order ${stay.orderId}. If that is not intended, cancel one of them: cancel_order_quote says what is refunded.`,
    );
}
