import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { duffelAt } from "../../../../test/support/duffel-harness.ts";
import { type SupplierSandbox, startSupplierSandbox } from "../../../../test/support/supplier-sandbox.ts";
import type { FlightOffer, FlightSearch, OrderRequest } from "../../../ports/supplier/flights.ts";

/** The adapter against the embedded sandbox over HTTP, including faults. */

let supplier: SupplierSandbox;
let duffel: ReturnType<typeof duffelAt>;
let hasty: ReturnType<typeof duffelAt>;

beforeAll(async () => {
  supplier = await startSupplierSandbox();
  const settings = { token: supplier.token, clock: { now: () => Temporal.Now.instant() } };
  duffel = duffelAt(supplier.url, {}, settings);
  hasty = duffelAt(supplier.url, { searchMilliseconds: 2_000, searchMarginMilliseconds: 0 }, settings);
});
afterAll(async () => {
  duffel.http.close();
  hasty.http.close();
  await supplier.stop();
});

const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
const query: FlightSearch = {
  origin: "JFK",
  destination: "EWR",
  departureDate,
  cabinClass: "economy",
  passengers: [{ loyaltyAccounts: [] }],
  privateFares: {},
  airlineCreditIds: [],
};

async function holdableOffer(): Promise<FlightOffer> {
  const { offers } = await duffel.flights.searchOffers(query);
  const offer = offers.find((one) => !one.paymentRequirements.requiresInstantPayment);
  if (offer === undefined) throw new Error("no offer that can be held");
  return offer;
}

let bookings = 0;
function buildOrder(offer: FlightOffer): OrderRequest {
  bookings += 1;
  return {
    offerId: offer.id,
    services: [],
    bookingId: `bkg_${bookings}`,
    totalAmount: offer.totalAmount,
    totalCurrency: offer.totalCurrency,
    passengers: offer.passengers.map(({ id }) => ({
      id,
      title: "ms",
      gender: "f",
      givenName: "Ada",
      familyName: "Lovelace",
      bornOn: "1990-12-10",
      email: "ada@example.test",
      phoneNumber: "+442071234567",
      loyaltyAccounts: [],
    })),
  };
}

const orderCount = async () => (await supplier.ledger()).orders.length;

test("search, read, hold, pay, ticket", async () => {
  const { offers, sandbox, notApplied } = await duffel.flights.searchOffers({
    ...query,
    origin: "LHR",
    destination: "JFK",
    returnDate: Temporal.PlainDate.from(departureDate).add({ days: 7 }).toString(),
    passengers: [
      { leisureFareType: "tour", loyaltyAccounts: [] },
      { leisureFareType: "senior", loyaltyAccounts: [] },
    ],
  });
  expect(offers.length).toBeGreaterThan(2);
  expect(sandbox).toBe(true);
  expect(notApplied.map(({ value }) => value)).toEqual(["senior"]);
  const [found] = offers;
  expect(found?.slices.map(({ origin, destination }) => [origin, destination])).toEqual([
    ["LHR", "JFK"],
    ["JFK", "LHR"],
  ]);
  expect(found?.slices[0]?.durationMinutes).toBeGreaterThan(300);
  expect(found?.passengers.map(({ fareType }) => fareType)).toEqual(["tour_operator_inclusive", null]);

  const offer = await holdableOffer();
  expect(await duffel.flights.getOffer(offer.id)).toEqual(offer);
  const request = buildOrder(offer);
  const held = await duffel.flights.holdOrder(request);
  expect(held).toMatchObject({ pnr: expect.stringMatching(/^ZZ/), bookingId: request.bookingId, paid: false });
  expect(held.totalAmount).toBe(offer.totalAmount);
  await duffel.flights.payOrder(held.id, held.totalAmount, held.totalCurrency);
  await duffel.flights.payOrder(held.id, held.totalAmount, held.totalCurrency);
  await supplier.advance(5);
  const paid = await duffel.flights.getOrder(held.id);
  expect(paid).toMatchObject({ paid: true, ticketed: true, cancelled: false, creditAppliedAmount: null });
  expect(await duffel.flights.findOrdersByBooking(offer.id, request.bookingId)).toEqual([paid]);
  expect(await duffel.flights.findOrdersByBooking(offer.id, "bkg_other")).toEqual([]);
  await expect(duffel.flights.cancelUnpaidOrder(held.id)).rejects.toMatchObject({ code: "booking_rejected" });
});

