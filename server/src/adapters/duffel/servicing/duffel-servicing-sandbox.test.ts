import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { duffelAt } from "../../../../test/support/duffel-harness.ts";
import { type SupplierSandbox, startSupplierSandbox } from "../../../../test/support/supplier-sandbox.ts";
import type { FlightOffer, FlightSearch, RequestedService, SupplierOrder } from "../../../ports/supplier/flights.ts";
import type { SupplierEvent } from "../../../ports/supplier/supplier-webhooks.ts";

/** Servicing against the embedded sandbox over HTTP, including faults; the sandbox's own ledger decides. */

let supplier: SupplierSandbox;
let duffel: ReturnType<typeof duffelAt>;
/** By real time, with which the sandbox signs. */
let receiver: ReturnType<typeof duffelAt>;
/** The sandbox's clock only moves forward from ours. */
let ahead = 0;

beforeAll(async () => {
  supplier = await startSupplierSandbox();
  const clock = { now: () => Temporal.Now.instant().add({ seconds: ahead }) };
  const settings = { token: supplier.token, clock };
  duffel = duffelAt(supplier.url, {}, settings);
  receiver = duffelAt(supplier.url, {}, { token: supplier.token, clock: { now: () => Temporal.Now.instant() } });
});
afterAll(async () => {
  duffel.http.close();
  receiver.http.close();
  await supplier.stop();
});

async function advance(seconds: number): Promise<void> {
  ahead += seconds;
  await supplier.advance(seconds);
}

const today = Temporal.Now.plainDateISO("UTC");
const query: FlightSearch = {
  origin: "JFK",
  destination: "EWR",
  departureDate: today.add({ days: 60 }).toString(),
  cabinClass: "economy",
  passengers: [{ loyaltyAccounts: [] }],
  privateFares: {},
  airlineCreditIds: [],
};

/** Changeable and refundable. */
async function flexibleOffer(wanted: Partial<FlightSearch> = {}): Promise<FlightOffer> {
  const { offers } = await duffel.flights.searchOffers({ ...query, ...wanted });
  const offer = offers.find(
    ({ conditions }) => conditions.changeBeforeDeparture?.allowed && conditions.refundBeforeDeparture?.allowed,
  );
  if (offer === undefined) throw new Error("no offer that can be changed and given back");
  return offer;
}

let bookings = 0;
async function book(
  offer: FlightOffer,
  services: readonly RequestedService[] = [],
  totalAmount = offer.totalAmount,
  more: { airlineCreditId?: string; customerUserId?: string } = {},
): Promise<SupplierOrder> {
  bookings += 1;
  const { airlineCreditId, customerUserId } = more;
  const request = {
    offerId: offer.id,
    services,
    bookingId: `bkg_${bookings}`,
    totalAmount,
    totalCurrency: offer.totalCurrency,
    passengers: offer.passengers.map(({ id }) => ({
      id,
      title: "ms",
      gender: "f" as const,
      givenName: "Ada",
      familyName: "Lovelace",
      bornOn: "1990-12-10",
      email: "ada@example.test",
      phoneNumber: "+442071234567",
      loyaltyAccounts: [],
      ...(customerUserId === undefined ? {} : { customerUserId }),
    })),
  };
  const order = await duffel.flights.instantOrder(
    airlineCreditId === undefined ? request : { ...request, airlineCreditId, mostFromBalance: "99999.00" },
  );
  await advance(5);
  return order;
}

/** A change offer for the order's first slice, to another day. */
async function requestOffer(orderId: string, days: number) {
  const details = await duffel.flightServicing.getOrderDetails(orderId);
  const [slice] = details.slices;
  if (slice === undefined) throw new Error("an order without slices");
  const departureDate = today.add({ days }).toString();
  const add = [{ origin: slice.origin, destination: slice.destination, departureDate }];
  const { offers } = await duffel.flightServicing.requestChange(orderId, { add, remove: [{ sliceId: slice.id }] });
  return { details, offers };
}

