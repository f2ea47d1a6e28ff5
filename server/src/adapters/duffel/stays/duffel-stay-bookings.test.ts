import { expect, test } from "vitest";
import { NOW, startDuffel } from "../../../../test/support/duffel-harness.ts";
import type { StayBookingRequest } from "../../../ports/supplier/stay-bookings.ts";
import { wireNegotiatedRate, wireQuote, wireStayBooking } from "../__fixtures__/servicing.ts";

/** Quotes, bookings and negotiated rates of stays, over the wire. */

const policy = {
  refundable: true,
  timeline: [
    { before: "2027-01-10T12:00:00Z", refundAmount: "123.45", currency: "USD" },
    { before: "2027-01-18T12:00:00Z", refundAmount: "50.00", currency: "USD" },
  ],
};

const request: StayBookingRequest = {
  quoteId: "quo_1",
  bookingId: "bkg_1",
  email: "ada@example.test",
  phoneNumber: "+442071234567",
  guests: [
    { givenName: "Ada", familyName: "Lovelace", customerUserId: "icu_1" },
    { givenName: "Mary", familyName: "Somerville" },
  ],
  customerUserIds: ["icu_1", "icu_2"],
};

test("a quote has the amounts paid now and there, and the end of free cancellation", async () => {
  let answer: unknown = wireQuote;
  await using duffel = await startDuffel(() => ({ status: 201, json: { data: answer } }));
  const quote = await duffel.stayBookings.quoteStay("rat_1");
  expect(quote).toEqual({
    id: "quo_1",
    accommodation: { id: "acc_1", name: "House (Sandbox)", address: "1 Quay, Lisbon, 1100, PT" },
    checkInDate: "2027-01-19",
    checkOutDate: "2027-01-22",
    rooms: 1,
    guests: 2,
    childAges: [],
    beds: [],
    totalAmount: "123.45",
    totalCurrency: "USD",
    taxAmount: "23.45",
    feeAmount: "0.00",
    dueAtAccommodationAmount: "4.00",
    dueAtAccommodationCurrency: "EUR",
    cancellationPolicy: policy,
    conditions: [{ title: "Pets", description: "None." }],
    supportedLoyaltyProgramme: "house_points",
    negotiatedRateId: "nre_1",
    expiresAt: null,
  });
  expect(await duffel.stayBookings.getQuote("quo_1")).toEqual(quote);
  expect(duffel.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["POST", "/stays/quotes", { data: { rate_id: "rat_1" } }],
    ["GET", "/stays/quotes/quo_1", undefined],
  ]);
  const family = [{ type: "adult" }, { type: "child", age: 6 }];
  const rooms = wireQuote.accommodation.rooms.map((room) => ({ ...room, beds: [{ type: "king", count: 1 }] }));
  answer = { ...wireQuote, guests: family, accommodation: { ...wireQuote.accommodation, rooms } };
  expect(await duffel.stayBookings.getQuote("quo_1")).toMatchObject({
    guests: 2,
    childAges: [6],
    beds: [{ type: "king", count: 1 }],
  });
  answer = { ...wireQuote, guests: [{}, {}] };
  expect(await duffel.stayBookings.getQuote("quo_1")).toMatchObject({ guests: 2, childAges: null });
  answer = { ...wireQuote, due_at_accommodation_amount: "0.00" };
  expect(await duffel.stayBookings.getQuote("quo_1")).toMatchObject({
    dueAtAccommodationAmount: null,
    dueAtAccommodationCurrency: null,
  });
});

