import type { SupplierEntry } from "../../ports/simulators.ts";
import type { Booking } from "../bookings/index.ts";
import type { OrderRecord } from "../orders/index.ts";

export const differenceKinds = ["missing_there", "missing_here", "twice", "state", "total", "not_paid"] as const;
type Difference = (typeof differenceKinds)[number];

type OurBooking = Pick<Booking, "id" | "kind" | "state" | "totalAmount" | "totalCurrency">;
type OurOrder = Pick<OrderRecord, "orderId" | "bookingId" | "status" | "totalAmount" | "totalCurrency">;

interface ComparedBooking {
  bookingId: string;
  kind: "flight" | "stay";
  orderId: string | null;
  /** The order's status; `booking`: its outcome is open; `failed`: nothing was bought. */
  status: OurOrder["status"] | "booking" | "failed";
  totalAmount: string;
  totalCurrency: string;
  theirs: readonly SupplierEntry[];
  differences: readonly Difference[];
}

/** How the supplier calls our statuses. */
const THEIR_STATES: Readonly<Record<OurOrder["status"], readonly string[]>> = {
  held: ["held"],
  confirmed: ["paid", "confirmed"],
  cancelled: ["cancelled", "ticketing_failed"],
  lapsed: ["lapsed"],
};
/** There it owes nothing and holds nothing. */
const ENDED = ["cancelled", "lapsed", "ticketing_failed"];

/** Both sides of each booking. Work that is open is no difference: it is decided when its outcome is known. */
export function compareBooks(
  bookings: readonly OurBooking[],
  orders: readonly OurOrder[],
  entries: readonly SupplierEntry[],
): readonly ComparedBooking[] {
  const orderByBooking = new Map(orders.map((order) => [order.bookingId, order]));
  const entriesByBooking = Map.groupBy(entries, ({ bookingId }) => bookingId);
  return bookings.map((booking) => {
    const order = orderByBooking.get(booking.id);
    const theirs = entriesByBooking.get(booking.id) ?? [];
    const status = order?.status ?? (booking.state === "failed" ? "failed" : "booking");
    const { totalAmount, totalCurrency } = order ?? booking;
    return {
      bookingId: booking.id,
      kind: booking.kind === "stay" ? "stay" : "flight",
      orderId: order?.orderId ?? null,
      ...{ status, totalAmount, totalCurrency, theirs },
      differences: findDifferences(booking, order, theirs),
    };
  });
}

function findDifferences(
  { state }: OurBooking,
  order: OurOrder | undefined,
  theirs: readonly SupplierEntry[],
): readonly Difference[] {
  const live = theirs.filter((entry) => !ENDED.includes(entry.state));
  if (live.length > 1) return ["twice"];
  if (order === undefined) return state === "failed" && live.length > 0 ? ["missing_here"] : [];
  const entry = theirs.find(({ orderId }) => orderId === order.orderId);
  if (entry === undefined) return ["missing_there"];
  const isPaid = order.status === "confirmed";
  return [
    ...(THEIR_STATES[order.status].includes(entry.state) ? [] : (["state"] as const)),
    ...(isSame(order.totalAmount, entry.totalAmount) && order.totalCurrency === entry.currency
      ? []
      : (["total"] as const)),
    ...(isPaid && Number(entry.paidAmount) < Number(entry.totalAmount) ? (["not_paid"] as const) : []),
  ];
}

/** Decimal texts that differ at most in zeros at their ends. */
function isSame(one: string, other: string): boolean {
  return trim(one) === trim(other);
}

const trim = (decimal: string): string => (decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal);