test("a seat and two bags are listed, priced and bought with the order, and the seat is gone afterwards", async () => {
  const offer = await flexibleOffer();
  const { bags, seats, hasSeatMap } = await duffel.flightServicing.listAncillaries(offer.id);
  expect(hasSeatMap).toBe(true);
  expect(new Set(seats.map(({ position }) => position))).toEqual(new Set(["window", "middle", "aisle"]));
  expect(seats.some(({ isExitRow }) => isExitRow)).toBe(true);
  expect(seats.every(({ isExitRow }) => isExitRow)).toBe(false);
  const bag = bags.find(({ kind, maximumQuantity }) => kind === "checked" && maximumQuantity >= 2);
  const [seat] = seats;
  if (bag === undefined || seat === undefined) throw new Error("nothing to buy");
  const services = [
    { id: bag.id, quantity: 2 },
    { id: seat.id, quantity: 1 },
  ];
  const priced = await duffel.flightServicing.priceServices(offer.id, services);
  expect(Number(priced.totalAmount)).toBeGreaterThan(Number(offer.totalAmount));
  await expect(book(offer, services)).rejects.toMatchObject({ code: "price_changed" });
  const order = await book(offer, services, priced.totalAmount);
  expect(order).toMatchObject({ paid: true, totalAmount: priced.totalAmount });
  const { services: sold } = await supplier.ledger();
  expect(sold.filter((one) => one.order_id === order.id).map(({ type, quantity }) => [type, quantity])).toEqual([
    ["baggage", 2],
    ["seat", 1],
  ]);
  const left = await duffel.flightServicing.listAncillaries(offer.id);
  expect(left.seats.map(({ id }) => id)).not.toContain(seat.id);
  await expect(book(offer, services, priced.totalAmount)).rejects.toMatchObject({ code: "service_not_available" });
});

test("an order is changed for more money, then cancelled; a second quote makes the first stale", async () => {
  const order = await book(await flexibleOffer());
  const { details, offers } = await requestOffer(order.id, 75);
  expect(details).toMatchObject({ paid: true, ticketed: true, pnr: order.pnr, bookingId: order.bookingId });
  const [offer] = offers;
  if (offer === undefined) throw new Error("no change offer");
  expect(await duffel.flightServicing.getChangeOffer(offer.id)).toEqual({ ...offer, orderId: null });
  const change = await duffel.flightServicing.selectChangeOffer(offer.id);
  expect(change).toMatchObject({ orderId: order.id, changeTotalAmount: offer.changeTotalAmount, confirmedAt: null });
  const due = { amount: change.changeTotalAmount, currency: change.changeTotalCurrency };
  expect(Number(due.amount)).toBeGreaterThan(0);
  const { confirmChange } = duffel.flightServicing;
  await expect(confirmChange(change.id, undefined)).rejects.toMatchObject({ code: "price_changed" });
  await expect(confirmChange(change.id, { ...due, amount: "0.01" })).rejects.toMatchObject({ code: "price_changed" });
  expect((await confirmChange(change.id, due)).confirmedAt).not.toBeNull();
  await expect(confirmChange(change.id, due)).rejects.toMatchObject({ code: "already_confirmed" });
  const changed = await duffel.flightServicing.getOrderDetails(order.id);
  expect(Number(changed.totalAmount)).toBeCloseTo(Number(order.totalAmount) + Number(due.amount));
  expect(changed.slices[0]?.segments[0]?.departingAt.slice(0, 10)).toBe(today.add({ days: 75 }).toString());

  const { quoteCancellation, getCancellation, confirmCancellation } = duffel.flightServicing;
  const first = await quoteCancellation(order.id);
  const second = await quoteCancellation(order.id);
  expect(second).toMatchObject({ orderId: order.id, refundTo: "balance", confirmedAt: null });
  await expect(confirmCancellation(first.id)).rejects.toMatchObject({ code: "cancellation_stale" });
  expect((await confirmCancellation(second.id)).confirmedAt).not.toBeNull();
  expect((await getCancellation(second.id)).confirmedAt).not.toBeNull();
  await expect(confirmCancellation(second.id)).rejects.toMatchObject({
    code: expect.stringMatching(/^already_(confirmed|cancelled)$/),
  });
  await expect(quoteCancellation(order.id)).rejects.toMatchObject({ code: "already_cancelled" });
  expect((await duffel.flightServicing.getOrderDetails(order.id)).cancelledAt).not.toBeNull();
  const { cancellations, changes } = await supplier.ledger();
  const confirmed = (one: Record<string, unknown>) => one.order_id === order.id && one.confirmed_at !== null;
  expect([cancellations.filter(confirmed).length, changes.filter(confirmed).length]).toEqual([1, 1]);
});

