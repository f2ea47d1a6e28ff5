// The supplier's side of some orders, for comparing it with that of the client who made them.
import { z } from "zod";
import { accountCurrency } from "../currencies.ts";
import { formatMoney } from "../money.ts";
import type { BookingRow } from "../stays/booking-rows.ts";
import { quoteCurrency } from "../stays/quotes.ts";
import type { Database } from "../storage/database.ts";

/** By what the client calls them in the metadata. */
export const BooksBody = z.strictObject({ booking_ids: z.array(z.string().max(100)).max(200) });

type OrderEntry = {
  id: string;
  state: string;
  total_micro: string;
  paid_micro: string;
  refunded_micro: string;
  metadata: Record<string, string>;
};

const money = (micro: string | bigint) => formatMoney(BigInt(micro));

export async function readBooks(db: Database, { booking_ids: ids }: z.infer<typeof BooksBody>) {
  const { rows: flights } = await db.query<OrderEntry>(
    `SELECT id, state, total_micro, paid_micro, refunded_micro, metadata FROM orders
     WHERE metadata->>'booking_id' = ANY($1) ORDER BY seq`,
    [ids],
  );
  const { rows: stays } = await db.query<BookingRow>(
    "SELECT * FROM stay_bookings WHERE metadata->>'booking_id' = ANY($1) AND status <> 'failed' ORDER BY seq",
    [ids],
  );
  return [
    ...flights.map((row) => ({
      id: row.id,
      booking_id: row.metadata.booking_id,
      kind: "flight",
      state: row.state,
      total_amount: money(row.total_micro),
      paid_amount: money(row.paid_micro),
      refunded_amount: money(row.refunded_micro),
      currency: accountCurrency(),
    })),
    ...stays.map((row) => ({
      id: row.id,
      booking_id: row.metadata.booking_id,
      kind: "stay",
      state: row.status,
      total_amount: money(row.total_micro),
      paid_amount: money(row.confirmed_ms === null ? 0n : row.total_micro),
      refunded_amount: money(row.cancelled_ms === null ? 0n : row.refund_micro),
      currency: quoteCurrency(row.details),
    })),
  ];
}
