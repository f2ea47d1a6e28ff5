// Quotes, bookings and cancellations of stays, and the money that they move.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { request, SUPPLIER_HEADERS, startTestSandbox, type TestSandbox } from "./start.ts";
import { Booking, bookingBody, bookStay, findStays, pickRate, Quote, quoteStay, stayBooks } from "./stays-support.ts";
import { arm, CustomerUser, cents, daysAhead, parseData, parseError, tick } from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});
afterEach(async () => {
  await sandbox.control("DELETE", "/_sandbox/scenarios");
});

const BOOK = { path: "/stays/bookings", method: "POST" };
const CANCEL = { path: "/stays/bookings/{id}/actions/cancel", method: "POST" };
const QUOTE = { path: "/stays/quotes", method: "POST" };
const book = (quote: Quote, changes?: Record<string, unknown>) =>
  sandbox.call("POST", "/stays/bookings", bookingBody(quote, changes));
const cancel = (id: string) => sandbox.call("POST", `/stays/bookings/${id}/actions/cancel`);
const list = async (query: string) => {
  const answer = await sandbox.call("GET", `/stays/bookings${query}`);
  const { meta } = z.object({ meta: z.object({ after: z.string().nullable() }) }).parse(answer.body);
  return { bookings: parseData(answer, z.array(Booking)), after: meta.after };
};
const listBookings = async (quote: Quote) =>
  (await stayBooks(sandbox)).stayBookings.filter((entry) => entry.quote_id === quote.id);
const findRefund = async (id: string) =>
  (await stayBooks(sandbox)).stayCancellations.find((entry) => entry.booking_id === id)?.refund_amount;

test("a quote holds one rate at its price, and can be read again", async () => {
  const rate = await pickRate(sandbox);
  const quote = parseData(await sandbox.call("POST", "/stays/quotes", { rate_id: rate.id }), Quote, 201);
  expect(quote.total_amount).toBe(rate.total_amount);
  expect(cents(quote.base_amount) + cents(quote.tax_amount)).toBe(cents(quote.total_amount));
  expect(quote.accommodation.rooms.map((room) => room.rates)).toEqual([[rate]]);
  expect((await request(quote.accommodation.rooms[0]?.photos[0]?.url ?? "", {})).status).toBe(200);
  expect(parseData(await sandbox.call("GET", `/stays/quotes/${quote.id}`), Quote)).toEqual(quote);
  expect(parseError(await sandbox.call("POST", "/stays/quotes", { rate_id: `${rate.id}x` }))).toMatchObject({
    status: 404,
  });
  expect(parseError(await sandbox.call("GET", "/stays/quotes/quo_0000"))).toMatchObject({ status: 404 });
});

test("a booking is paid from the balance, keeps its metadata, and is found again", async () => {
  const quote = await quoteStay(sandbox);
  const before = cents((await stayBooks(sandbox)).balance.amount);
  const booking = await bookStay(sandbox, quote, { metadata: { booking_id: "b-1" } });
  expect(booking).toMatchObject({
    status: "confirmed",
    cancelled_at: null,
    metadata: { booking_id: "b-1" },
    email: "amelia@example.com",
    phone_number: "+442080160509",
    rooms: quote.rooms,
    check_in_date: quote.check_in_date,
    guests: [{ given_name: "Amelia", family_name: "Earhart" }],
  });
  expect(booking.accommodation).toEqual(quote.accommodation);
  const books = await stayBooks(sandbox);
  expect(before - cents(books.balance.amount)).toBe(cents(quote.total_amount));
  expect(books.stayBookings.at(-1)).toMatchObject({ id: booking.id, metadata: { booking_id: "b-1" } });
  expect(parseData(await sandbox.call("GET", `/stays/bookings/${booking.id}`), Booking)).toEqual(booking);
  expect(parseError(await sandbox.call("GET", "/stays/bookings/bok_0000"))).toMatchObject({ status: 404 });
});