test("a quote, a change offer and a change expire", async () => {
  const order = await book(await flexibleOffer());
  const quote = await duffel.flightServicing.quoteCancellation(order.id);
  const { offers } = await requestOffer(order.id, 70);
  const [offer] = offers;
  if (offer === undefined) throw new Error("no change offer");
  const change = await duffel.flightServicing.selectChangeOffer(offer.id);
  await advance(31 * 60);
  const { confirmCancellation, selectChangeOffer, confirmChange } = duffel.flightServicing;
  await expect(confirmCancellation(quote.id)).rejects.toMatchObject({ code: "cancellation_expired" });
  await expect(selectChangeOffer(offer.id)).rejects.toMatchObject({ code: "change_expired" });
  await expect(confirmChange(change.id, undefined)).rejects.toMatchObject({ code: "change_expired" });
});

test("a flight refunded as credit: the credit is listed for its owner and pays part of the next order", async () => {
  const details = { email: "mary@example.test", givenName: "Mary", familyName: "Somerville", phoneNumber: null };
  const customer = await duffel.flights.createCustomer(details);
  const route = { origin: "LTN", destination: "SYD" };
  const who = { customerUserId: customer.id };
  const first = await flexibleOffer(route);
  const order = await book(first, [], first.totalAmount, who);
  const quote = await duffel.flightServicing.quoteCancellation(order.id);
  expect(quote.refundTo).toBe("airline_credits");
  const cancelled = await duffel.flightServicing.confirmCancellation(quote.id);
  const [issued] = cancelled.credits;
  if (typeof issued?.id !== "string") throw new Error("no credit");
  const listed = await duffel.flightServicing.listAirlineCredits(customer.id, 5);
  expect(listed).toEqual([
    expect.objectContaining({ id: issued.id, amount: issued.amount, orderId: order.id, usable: true }),
  ]);
  const offer = await flexibleOffer({ ...route, cabinClass: "business" });
  const next = await book(offer, [], offer.totalAmount, { ...who, airlineCreditId: issued.id });
  expect(next.paid).toBe(true);
  expect(Number(next.creditAppliedAmount)).toBeGreaterThan(0);
  expect(await duffel.flightServicing.listAirlineCredits(customer.id, 5)).toContainEqual(
    expect.objectContaining({ id: issued.id, usable: false, spentAt: expect.any(String) }),
  );
});

test("an airline's schedule change is on the order until it is answered", async () => {
  const order = await book(await flexibleOffer());
  await supplier.control("schedule_changes", { order_id: order.id, shift_minutes: 120 });
  const { airlineChanges } = await duffel.flightServicing.getOrderDetails(order.id);
  expect(airlineChanges).toMatchObject([
    { id: expect.stringMatching(/^aic_/), detectedAt: expect.any(String), actionTaken: null },
  ]);
});

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