test("a hold is cancelled and stays cancelled", async () => {
  const held = await duffel.flights.holdOrder(buildOrder(await holdableOffer()));
  await duffel.flights.cancelUnpaidOrder(held.id);
  await duffel.flights.cancelUnpaidOrder(held.id);
  expect(await duffel.flights.getOrder(held.id)).toMatchObject({ cancelled: true, paid: false });
});

test("a credit covers its part, the balance the rest, and both are in the supplier's ledger", async () => {
  const grace = { email: "grace@example.test", givenName: "Grace", familyName: "Hopper", phoneNumber: "+442071234567" };
  const customer = await duffel.flights.createCustomer(grace);
  await expect(duffel.flights.createCustomer(grace)).rejects.toMatchObject({ code: "customer_email_taken" });
  const namesake = await duffel.flights.createCustomer(grace, { group: "of another tenant" });
  expect(new Set(await duffel.flights.findCustomersByEmail("GRACE@example.test"))).toEqual(
    new Set([customer, namesake]),
  );
  const renamed = await duffel.flights.updateCustomer(customer.id, { ...customer, familyName: "Murray Hopper" });
  expect(renamed.familyName).toBe("Murray Hopper");
  // Still in its group, in which the address is free.
  expect(await duffel.flights.updateCustomer(namesake.id, grace)).toEqual(namesake);

  const offer = await holdableOffer();
  const created = await supplier.post("/air/airline_credits", {
    airline_iata_code: offer.owner.iataCode,
    amount: "10.00",
    amount_currency: "USD",
    code: "CREDIT1",
    type: "mco",
    issued_on: "2026-01-01",
    expires_at: "2099-01-01",
    user_id: customer.id,
  });
  const { id } = z.object({ data: z.object({ id: z.string() }) }).parse(created).data;
  expect(await duffel.flights.getAirlineCredit(id)).toMatchObject({
    amount: "10.00",
    usable: true,
    customerUserId: customer.id,
  });
  const order = await duffel.flights.instantOrder({
    ...buildOrder(offer),
    airlineCreditId: id,
    mostFromBalance: "99999.00",
  });
  expect(order).toMatchObject({ paid: true, creditAppliedAmount: "10.00", totalAmount: offer.totalAmount });
  expect(await duffel.flights.getAirlineCredit(id)).toMatchObject({ usable: false });
  await expect(
    duffel.flights.instantOrder({
      ...buildOrder(await holdableOffer()),
      airlineCreditId: id,
      mostFromBalance: "99999.00",
    }),
  ).rejects.toMatchObject({ code: "credit_not_applicable" });
  expect(await duffel.flights.getAirlineCredit("acd_nothing")).toBeUndefined();
});

test.each([
  ["timeout", 0],
  ["http_500", 0],
  ["http_503", 0],
  ["reset_after_effect", 1],
  ["truncated_json", 1],
] as const)("%s on an order: %i orders made, and the lookup says so", async (fault, made) => {
  const request = buildOrder(await holdableOffer());
  const before = await orderCount();
  await supplier.arm("POST", "/air/orders", fault);
  const code = fault === "http_503" ? "provider_unavailable" : "outcome_unknown";
  const held = duffel.flights.holdOrder(request);
  await expect(fault === "timeout" ? supplier.unanswered(held) : held).rejects.toMatchObject({ code });
  expect(await duffel.flights.findOrdersByBooking(request.offerId, request.bookingId)).toHaveLength(made);
  expect(await orderCount()).toBe(before + made);
});

test("an order that takes effect late is found later, once", async () => {
  const request = buildOrder(await holdableOffer());
  const before = await orderCount();
  await supplier.arm("POST", "/air/orders", "late_effect", 60_000);
  const held = supplier.unanswered(duffel.flights.holdOrder(request));
  await expect(held).rejects.toMatchObject({ code: "outcome_unknown" });
  const find = () => duffel.flights.findOrdersByBooking(request.offerId, request.bookingId);
  expect(await find()).toEqual([]);
  await supplier.advance(61);
  await expect.poll(find).toHaveLength(1);
  expect(await orderCount()).toBe(before + 1);
});

