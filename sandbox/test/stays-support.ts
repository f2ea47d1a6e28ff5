// Shared by the tests of stays: the wire's shapes, a search, a quote and a booking.
import { z } from "zod";
import type { RunningSandbox } from "./start.ts";
import { cents, daysAhead, Ledger, parseData } from "./supplier.ts";

const Money = z.string().regex(/^\d+\.\d{2}$/u);
const Rate = z.looseObject({
  id: z.string().startsWith("rat_0000"),
  total_amount: Money,
  negotiated_rate_id: z.string().nullable(),
  cancellation_timeline: z.array(
    z.object({ before: z.iso.datetime(), refund_amount: Money, currency: z.literal("USD") }),
  ),
});
export const Accommodation = z.looseObject({
  id: z.string().startsWith("acc_0000"),
  name: z.string(),
  chain: z.object({ id: z.string().startsWith("chn_0000"), name: z.string() }).nullable(),
  photos: z.array(z.object({ url: z.url() })).min(1),
  supported_loyalty_programme: z.string().nullable(),
  rooms: z.array(
    z.looseObject({ name: z.string(), photos: z.array(z.object({ url: z.url() })), rates: z.array(Rate) }),
  ),
});
const Result = z.looseObject({
  id: z.string().startsWith("srr_0000"),
  cheapest_rate_total_amount: Money,
  supported_negotiated_rates: z.array(z.object({ id: z.string(), display_name: z.string() })),
  accommodation: Accommodation,
});
export const Quote = z.looseObject({
  id: z.string().startsWith("quo_0000"),
  total_amount: Money,
  base_amount: Money,
  tax_amount: Money,
  due_at_accommodation_amount: Money,
  rooms: z.number(),
  guests: z.array(z.looseObject({ type: z.string() })),
  accommodation: Accommodation,
});
export type Quote = z.infer<typeof Quote>;
export const Booking = z.looseObject({
  id: z.string().startsWith("bok_0000"),
  reference: z.string().regex(/^ZZ[A-Z0-9]{4}$/u),
  status: z.enum(["confirmed", "cancelled"]),
  confirmed_at: z.iso.datetime(),
  cancelled_at: z.iso.datetime().nullable(),
  metadata: z.record(z.string(), z.string()),
  accommodation: Accommodation,
});
export type Booking = z.infer<typeof Booking>;

const StayBooks = Ledger.extend({
  stayBookings: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      paid_amount: Money,
      metadata: z.record(z.string(), z.string()),
    }),
  ),
  stayCancellations: z.array(
    z.looseObject({ booking_id: z.string(), refund_amount: Money, metadata: z.record(z.string(), z.string()) }),
  ),
});

/** Where the supplier keeps its test hotels; none of them is ever sold out by chance. */
export const TEST_PLACE = { latitude: -24.38, longitude: -128.32 };

export async function findStays(sandbox: RunningSandbox, changes: Record<string, unknown> = {}) {
  const body = {
    rooms: 1,
    guests: [{ type: "adult" }, { type: "adult" }],
    check_in_date: daysAhead(60),
    check_out_date: daysAhead(63),
    location: { radius: 2, geographic_coordinates: TEST_PLACE },
    ...changes,
  };
  const found = parseData(await sandbox.call("POST", "/stays/search", body), z.object({ results: z.array(Result) }));
  return found.results;
}

export async function allRates(sandbox: RunningSandbox, resultId: string) {
  const answer = await sandbox.call("POST", `/stays/search_results/${resultId}/actions/fetch_all_rates`);
  return parseData(answer, Result).accommodation.rooms.flatMap((room) => room.rates);
}

export async function pickRate(sandbox: RunningSandbox, refundable = true, changes: Record<string, unknown> = {}) {
  const [result] = await findStays(sandbox, changes);
  const rates = await allRates(sandbox, result?.id ?? "");
  const rate = rates.find((candidate) => candidate.cancellation_timeline.length > 0 === refundable);
  if (rate === undefined) throw new Error("no rate of the search fits");
  return rate;
}

export async function quoteStay(sandbox: RunningSandbox, refundable = true): Promise<Quote> {
  const rate = await pickRate(sandbox, refundable);
  return parseData(await sandbox.call("POST", "/stays/quotes", { rate_id: rate.id }), Quote, 201);
}

export function bookingBody(quote: Quote, changes: Record<string, unknown> = {}) {
  return {
    quote_id: quote.id,
    email: "amelia@example.com",
    phone_number: "+442080160509",
    guests: [{ given_name: "Amelia", family_name: "Earhart" }],
    ...changes,
  };
}

export async function bookStay(
  sandbox: RunningSandbox,
  quote: Quote,
  changes: Record<string, unknown> = {},
): Promise<Booking> {
  return parseData(await sandbox.call("POST", "/stays/bookings", bookingBody(quote, changes)), Booking, 201);
}

/** The books; fails when opening sum, bookings and refunds do not explain the balance. */
export async function stayBooks(sandbox: RunningSandbox) {
  const books = StayBooks.parse((await sandbox.control("GET", "/_sandbox/ledger")).body);
  const opening = books.balanceEntries.find((entry) => entry.kind === "opening")?.amount ?? "";
  const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + cents(amount), 0n);
  const expected =
    cents(opening) -
    sum(books.stayBookings.map((booking) => booking.paid_amount)) +
    sum(books.stayCancellations.map((cancellation) => cancellation.refund_amount));
  if (expected !== cents(books.balance.amount)) throw new Error("bookings and refunds do not explain the balance");
  return books;
}