test.each(effects)("%s on a confirmed cancellation: unknown outcome, and the look-up says %s", async (fault, done) => {
  const order = await book(await flexibleOffer());
  const quote = await duffel.flightServicing.quoteCancellation(order.id);
  await supplier.arm("POST", `/air/order_cancellations/${quote.id}/actions/confirm`, fault);
  const lost = answerTo(fault, duffel.flightServicing.confirmCancellation(quote.id));
  await expect(lost).rejects.toMatchObject({ code: "outcome_unknown" });
  const found = await duffel.flightServicing.getCancellation(quote.id);
  expect(found.confirmedAt !== null).toBe(done);
});

test.each(effects)("%s on a confirmed change: unknown outcome, and the look-up says %s", async (fault, done) => {
  const order = await book(await flexibleOffer());
  const [offer] = (await requestOffer(order.id, 80)).offers;
  if (offer === undefined) throw new Error("no change offer");
  const change = await duffel.flightServicing.selectChangeOffer(offer.id);
  const due = { amount: change.changeTotalAmount, currency: change.changeTotalCurrency };
  await supplier.arm("POST", `/air/order_changes/${change.id}/actions/confirm`, fault);
  const payment = Number(due.amount) > 0 ? due : undefined;
  const lost = answerTo(fault, duffel.flightServicing.confirmChange(change.id, payment));
  await expect(lost).rejects.toMatchObject({ code: "outcome_unknown" });
  expect((await duffel.flightServicing.getChange(change.id)).confirmedAt !== null).toBe(done);
});

test("an accepted cancellation is pending until it is confirmed", async () => {
  const order = await book(await flexibleOffer());
  const quote = await duffel.flightServicing.quoteCancellation(order.id);
  await supplier.arm("POST", "/air/order_cancellations", "accepted_then_done", 30_000);
  const accepted = duffel.flightServicing.confirmCancellation(quote.id);
  await expect(accepted).rejects.toMatchObject({ code: "outcome_unknown" });
  await advance(31);
  await expect.poll(async () => (await duffel.flightServicing.getCancellation(quote.id)).confirmedAt).not.toBeNull();
});

test("a rate limit is passed on with its waiting time, and nothing happened", async () => {
  const order = await book(await flexibleOffer());
  const quote = await duffel.flightServicing.quoteCancellation(order.id);
  await supplier.arm("POST", "/air/order_cancellations", "rate_limited");
  await expect(duffel.flightServicing.confirmCancellation(quote.id)).rejects.toMatchObject({
    code: "provider_unavailable",
    retryAfterSeconds: expect.any(Number),
  });
  expect((await duffel.flightServicing.getCancellation(quote.id)).confirmedAt).toBeNull();
});

test("events are signed with the secret given at registration", async () => {
  const arrived: { raw: Buffer; signature: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    const raw = Buffer.concat(await Array.fromAsync(request, (chunk) => Buffer.from(chunk)));
    arrived.push({ raw, signature: z.string().optional().parse(request.headers["x-duffel-signature"]) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  try {
    const url = `http://127.0.0.1:${port}/hooks`;
    const registered = await receiver.webhooks.register(url);
    if (registered === undefined) throw new Error("the endpoint was there already");
    expect(await receiver.webhooks.register(url, registered.endpointId)).toBeUndefined();
    const order = await book(await flexibleOffer());
    const quote = await duffel.flightServicing.quoteCancellation(order.id);
    await duffel.flightServicing.confirmCancellation(quote.id);
    const read = (secret: string): SupplierEvent[] =>
      arrived.flatMap(({ raw, signature }) => receiver.webhooks.read(raw, { signature }, [secret]) ?? []);
    const wanted = ["order.created", "order_cancellation.confirmed"];
    await expect.poll(() => read(registered.secret).map(({ type }) => type)).toEqual(expect.arrayContaining(wanted));
    const events = read(registered.secret).filter(({ type }) => wanted.includes(type));
    expect(new Set(events.map(({ orderId }) => orderId))).toEqual(new Set([order.id]));
    expect(read("another secret")).toEqual([]);
  } finally {
    server.close();
  }
});