test("a payment whose answer was lost is found paid, once", async () => {
  const held = await duffel.flights.holdOrder(buildOrder(await holdableOffer()));
  await supplier.arm("POST", "/air/payments", "reset_after_effect");
  const payment = duffel.flights.payOrder(held.id, held.totalAmount, held.totalCurrency);
  await expect(payment).rejects.toMatchObject({ code: "outcome_unknown" });
  expect(await duffel.flights.getOrder(held.id)).toMatchObject({ paid: true });
  const { payments } = await supplier.ledger();
  expect(payments.filter((one) => one.order_id === held.id)).toHaveLength(1);
});

test.each([
  ["price_changed", "price_changed"],
  ["offer_expired", "offer_expired"],
] as const)("%s on an order is %s", async (fault, code) => {
  const request = buildOrder(await holdableOffer());
  await supplier.arm("POST", "/air/orders", fault);
  await expect(duffel.flights.holdOrder(request)).rejects.toMatchObject({ code });
});

test("expired and unknown offers, unknown orders, wrong places, no flights", async () => {
  const offer = await holdableOffer();
  const bogus = { ...buildOrder(offer), offerId: `${offer.id.slice(0, -1)}!` };
  await expect(duffel.flights.holdOrder(bogus)).rejects.toMatchObject({ code: "offer_not_found" });
  await expect(duffel.flights.getOffer("off_nothing")).rejects.toMatchObject({ code: "offer_not_found" });
  await expect(duffel.flights.getOrder("ord_nothing")).rejects.toMatchObject({ code: "order_not_found" });
  await expect(duffel.flights.payOrder("ord_nothing", "1.00", "USD")).rejects.toMatchObject({
    code: "order_not_found",
  });
  await expect(duffel.flights.searchOffers({ ...query, origin: "QQQ" })).rejects.toMatchObject({
    code: "invalid_input",
    issues: [{ path: "origin" }],
  });
  expect((await duffel.flights.searchOffers({ ...query, origin: "PVD", destination: "RAI" })).offers).toEqual([]);
  await expect(hasty.flights.searchOffers({ ...query, origin: "STN", destination: "LHR" })).rejects.toMatchObject({
    code: "provider_timeout",
  });
  await supplier.advance(3_600);
  await expect(duffel.flights.getOffer(offer.id)).rejects.toMatchObject({ code: "offer_expired" });
  await expect(duffel.flights.holdOrder(buildOrder(offer))).rejects.toMatchObject({ code: "offer_expired" });
});

test("a wrong token is reported to the operator", async () => {
  const stranger = duffelAt(supplier.url, {}, { token: "duffel_test_wrong" });
  await expect(stranger.flights.getOffer("off_1")).rejects.toMatchObject({ code: "provider_unavailable" });
  expect(stranger.lines[0]).toMatchObject({ level: "error", fields: { status: 401 } });
  stranger.http.close();
});

test("airports near a place and by name", async () => {
  const { airports: near } = await duffel.flights.findAirports({
    latitude: 51.5,
    longitude: -0.12,
    radiusMeters: 60_000,
  });
  expect(near.map((airport) => airport.iataCode)).toEqual(expect.arrayContaining(["LCY", "LHR", "LGW"]));
  const distances = near.map((airport) => airport.distanceMeters ?? Number.NaN);
  expect(distances).toEqual([...distances].sort((a, b) => a - b));
  expect(distances.every((distance) => distance <= 60_000)).toBe(true);
  const { airports: named } = await duffel.flights.findAirports({ text: "london" });
  expect(named.map((airport) => airport.iataCode)).toContain("LHR");
});

test("stays: six accommodations in order, each with its own rate", async () => {
  const { accommodations: found } = await duffel.stays.searchAccommodations(
    {
      latitude: 38.72,
      longitude: -9.14,
      radiusKilometers: 15,
      checkInDate: departureDate,
      checkOutDate: Temporal.PlainDate.from(departureDate).add({ days: 3 }).toString(),
      guests: 2,
      rooms: 1,
    },
    6,
  );
  expect(found).toHaveLength(6);
  for (const place of found) {
    expect(place.photos.length).toBeGreaterThan(0);
    for (const { id, cancellationPolicy } of place.rates) {
      expect(id).toMatch(/^rat_/);
      expect(cancellationPolicy.refundable).toBe(cancellationPolicy.timeline.length > 0);
    }
  }
  expect(new Set(found.map((place) => place.rates[0].id)).size).toBe(6);
});