test("bookings are listed newest first, page by page, and by customer user", async () => {
  const user = parseData(
    await sandbox.call("POST", "/identity/customer/users", {
      email: "guest@example.com",
      given_name: "Amelia",
      family_name: "Earhart",
    }),
    CustomerUser,
    201,
  );
  const quote = await quoteStay(sandbox);
  const first = await bookStay(sandbox, quote, { users: [user.id] });
  const second = await bookStay(sandbox, quote);
  const third = await bookStay(sandbox, quote, {
    guests: [{ given_name: "Amelia", family_name: "Earhart", user_id: user.id }],
  });
  const page = await list("?limit=2");
  expect(page.bookings.map((booking) => booking.id)).toEqual([third.id, second.id]);
  const next = await list(`?limit=1&after=${page.after}`);
  expect(next.bookings.map((booking) => booking.id)).toEqual([first.id]);
  const mine = await list(`?user_id=${user.id}`);
  expect(mine.bookings.map((booking) => booking.id)).toEqual([third.id, first.id]);
  expect(parseError(await sandbox.call("GET", "/stays/bookings?limit=201"))).toMatchObject({ pointer: "/limit" });
  expect(parseError(await book(quote, { users: ["icu_0000nobody"] }))).toMatchObject({ pointer: "/users" });
});

test("what is missing or wrong in a booking is named, and nothing is paid", async () => {
  const quote = await quoteStay(sandbox);
  const guests = Array.from({ length: 3 }, () => ({ given_name: "Amelia", family_name: "Earhart" }));
  const cases: [Record<string, unknown>, string][] = [
    [{ phone_number: undefined }, "/phone_number"],
    [{ phone_number: "0208 016" }, "/phone_number"],
    [{ email: undefined }, "/email"],
    [{ guests: [] }, "/guests"],
    [{ guests }, "/guests"],
    [{ quote_id: "quo_0000" }, "/quote_id"],
    [{ payment: { card_id: "tcd_0000" } }, "/payment"],
    [{ metadata: { ["k".repeat(41)]: "v" } }, `/metadata/${"k".repeat(41)}`],
  ];
  for (const [changes, pointer] of cases)
    expect(parseError(await book(quote, changes)), pointer).toMatchObject({ status: 422, pointer });
  expect(await listBookings(quote)).toEqual([]);
});

test("a loyalty number is for accommodation of its programme", async () => {
  const quote = await quoteStay(sandbox);
  expect(quote.accommodation.supported_loyalty_programme).toBe("duffel_hotel_group_rewards");
  const booking = await bookStay(sandbox, quote, { loyalty_programme_account_number: "201154908" });
  expect(booking.loyalty_programme_account_number).toBe("201154908");
  const london = { radius: 5, geographic_coordinates: { latitude: 51.5074, longitude: -0.1278 } };
  const plain = (await findStays(sandbox, { location: london })).find(
    (result) => result.accommodation.supported_loyalty_programme === null,
  );
  const rate = await pickRate(sandbox, true, {
    location: undefined,
    accommodation: { ids: [plain?.accommodation.id], fetch_rates: true },
  });
  const other = parseData(await sandbox.call("POST", "/stays/quotes", { rate_id: rate.id }), Quote, 201);
  expect(parseError(await book(other, { loyalty_programme_account_number: "201154908" }))).toMatchObject({
    pointer: "/loyalty_programme_account_number",
  });
});