test("several rooms have the terms that all their rates share, and a stay of them is booked at its quote's price", async () => {
  const { accommodation } = wireQuote;
  const [room] = accommodation.rooms;
  const [rate] = room?.rates ?? [];
  const other = { ...rate, cancellation_timeline: rate?.cancellation_timeline.slice(0, 1) };
  const withRates = (...rates: unknown[]) => ({ ...accommodation, rooms: rates.map((one) => ({ rates: [one] })) });
  let answer: unknown;
  await using duffel = await startDuffel(() => ({ status: 201, json: { data: answer } }));
  answer = { ...wireQuote, accommodation: withRates(rate, rate) };
  const quote = await duffel.stayBookings.quoteStay("rat_1");
  expect(quote.cancellationPolicy).toEqual(policy);
  expect(quote.conditions).toEqual([{ title: "Pets", description: "None." }]);
  answer = { ...wireStayBooking, accommodation: withRates(rate, other) };
  const booked = await duffel.stayBookings.bookStay(request);
  expect(booked).toMatchObject({ id: "bok_1", status: "confirmed", price: null });
  expect(booked.cancellationPolicy).toEqual({ refundable: true, timeline: policy.timeline.slice(1) });
  answer = { ...wireStayBooking, accommodation: { name: "House", rooms: null } };
  expect(await duffel.stayBookings.bookStay(request)).toMatchObject({ id: "bok_1", price: null });
});

const stay = {
  id: "bok_1",
  reference: "ZZSTAY",
  bookingId: "bkg_1",
  status: "confirmed",
  accommodationName: "House (Sandbox)",
  accommodationAddress: "1 Quay, Lisbon, 1100, PT",
  accommodationPhone: null,
  checkInDate: "2027-01-19",
  checkOutDate: "2027-01-22",
  price: { amount: "123.45", currency: "USD" },
  confirmedAt: "2026-11-20T10:00:01Z",
  cancelledAt: null,
  cancellationPolicy: policy,
  keyCollectionInstructions: "At the desk.",
  specialRequests: null,
  dueAtAccommodation: { amount: "4.00", currency: "EUR" },
};

test("a stay is booked with our id, read and cancelled", async () => {
  const cancelled = { ...wireStayBooking, status: "cancelled", cancelled_at: "2026-11-20T11:00:00Z" };
  await using duffel = await startDuffel(({ path }) => ({
    status: 200,
    json: { data: path.endsWith("/cancel") ? cancelled : wireStayBooking },
  }));
  expect(await duffel.stayBookings.bookStay(request)).toEqual(stay);
  await duffel.stayBookings.bookStay({ ...request, loyaltyProgrammeAccountNumber: "77", specialRequests: "Quiet" });
  expect(await duffel.stayBookings.getStay("bok_1")).toEqual(stay);
  expect(await duffel.stayBookings.cancelStay("bok_1")).toEqual({
    ...stay,
    status: "cancelled",
    cancelledAt: "2026-11-20T11:00:00Z",
  });
  expect(duffel.requests[0]?.body).toEqual({
    data: {
      quote_id: "quo_1",
      email: "ada@example.test",
      phone_number: "+442071234567",
      guests: [
        { given_name: "Ada", family_name: "Lovelace", user_id: "icu_1" },
        { given_name: "Mary", family_name: "Somerville" },
      ],
      users: ["icu_1", "icu_2"],
      metadata: { booking_id: "bkg_1" },
    },
  });
  expect(duffel.requests[1]?.body).toMatchObject({
    data: { loyalty_programme_account_number: "77", accommodation_special_requests: "Quiet" },
  });
  expect(duffel.requests.slice(2).map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /stays/bookings/bok_1",
    "POST /stays/bookings/bok_1/actions/cancel",
  ]);
});

function listed(id: string, bookingId: string, confirmedAt: string | null) {
  return { ...wireStayBooking, id, metadata: { booking_id: bookingId }, confirmed_at: confirmedAt };
}

/** Three pages, newest first; `since` decides how many are read. */
function startPaged(pages: readonly (readonly unknown[])[]) {
  return startDuffel(({ query }) => {
    const page = Number(query.after ?? "0");
    const after = page + 1 < pages.length ? String(page + 1) : null;
    return { status: 200, json: { data: pages[page], meta: { after } } };
  });
}

