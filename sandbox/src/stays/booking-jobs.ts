// The events of a booking: immediate, or a moment after it was only accepted.

import { accountCurrency, exchange } from "../currencies.ts";
import { ApiError } from "../http/errors.ts";
import { debit, refund } from "../orders/balance.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { type BookingRow, refundAt, renderForEvent } from "./booking-rows.ts";
import { quoteCurrency } from "./quotes.ts";

/** A stay's amount in the currency of the operator's balance. */
function inAccount({ details }: BookingRow, micro: bigint): bigint {
  return exchange(micro, quoteCurrency(details), accountCurrency());
}

/** Pays for a booking from the operator's balance and tells of it. */
export async function confirmBooking(tx: Queryable, row: BookingRow, nowMs: number): Promise<BookingRow> {
  await debit(tx, inAccount(row, BigInt(row.total_micro)), row.id, nowMs);
  const { rows } = await tx.query<BookingRow>(
    "UPDATE stay_bookings SET status = 'confirmed', confirmed_ms = $2 WHERE id = $1 RETURNING *",
    [row.id, Math.floor(nowMs)],
  );
  const [confirmed] = rows;
  if (confirmed === undefined) throw new Error("the confirmed booking was not returned");
  await emit(tx, "stays.booking.created", renderForEvent(confirmed), nowMs);
  return confirmed;
}

async function failBooking(tx: Queryable, row: BookingRow, nowMs: number): Promise<void> {
  await tx.query("UPDATE stay_bookings SET status = 'failed' WHERE id = $1", [row.id]);
  const { guests, users, metadata, quote_id } = row;
  // Nothing was made, so there is no booking to name.
  await emit(tx, "stays.booking_creation_failed", { quote_id, guests, users, metadata }, nowMs);
}

export async function cancelBooking(tx: Queryable, booking: BookingRow, nowMs: number): Promise<BookingRow> {
  const refundMicro = refundAt(booking, nowMs);
  await refund(tx, inAccount(booking, refundMicro), booking.id, nowMs);
  const { rows } = await tx.query<BookingRow>(
    "UPDATE stay_bookings SET status = 'cancelled', cancelled_ms = $2, refund_micro = $3 WHERE id = $1 RETURNING *",
    [booking.id, Math.floor(nowMs), refundMicro.toString()],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the cancelled booking was not returned");
  await emit(tx, "stays.booking.cancelled", renderForEvent(row), nowMs);
  return row;
}

type Step = "confirm" | "fail" | "cancel";

export async function schedule(tx: Queryable, step: Step, bookingId: string, dueMs: number): Promise<void> {
  await tx.query("INSERT INTO jobs (kind, reference, due_ms) VALUES ('stay_booking', $1, $2)", [
    `${step} ${bookingId}`,
    Math.floor(dueMs),
  ]);
}

export async function runStayBooking(tx: Queryable, reference: string, nowMs: number): Promise<void> {
  const [step, id] = reference.split(" ");
  const expected = step === "cancel" ? "confirmed" : "pending";
  const { rows } = await tx.query<BookingRow>("SELECT * FROM stay_bookings WHERE id = $1 AND status = $2 FOR UPDATE", [
    id,
    expected,
  ]);
  const [row] = rows;
  if (row === undefined) return;
  if (step === "cancel") {
    await cancelBooking(tx, row, nowMs);
    return;
  }
  if (step === "fail") return failBooking(tx, row, nowMs);
  try {
    await confirmBooking(tx, row, nowMs);
  } catch (error) {
    // The account ran short meanwhile; nothing was written before that showed.
    if (!(error instanceof ApiError)) throw error;
    await failBooking(tx, row, nowMs);
  }
}