describe("refusals of the supplier", () => {
  test.each([
    ["offer_expired", "quote_expired", "invalid_state_error"],
    ["sold_out", "rate_unavailable", "invalid_state_error"],
    ["price_changed", "price_changed", "validation_error"],
    ["insufficient_balance", "insufficient_balance", "airline_error"],
  ])("%s: the booking is refused, nothing is made, and the next one is", async (fault, code, type) => {
    const quote = await quoteStay(sandbox);
    await arm(sandbox, { match: BOOK, fault });
    expect(parseError(await book(quote))).toMatchObject({ status: 422, code, type });
    expect(await listBookings(quote)).toEqual([]);
    await bookStay(sandbox, quote);
    expect(await listBookings(quote)).toHaveLength(1);
  });

  test("a sold-out rate is not quoted; a changed price shows in the quote", async () => {
    const rate = await pickRate(sandbox);
    await arm(sandbox, { match: QUOTE, fault: "sold_out" });
    expect(parseError(await sandbox.call("POST", "/stays/quotes", { rate_id: rate.id }))).toMatchObject({
      code: "rate_unavailable",
    });
    await arm(sandbox, { match: QUOTE, fault: "price_changed" });
    const quote = parseData(await sandbox.call("POST", "/stays/quotes", { rate_id: rate.id }), Quote, 201);
    expect(cents(quote.total_amount)).toBeGreaterThan(cents(rate.total_amount));
    const booking = await bookStay(sandbox, quote);
    expect((await listBookings(quote))[0]?.total_amount).toBe(quote.total_amount);
    await cancel(booking.id);
    expect(await findRefund(booking.id)).toBe(quote.total_amount);
  });

  test("rates and quotes expire with the clock", async () => {
    const rate = await pickRate(sandbox);
    const quote = await quoteStay(sandbox);
    await tick(sandbox, 31 * 60);
    expect(parseError(await sandbox.call("POST", "/stays/quotes", { rate_id: rate.id }))).toMatchObject({
      code: "rate_expired",
    });
    expect(parseError(await book(quote))).toMatchObject({ code: "quote_expired" });
  });

  test("what the balance does not cover is not booked", async () => {
    const rooms = 9;
    const guests = Array.from({ length: 36 }, () => ({ type: "adult" }));
    const stay = { rooms, guests, check_out_date: daysAhead(159) };
    const results = await findStays(sandbox, stay);
    const dearest = results.toSorted(
      (a, b) => Number(b.cheapest_rate_total_amount) - Number(a.cheapest_rate_total_amount),
    )[0];
    const rate = await pickRate(sandbox, true, {
      ...stay,
      location: undefined,
      accommodation: { ids: [dearest?.accommodation.id] },
    });
    const quote = parseData(await sandbox.call("POST", "/stays/quotes", { rate_id: rate.id }), Quote, 201);
    const balance = async () => cents((await stayBooks(sandbox)).balance.amount);
    const made: Booking[] = [];
    while ((await balance()) >= cents(quote.total_amount)) made.push(await bookStay(sandbox, quote));
    expect(made.length).toBeGreaterThan(0);
    expect(parseError(await book(quote))).toMatchObject({ code: "insufficient_balance" });
    expect(await listBookings(quote)).toHaveLength(made.length);
    for (const booking of made) await cancel(booking.id);
    expect(await balance()).toBeGreaterThan(cents(quote.total_amount));
  });
});

describe("cancellation", () => {
  test("a non-refundable booking is cancelled for nothing, once", async () => {
    const quote = await quoteStay(sandbox, false);
    const booking = await bookStay(sandbox, quote);
    expect(parseData(await cancel(booking.id), Booking).status).toBe("cancelled");
    expect(await findRefund(booking.id)).toBe("0.00");
    expect(parseError(await cancel(booking.id))).toMatchObject({ status: 422, code: "already_cancelled" });
    expect(parseError(await cancel("bok_0000"))).toMatchObject({ status: 404 });
  });
});