test("the look-up of a stay reads back to the beginning of the booking, and no further", async () => {
  const pages = [
    [listed("bok_3", "bkg_3", "2026-11-20T10:00:00Z"), listed("bok_2", "bkg_2", "2026-11-20T09:30:00Z")],
    [listed("bok_1", "bkg_1", "2026-11-20T08:59:00Z"), listed("bok_0", "bkg_0", "2026-11-20T08:00:00Z")],
    [listed("bok_old", "bkg_old", "2026-01-01T00:00:00Z")],
  ];
  await using duffel = await startPaged(pages);
  const { findStaysByBooking } = duffel.stayBookings;
  const ids = async (bookingId: string) => (await findStaysByBooking(bookingId, NOW)).map(({ id }) => id);
  expect(await ids("bkg_3")).toEqual(["bok_3"]);
  expect(await ids("bkg_1")).toEqual(["bok_1"]);
  expect(duffel.requests).toHaveLength(4);
  expect(await ids("bkg_old")).toEqual([]);
  expect(duffel.requests).toHaveLength(6);
});

test("a list in another order, or without times, is read to its end", async () => {
  const old = "2026-01-01T00:00:00Z";
  for (const first of [
    [listed("bok_1", "bkg_1", old), listed("bok_2", "bkg_2", "2026-02-01T00:00:00Z")],
    [listed("bok_1", "bkg_1", null)],
  ]) {
    await using duffel = await startPaged([first, [listed("bok_9", "bkg_9", "2026-11-20T10:00:00Z")]]);
    expect((await duffel.stayBookings.findStaysByBooking("bkg_9", NOW)).map(({ id }) => id)).toEqual(["bok_9"]);
  }
});

test("an unreadable stay of ours is not reported as missing; others' stays do not matter", async () => {
  const bent = { ...listed("bok_1", "bkg_1", "2026-11-20T10:00:00Z"), status: "pondering" };
  await using duffel = await startPaged([[bent, 7, null]]);
  const { findStaysByBooking } = duffel.stayBookings;
  await expect(findStaysByBooking("bkg_1", NOW)).rejects.toMatchObject({ code: "provider_unavailable" });
  expect(await findStaysByBooking("bkg_2", NOW)).toEqual([]);
});

test("an endless list proves nothing", async () => {
  const page = Array.from({ length: 200 }, (_, index) => listed(`bok_${index}`, "bkg_0", "2026-11-20T10:00:00Z"));
  await using duffel = await startDuffel(() => ({ status: 200, json: { data: page, meta: { after: "more" } } }));
  const lookup = duffel.stayBookings.findStaysByBooking("bkg_1", NOW);
  await expect(lookup).rejects.toMatchObject({ code: "provider_unavailable" });
  expect(duffel.requests).toHaveLength(25);
});

test("negotiated rates are created, changed and deleted, even if they are already gone", async () => {
  const gone = { status: 404, json: { errors: [{ type: "invalid_request_error", code: "not_found" }] } };
  await using duffel = await startDuffel(({ method, path }) => {
    if (method === "DELETE") return path.endsWith("nre_gone") ? gone : { status: 204 };
    return { status: method === "POST" ? 201 : 200, json: { data: wireNegotiatedRate } };
  });
  const rates = duffel.stayBookings;
  const details = { displayName: "Agreed", rateAccessCode: "CODE1", accommodationIds: ["acc_1"] };
  expect(await rates.createNegotiatedRate(details)).toEqual({ id: "nre_1", ...details });
  await rates.updateNegotiatedRate("nre_1", { displayName: "Other" });
  await rates.updateNegotiatedRate("nre_1", { accommodationIds: ["acc_2"] });
  await rates.deleteNegotiatedRate("nre_1");
  await rates.deleteNegotiatedRate("nre_gone");
  expect(duffel.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    [
      "POST",
      "/stays/negotiated_rates",
      { data: { display_name: "Agreed", rate_access_code: "CODE1", accommodation_ids: ["acc_1"] } },
    ],
    ["PATCH", "/stays/negotiated_rates/nre_1", { data: { display_name: "Other" } }],
    ["PATCH", "/stays/negotiated_rates/nre_1", { data: { accommodation_ids: ["acc_2"] } }],
    ["DELETE", "/stays/negotiated_rates/nre_1", undefined],
    ["DELETE", "/stays/negotiated_rates/nre_gone", undefined],
  ]);
});
