import { z } from "zod";
import { toIso } from "../clock.ts";
import { accountCurrency } from "../currencies.ts";
import { formatMoney } from "../money.ts";
import type { WireOffer } from "../offers/render.ts";
import type { OfferRequest, RequestPassenger } from "../offers/request.ts";
import { type BookedService, renderService } from "../seats/booked.ts";
import type { Journey, WireSlice } from "../seats/services.ts";
import type { Queryable } from "../storage/database.ts";

type OrderPassenger = {
  id: string;
  type: RequestPassenger["type"];
  age: number | null;
  fare_type: string | null;
  user_id: string | null;
  [field: string]: unknown;
};

/** The order's copy of its offer; only changes of its slices touch it afterwards. */
export type OrderDetails = Pick<WireOffer, "owner" | "conditions" | "slices"> & {
  passengers: OrderPassenger[];
  /** `credit_refund` orders are refunded as airline credits. */
  refundsAsCredit: boolean;
  /** The price of each slice when it was bought, and the codes that made it cheaper: a change is priced by them. */
  sliceFares: { totalMicro: string; taxMicro: string }[];
  privateFares: OfferRequest["privateFares"];
};

export type OrderRow = {
  id: string;
  seq: string;
  offer_id: string;
  booking_reference: string;
  type: "instant" | "hold";
  state: "held" | "paid" | "cancelled" | "lapsed" | "ticketing_failed";
  ticketing: "none" | "pending" | "ticketed" | "failed";
  ticketing_fault: string | null;
  ticketing_delay_ms: number;
  total_micro: string;
  tax_micro: string;
  paid_micro: string;
  metadata: Record<string, string>;
  users: string[];
  details: OrderDetails;
  documents: { type: string; unique_identifier: string; passenger_ids: string[] }[];
  created_ms: string;
  payment_required_by_ms: string | null;
  price_guarantee_ms: string | null;
  paid_ms: string | null;
  cancelled_ms: string | null;
  services: BookedService[];
  /** As they were rendered when they happened. */
  changes: Record<string, unknown>[];
  airline_changes: { action_taken: string | null; [field: string]: unknown }[];
  cancellation: Record<string, unknown> | null;
  /** The money refunded by changes; cancellations end the order and need no such record. */
  refunded_micro: string;
  service_permille: number;
  refund_permille: number;
};

const VOID_WINDOW_MS = 24 * 3_600_000;

export const Metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((pairs) => Object.keys(pairs).length <= 50, { message: "has more than 50 pairs" });

export function formatIso(ms: string | null): string | null {
  return ms === null ? null : toIso(Number(ms));
}

/** The services that can still be bought for an order. */
export function toJourney(row: OrderRow): Journey {
  return { slices: row.details.slices, passengers: row.details.passengers, pricePermille: row.service_permille };
}

/** The airline changed the schedule, and nobody has said yet what to do about it. */
export function hasOpenAirlineChange(row: OrderRow): boolean {
  return row.airline_changes.some((change) => change.action_taken === null);
}

export function mayChange(row: OrderRow): boolean {
  if (row.state !== "paid" || row.ticketing !== "ticketed") return false;
  return row.details.conditions.change_before_departure.allowed || hasOpenAirlineChange(row);
}

function withSeats(slices: readonly WireSlice[], services: readonly BookedService[]) {
  const seats = services.filter((service) => service.type === "seat");
  if (seats.length === 0) return slices;
  return slices.map((slice) => ({
    ...slice,
    segments: slice.segments.map((segment) => ({
      ...segment,
      passengers: segment.passengers.map((passenger) => {
        const seat = seats.find(
          (service) => service.segmentIds.includes(segment.id) && service.passengerIds.includes(passenger.passenger_id),
        );
        return seat === undefined ? passenger : { ...passenger, seat: seat.metadata };
      }),
    })),
  }));
}

/** For a fare that is refundable free of charge anyway, so that the window promises nothing that a cancellation does not keep. */
function voidWindowEnd({ state, paid_ms: paidMs, details, changes }: OrderRow): string | null {
  const { allowed, penalty_amount: penalty } = details.conditions.refund_before_departure;
  if (state !== "paid" || paidMs === null || !allowed || Number(penalty) > 0 || changes.length > 0) return null;
  return toIso(Number(paidMs) + VOID_WINDOW_MS);
}

export function renderOrder(row: OrderRow) {
  const total = BigInt(row.total_micro);
  const tax = BigInt(row.tax_micro);
  const open = row.state === "held" || row.state === "paid";
  return {
    id: row.id,
    live_mode: false,
    created_at: formatIso(row.created_ms),
    synced_at: formatIso(row.created_ms),
    offer_id: row.offer_id,
    type: row.type,
    content: "managed",
    booking_reference: row.booking_reference,
    owner: row.details.owner,
    total_amount: formatMoney(total),
    total_currency: accountCurrency(),
    base_amount: formatMoney(total - tax),
    base_currency: accountCurrency(),
    tax_amount: formatMoney(tax),
    tax_currency: accountCurrency(),
    conditions: row.details.conditions,
    slices: withSeats(row.details.slices, row.services),
    passengers: row.details.passengers,
    services: row.services.map(renderService),
    documents: row.documents,
    payment_status: {
      awaiting_payment: row.state === "held",
      payment_required_by: formatIso(row.payment_required_by_ms),
      price_guarantee_expires_at: formatIso(row.price_guarantee_ms),
      paid_at: formatIso(row.paid_ms),
    },
    available_actions: open ? ["cancel", ...(mayChange(row) ? ["change"] : []), "update"] : [],
    airline_initiated_changes: row.airline_changes,
    changes: row.changes,
    cancellation: row.cancellation,
    cancelled_at: formatIso(row.cancelled_ms),
    void_window_ends_at: voidWindowEnd(row),
    metadata: row.metadata,
    users: row.users,
  };
}

export async function findOrder(db: Queryable, id: string, lock = false): Promise<OrderRow | undefined> {
  const { rows } = await db.query<OrderRow>(`SELECT * FROM orders WHERE id = $1 ${lock ? "FOR UPDATE" : ""}`, [id]);
  return rows[0];
}
