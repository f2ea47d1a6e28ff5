import { formatMoney } from "../money.ts";
import { formatIso } from "../orders/rows.ts";
import type { Queryable } from "../storage/database.ts";
import { type QuoteDetails, quoteCurrency, withPictures } from "./quotes.ts";

/** `pending` and `failed` bookings are the sandbox's own business: the supplier shows confirmed and cancelled ones. */
export type BookingRow = {
  id: string;
  seq: string;
  quote_id: string;
  reference: string;
  status: "pending" | "confirmed" | "cancelled" | "failed";
  total_micro: string;
  refund_micro: string;
  contact: { email: string; phoneNumber: string; loyaltyNumber: string | null; specialRequests: string | null };
  guests: { given_name: string; family_name: string; user_id: string | null }[];
  users: string[];
  metadata: Record<string, string>;
  details: QuoteDetails;
  created_ms: string;
  confirmed_ms: string | null;
  cancelled_ms: string | null;
};

export const VISIBLE = "status IN ('confirmed', 'cancelled')";

export function renderBooking(row: BookingRow, baseUrl: string) {
  const { details, contact } = row;
  const { key_collection: keyCollection, supported_loyalty_programme: programme } = details.accommodation;
  return {
    id: row.id,
    live_mode: false,
    reference: row.reference,
    status: row.status,
    confirmed_at: formatIso(row.confirmed_ms),
    cancelled_at: formatIso(row.cancelled_ms),
    check_in_date: details.checkIn,
    check_out_date: details.checkOut,
    rooms: details.rooms,
    guests: row.guests,
    email: contact.email,
    phone_number: contact.phoneNumber,
    accommodation: withPictures(details.accommodation, baseUrl),
    accommodation_special_requests: contact.specialRequests,
    key_collection: keyCollection,
    supported_loyalty_programme: programme,
    loyalty_programme_account_number: contact.loyaltyNumber,
    estimated_commission_amount: null,
    estimated_commission_currency: null,
    users: row.users,
    metadata: row.metadata,
  };
}

/** The booking in events. They are written without a caller, so pictures have no host in them. */
export function renderForEvent(row: BookingRow) {
  return { ...renderBooking(row, ""), quote_id: row.quote_id };
}

/** By the cancellation timeline: the first step that is still ahead says what comes back; past the last, nothing does. */
export function refundAt(row: BookingRow, nowMs: number): bigint {
  const ahead = [...row.details.timeline].sort((a, b) => a.beforeMs - b.beforeMs).find((step) => nowMs < step.beforeMs);
  return ahead === undefined ? 0n : BigInt(ahead.refundMicro);
}

export async function findBooking(db: Queryable, id: string, lock = false): Promise<BookingRow | undefined> {
  const { rows } = await db.query<BookingRow>(
    `SELECT * FROM stay_bookings WHERE id = $1 AND ${VISIBLE} ${lock ? "FOR UPDATE" : ""}`,
    [id],
  );
  return rows[0];
}

/** For the books: every booking that was tried, and every cancellation with what it gave back. */
export async function readStayBooks(tx: Queryable) {
  const { rows } = await tx.query<BookingRow>("SELECT * FROM stay_bookings ORDER BY seq");
  return {
    stayBookings: rows.map((row) => ({
      id: row.id,
      quote_id: row.quote_id,
      reference: row.reference,
      status: row.status,
      total_amount: formatMoney(BigInt(row.total_micro)),
      paid_amount: formatMoney(row.confirmed_ms === null ? 0n : BigInt(row.total_micro)),
      currency: quoteCurrency(row.details),
      metadata: row.metadata,
      created_at: formatIso(row.created_ms),
      confirmed_at: formatIso(row.confirmed_ms),
      cancelled_at: formatIso(row.cancelled_ms),
    })),
    stayCancellations: rows
      .filter((row) => row.cancelled_ms !== null)
      .map((row) => ({
        booking_id: row.id,
        refund_amount: formatMoney(BigInt(row.refund_micro)),
        currency: quoteCurrency(row.details),
        metadata: row.metadata,
        cancelled_at: formatIso(row.cancelled_ms),
      })),
  };
}
