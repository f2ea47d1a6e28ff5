import { z } from "zod";
import { toIso } from "../clock.ts";
import { formatMoney } from "../money.ts";
import { CURRENCY, type WireOffer } from "../offers/render.ts";
import type { Queryable } from "../storage/database.ts";

export type OrderPassenger = { id: string; [field: string]: unknown };

/** What an order takes over from its offer and never changes afterwards. */
export type OrderDetails = Pick<WireOffer, "owner" | "conditions" | "slices"> & {
  passengers: OrderPassenger[];
  /** `credit_refund` orders are refunded as airline credits. */
  refundsAsCredit: boolean;
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
};

export const Metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((pairs) => Object.keys(pairs).length <= 50, { message: "has more than 50 pairs" });

export function isoOf(ms: string | null): string | null {
  return ms === null ? null : toIso(Number(ms));
}

export function renderOrder(row: OrderRow) {
  const total = BigInt(row.total_micro);
  const tax = BigInt(row.tax_micro);
  const open = row.state === "held" || row.state === "paid";
  return {
    id: row.id,
    live_mode: false,
    created_at: isoOf(row.created_ms),
    synced_at: isoOf(row.created_ms),
    offer_id: row.offer_id,
    type: row.type,
    content: "managed",
    booking_reference: row.booking_reference,
    owner: row.details.owner,
    total_amount: formatMoney(total),
    total_currency: CURRENCY,
    base_amount: formatMoney(total - tax),
    base_currency: CURRENCY,
    tax_amount: formatMoney(tax),
    tax_currency: CURRENCY,
    conditions: row.details.conditions,
    slices: row.details.slices,
    passengers: row.details.passengers,
    services: [],
    documents: row.documents,
    payment_status: {
      awaiting_payment: row.state === "held",
      payment_required_by: isoOf(row.payment_required_by_ms),
      price_guarantee_expires_at: isoOf(row.price_guarantee_ms),
      paid_at: isoOf(row.paid_ms),
    },
    available_actions: open ? ["cancel", "update"] : [],
    airline_initiated_changes: [],
    changes: [],
    cancellation: null,
    cancelled_at: isoOf(row.cancelled_ms),
    void_window_ends_at: null,
    metadata: row.metadata,
    users: row.users,
  };
}

export async function findOrder(db: Queryable, id: string, lock = false): Promise<OrderRow | undefined> {
  const { rows } = await db.query<OrderRow>(`SELECT * FROM orders WHERE id = $1 ${lock ? "FOR UPDATE" : ""}`, [id]);
  return rows[0];
}
