import { afterAll, beforeAll, expect, test } from "vitest";
import { duffelAt } from "../../../../test/support/duffel-harness.ts";
import { type SupplierSandbox, startSupplierSandbox } from "../../../../test/support/supplier-sandbox.ts";
import type { StayBookingRequest } from "../../../ports/supplier/stay-bookings.ts";
import type { Accommodation } from "../../../ports/supplier/stays.ts";

/** Booking of stays against the embedded sandbox over HTTP, including faults. */

let supplier: SupplierSandbox;
let duffel: ReturnType<typeof duffelAt>;

beforeAll(async () => {
  supplier = await startSupplierSandbox();
  const settings = { token: supplier.token, clock: { now: () => Temporal.Now.instant() } };
  duffel = duffelAt(supplier.url, {}, settings);
});
afterAll(async () => {
  duffel.http.close();
  await supplier.stop();
});

const today = Temporal.Now.plainDateISO("UTC");
const effects = [
  ["reset_after_effect", true],
  ["truncated_json", true],
  ["http_500", false],
  ["timeout", false],
] as const;
/** Uses a short time-out where no answer will come. */
function answerTo<Result>(fault: (typeof effects)[number][0], calling: Promise<Result>): Promise<Result> {
  return fault === "timeout" ? supplier.unanswered(calling) : calling;
}

async function search(guests: number): Promise<Accommodation> {
  const dates = { checkInDate: today.add({ days: 40 }).toString(), checkOutDate: today.add({ days: 42 }).toString() };
  const where = { latitude: -24.38, longitude: -128.32, radiusKilometers: 20 };
  const {
    accommodations: [place],
  } = await duffel.stays.searchAccommodations({ ...where, ...dates, guests, rooms: 1 }, 1);
  if (place === undefined) throw new Error("no place to stay");
  return place;
}

async function someRate(): Promise<string> {
  return (await search(2)).rates[0].id;
}

let bookings = 0;
function buildStayRequest(quoteId: string): StayBookingRequest {
  bookings += 1;
  return {
    quoteId,
    bookingId: `bkg_${bookings}`,
    email: "ada@example.test",
    phoneNumber: "+442071234567",
    guests: [{ givenName: "Ada", familyName: "Lovelace" }],
    customerUserIds: [],
  };
}

test("a stay is quoted, booked, found by our id and cancelled", async () => {
  const { stayBookings } = duffel;
  const since = Temporal.Now.instant();
  const quote = await stayBookings.quoteStay(await someRate());
  expect(await stayBookings.getQuote(quote.id)).toEqual(quote);
  expect(quote).toMatchObject({ rooms: 1, guests: 2, totalCurrency: "USD" });
  const request = buildStayRequest(quote.id);
  const stay = await stayBookings.bookStay(request);
  expect(stay).toMatchObject({
    status: "confirmed",
    bookingId: request.bookingId,
    price: { amount: quote.totalAmount, currency: quote.totalCurrency },
    cancellationPolicy: quote.cancellationPolicy,
  });
  expect(await stayBookings.findStaysByBooking(request.bookingId, since)).toEqual([stay]);
  expect(await stayBookings.findStaysByBooking("bkg_none", since)).toEqual([]);
  expect(await stayBookings.cancelStay(stay.id)).toMatchObject({
    status: "cancelled",
    cancelledAt: expect.any(String),
  });
  await expect(stayBookings.cancelStay(stay.id)).rejects.toMatchObject({ code: "already_cancelled" });
  expect((await stayBookings.getStay(stay.id)).status).toBe("cancelled");
});

test("unknown rates, quotes and stays, and rates that are sold out, more expensive or too late", async () => {
  const { stayBookings } = duffel;
  await expect(stayBookings.quoteStay("rat_nothing")).rejects.toMatchObject({ code: "rate_not_found" });
  await expect(stayBookings.getQuote("quo_nothing")).rejects.toMatchObject({ code: "quote_not_found" });
  await expect(stayBookings.bookStay(buildStayRequest("quo_nothing"))).rejects.toMatchObject({
    code: "quote_not_found",
  });
  await expect(stayBookings.getStay("bok_nothing")).rejects.toMatchObject({ code: "booking_not_found" });
  await expect(stayBookings.cancelStay("bok_nothing")).rejects.toMatchObject({ code: "booking_not_found" });
  const rate = await someRate();
  const { id } = await stayBookings.quoteStay(rate);
  for (const [fault, code] of [
    ["sold_out", "rate_unavailable"],
    ["price_changed", "price_changed"],
    ["insufficient_balance", "provider_unavailable"],
    ["offer_expired", "quote_expired"],
  ] as const) {
    await supplier.arm("POST", "/stays/bookings", fault);
    await expect(stayBookings.bookStay(buildStayRequest(id)), fault).rejects.toMatchObject({ code });
  }
  await supplier.arm("POST", "/stays/quotes", "sold_out");
  await expect(stayBookings.quoteStay(rate)).rejects.toMatchObject({ code: "rate_unavailable" });
});

test.each(effects)("%s on a stay: unknown outcome, and the look-up says %s", async (fault, done) => {
  const since = Temporal.Now.instant();
  const quote = await duffel.stayBookings.quoteStay(await someRate());
  const request = buildStayRequest(quote.id);
  await supplier.arm("POST", "/stays/bookings", fault);
  const lost = answerTo(fault, duffel.stayBookings.bookStay(request));
  await expect(lost).rejects.toMatchObject({ code: "outcome_unknown" });
  const found = await duffel.stayBookings.findStaysByBooking(request.bookingId, since);
  expect(found).toHaveLength(done ? 1 : 0);
  const made = (await supplier.ledger()).stayBookings.filter(({ id }) => found.some((one) => one.id === id));
  expect(made.map(({ metadata }) => metadata)).toEqual(found.map(() => ({ booking_id: request.bookingId })));
});

test("a negotiated rate is created, changed and deleted", async () => {
  const accommodationIds = [(await search(1)).id];
  const details = { displayName: "Agreed", rateAccessCode: "CODE1", accommodationIds };
  const rate = await duffel.stayBookings.createNegotiatedRate(details);
  expect(rate).toEqual({ id: expect.stringMatching(/^nre_/), ...details });
  const renamed = await duffel.stayBookings.updateNegotiatedRate(rate.id, { displayName: "Other" });
  expect(renamed).toEqual({ ...rate, displayName: "Other" });
  const unknown = duffel.stayBookings.updateNegotiatedRate(rate.id, { accommodationIds: ["acc_nowhere"] });
  await expect(unknown).rejects.toMatchObject({ code: "invalid_input" });
  await duffel.stayBookings.deleteNegotiatedRate(rate.id);
  await duffel.stayBookings.deleteNegotiatedRate(rate.id);
  const gone = duffel.stayBookings.updateNegotiatedRate(rate.id, { displayName: "x" });
  await expect(gone).rejects.toMatchObject({ code: "negotiated_rate_not_found" });
});
