import type { PlannedOverlap } from "../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Stores } from "./context.ts";

interface Asked {
  /** The call's own booking: other orders are compared with it. */
  quoteId: string;
  /** Undefined if unknown. */
  accommodationName: string | undefined;
  checkInDate: string;
  checkOutDate: string;
  guests: readonly { givenName: string; familyName: string; userId?: string | undefined }[];
}

interface Quoted {
  accommodation: { name: string };
  checkInDate: string;
  checkOutDate: string;
}

/** Names the stays that are already booked there for one of these nights, before anything is paid: for whom, a quote does not know. */
export async function sayBookedThere(
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
  { accommodation: { name }, checkInDate: from, checkOutDate }: Quoted,
): Promise<string[]> {
  const asked = { accommodationName: name, days: { from, to: lastNight(checkOutDate) } };
  return (await orders.findStaysAt(tenantId, environment, asked)).map(
    ({ orderId, checkInDate, checkOutDate: until }) =>
      `You have already booked a stay there from ${checkInDate} to ${until}, as order ${orderId}. Book this quote only if you want another room.`,
  );
}

const lastNight = (checkOutDate: string): string =>
  Temporal.PlainDate.from(checkOutDate).subtract({ days: 1 }).toString();

/** Names the stays that one of the guests already has for one of these nights. It may be intended, so nothing is refused. */
export async function findOtherStays(
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment, userId }: Pick<Caller, "tenantId" | "environment" | "userId">,
  { quoteId: exceptQuoteId, accommodationName, checkInDate: from, checkOutDate, guests }: Asked,
): Promise<PlannedOverlap[]> {
  const asked = { guests, userId, days: { from, to: lastNight(checkOutDate) }, exceptQuoteId };
  return (await orders.findStays(tenantId, environment, asked)).map((stay) => {
    const who = stay.userId ?? "one of the guests";
    const where = stay.accommodationName === accommodationName ? "at the same accommodation" : "elsewhere";
    return {
      orderId: stay.orderId,
      warning: `Careful: ${who} already has a stay ${where} from ${stay.checkInDate} to ${stay.checkOutDate}, as order ${stay.orderId}. If that is not intended, cancel one of them: cancel_order_quote says what is refunded.`,
    };
  });
}