describe("unknown outcomes", () => {
  test("reset after effect: the booking is there, its metadata says whose it is", async () => {
    const quote = await quoteStay(sandbox);
    await arm(sandbox, { match: BOOK, fault: "reset_after_effect" });
    await expect(book(quote, { metadata: { booking_id: "lost" } })).rejects.toThrow();
    expect((await list("?limit=1")).bookings[0]?.metadata).toEqual({ booking_id: "lost" });
    const booking = await bookStay(sandbox, quote);
    await arm(sandbox, { match: CANCEL, fault: "reset_after_effect" });
    await expect(cancel(booking.id)).rejects.toThrow();
    expect(await findRefund(booking.id)).toBe(quote.total_amount);
  });

  test("timeout and late effect: nothing, or something after all", async () => {
    const quote = await quoteStay(sandbox);
    const attempt = async (fault: string) => {
      await arm(sandbox, { match: BOOK, fault, delayMs: 600_000 });
      const giveUp = new AbortController();
      const body = JSON.stringify({ data: bookingBody(quote) });
      const init = { method: "POST", headers: SUPPLIER_HEADERS, body, signal: giveUp.signal };
      const asked = request(`${sandbox.url}/stays/bookings`, init);
      const refused = expect(asked).rejects.toThrow();
      await expect
        .poll(async () => (await sandbox.control("GET", "/_sandbox/scenarios")).body)
        .toEqual({ scenarios: [] });
      giveUp.abort();
      await refused;
    };
    await attempt("timeout");
    await tick(sandbox, 601);
    expect(await listBookings(quote)).toEqual([]);
    await attempt("late_effect");
    expect(await listBookings(quote)).toEqual([]);
    await tick(sandbox, 601);
    await expect.poll(() => listBookings(quote)).toHaveLength(1);
  });

  test("accepted: hidden and unpaid until it is done", async () => {
    const quote = await quoteStay(sandbox);
    await arm(sandbox, { match: BOOK, fault: "accepted_then_done", delayMs: 60_000 });
    expect((await book(quote, { metadata: { booking_id: "later" } })).status).toBe(202);
    expect((await listBookings(quote)).map((entry) => [entry.status, entry.paid_amount])).toEqual([
      ["pending", "0.00"],
    ]);
    expect((await list("?limit=1")).bookings[0]?.metadata).not.toEqual({ booking_id: "later" });
    await tick(sandbox, 61);
    const [booking] = (await list("?limit=1")).bookings;
    expect(booking).toMatchObject({ status: "confirmed", metadata: { booking_id: "later" } });
    await arm(sandbox, { match: CANCEL, fault: "accepted_then_done" });
    expect((await cancel(booking?.id ?? "")).status).toBe(202);
    await tick(sandbox, 2);
    expect(await findRefund(booking?.id ?? "")).toBe(quote.total_amount);
  });

  test("accepted, then failed: no booking, no money", async () => {
    const quote = await quoteStay(sandbox);
    await arm(sandbox, { match: BOOK, fault: "accepted_then_failed" });
    expect((await book(quote)).status).toBe(202);
    await tick(sandbox, 2);
    expect((await listBookings(quote)).map((entry) => [entry.status, entry.paid_amount])).toEqual([["failed", "0.00"]]);
    const booking = await bookStay(sandbox, quote);
    await arm(sandbox, { match: CANCEL, fault: "accepted_then_failed" });
    expect((await cancel(booking.id)).status).toBe(202);
    await tick(sandbox, 2);
    expect(parseData(await sandbox.call("GET", `/stays/bookings/${booking.id}`), Booking).status).toBe("confirmed");
  });
});

// The last one: it moves the clock past the check-in of every other.
test("a cancellation gives back everything before the first deadline, a part before the last, then nothing", async () => {
  const quote = await quoteStay(sandbox);
  const [first, last] = quote.accommodation.rooms[0]?.rates[0]?.cancellation_timeline ?? [];
  if (first === undefined || last === undefined) throw new Error("the rate has no two deadlines");
  const early = await bookStay(sandbox, quote, { metadata: { booking_id: "early" } });
  const late = await bookStay(sandbox, quote);
  const tooLate = await bookStay(sandbox, quote);
  const cancelled = parseData(await cancel(early.id), Booking);
  expect(cancelled).toMatchObject({ id: early.id, status: "cancelled" });
  expect(cancelled.cancelled_at).not.toBeNull();
  expect(await findRefund(early.id)).toBe(quote.total_amount);
  expect((await stayBooks(sandbox)).stayCancellations.at(-1)?.metadata).toEqual({ booking_id: "early" });
  const passed = async (instant: string) =>
    tick(sandbox, (Date.parse(instant) - Date.parse((await stayBooks(sandbox)).now)) / 1000 + 1);
  await passed(first.before);
  expect(parseData(await cancel(late.id), Booking).status).toBe("cancelled");
  expect(await findRefund(late.id)).toBe(last.refund_amount);
  await passed(last.before);
  expect(parseData(await cancel(tooLate.id), Booking).status).toBe("cancelled");
  expect(await findRefund(tooLate.id)).toBe("0.00");
});
