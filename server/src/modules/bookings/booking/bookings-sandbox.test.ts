import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openBookingWorld } from "../../../../test/support/booking-world.ts";
import { silentLog } from "../../../../test/support/identity.ts";
import { inPlaceThreads } from "../../../../test/support/in-place-threads.ts";
import { type SupplierSandbox, startSupplierSandbox } from "../../../../test/support/supplier-sandbox.ts";
import { createDuffel } from "../../../adapters/duffel/index.ts";
import { parseDecimal } from "../../../domain/money.ts";
import { createHttpClient } from "../../../platform/http-client/http-client.ts";
import type { FlightOffer, Flights } from "../../../ports/supplier/flights.ts";

type World = Awaited<ReturnType<typeof openBookingWorld>>;
type Tenant = Awaited<ReturnType<World["newTenant"]>>;

/** The real adapter and the real sandbox over HTTP: the supplier's ledger and our books must agree. */
let world: World;
let sandbox: SupplierSandbox;
let flights: Flights;
const http = createHttpClient();
const offers: FlightOffer[] = [];

/** The sandbox's own clock decides when it is over. */
const LATE_MILLISECONDS = 600_000;

beforeAll(async () => {
  [world, sandbox] = await Promise.all([openBookingWorld(), startSupplierSandbox()]);
  // The sandbox uses the real date.
  world.clock.advance(Temporal.Now.instant().since(world.clock.now()));
  ({ flights } = createDuffel({
    baseUrl: sandbox.url,
    token: sandbox.token,
    sandbox: true,
    sourceLevel: "embedded",
    clock: world.clock,
    log: silentLog,
    http,
    threads: inPlaceThreads,
  }));
});

afterAll(async () => {
  http.close();
  await Promise.all([world.close(), sandbox.stop()]);
});

/** An unbooked offer that can be held. */
async function nextOffer(passengers = 1): Promise<FlightOffer> {
  if (passengers === 1) {
    const offer = offers.pop();
    if (offer !== undefined) return offer;
  }
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const found = await flights.searchOffers({
    origin: "LHR",
    destination: "JFK",
    departureDate,
    cabinClass: "economy",
    passengers: Array.from({ length: passengers }, () => ({ loyaltyAccounts: [] })),
    privateFares: {},
    airlineCreditIds: [],
  });
  const holdable = found.offers.filter(({ paymentRequirements }) => !paymentRequirements.requiresInstantPayment);
  const [first, ...rest] = holdable;
  if (first === undefined) throw new Error("no offer can be held");
  if (passengers === 1) offers.push(...rest);
  return first;
}

const LedgerOrder = z.object({ id: z.string(), state: z.string(), metadata: z.object({ booking_id: z.string() }) });
const LedgerPayment = z.object({ order_id: z.string(), type: z.string(), amount: z.string(), status: z.string() });

/** The supplier's books of one tenant compared with ours. */
async function compareBooks(tenant: Tenant) {
  const [rows, ledger, ours] = [await tenant.bookings(), await sandbox.ledger(), await tenant.audit()];
  const ids = new Set(rows.map(({ id }) => id));
  const orders = z
    .array(LedgerOrder)
    .parse(ledger.orders)
    .filter(({ metadata }) => ids.has(metadata.booking_id));
  const orderIds = new Set(orders.map(({ id }) => id));
  const payments = z
    .array(LedgerPayment)
    .parse(ledger.payments)
    .filter((payment) => orderIds.has(payment.order_id) && payment.status === "succeeded");
  const fromBalance = payments.filter(({ type }) => type === "balance");
  return {
    states: ours.states,
    effects: ours.effects,
    held: ours.held,
    imbalance: ours.imbalance,
    orderStates: orders.map(({ state }) => state),
    payments: payments.length,
    difference: ours.spent - fromBalance.reduce((sum, { amount }) => sum + (parseDecimal(amount) ?? 0n), 0n),
  };
}

const settledCode = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: { code?: unknown }) => error.code,
  );
const inBalance = { held: 0n, imbalance: 0n, difference: 0n };
const isBooked = { ...inBalance, states: ["booked"], effects: ["done"], orderStates: ["paid"], payments: 1 };
const isFailed = { ...inBalance, states: ["failed"], effects: ["failed"], payments: 0 };
const neverAnswers = new Set(["timeout", "late_effect"]);

/** Books with a fault armed, then lets late requests arrive and the reconciler look. */
async function bookWith(tenant: Tenant, at: "order" | "payment", fault: string): Promise<unknown> {
  const path = at === "order" ? "/air/orders" : "/air/payments";
  await sandbox.arm("POST", path, fault, fault === "late_effect" ? LATE_MILLISECONDS : 0);
  const offer = await nextOffer();
  const booking = settledCode(tenant.book({ offerId: offer.id, ports: { flights, stores: world.stores } }));
  const code = await (neverAnswers.has(fault) ? sandbox.unanswered(booking) : booking);
  if (code !== "outcome_unknown") return code;
  expect(await compareBooks(tenant)).toMatchObject({ held: parseDecimal(offer.totalAmount), effects: ["open"] });
  if (fault === "late_effect") await letLateEffectArrive(tenant, at);
  await tenant.reconcile({ minutes: 1 }, { flights, stores: world.stores });
  return code;
}

async function letLateEffectArrive(tenant: Tenant, at: "order" | "payment"): Promise<void> {
  const before = await compareBooks(tenant);
  expect(before.orderStates).toEqual(at === "order" ? [] : ["held"]);
  await sandbox.advance(LATE_MILLISECONDS / 1_000);
  await expect.poll(async () => (await compareBooks(tenant)).orderStates).toEqual(at === "order" ? ["held"] : ["paid"]);
}

describe("a booking at the sandbox", () => {
  test("is one order and one payment under concurrent calls", async () => {
    const tenant = await world.newTenant();
    const { id: offerId } = await nextOffer();
    const ports = { flights, stores: world.stores };
    const answers = await Promise.all(Array.from({ length: 16 }, () => tenant.book({ offerId, ports })));
    expect(answers.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(await compareBooks(tenant)).toEqual(isBooked);
  });

  test.each([
    ["timeout", "outcome_unknown", isFailed],
    ["http_500", "outcome_unknown", isFailed],
    ["http_503", "provider_unavailable", isFailed],
    ["reset_after_effect", "outcome_unknown", isBooked],
    ["late_effect", "outcome_unknown", isBooked],
    ["truncated_json", "outcome_unknown", isBooked],
    ["price_changed", "price_changed", isFailed],
    ["offer_expired", "offer_expired", isFailed],
  ])("%s at the order: %s, and the books agree", async (fault, code, end) => {
    const tenant = await world.newTenant();
    expect(await bookWith(tenant, "order", fault)).toBe(code);
    const books = await compareBooks(tenant);
    expect(books).toMatchObject(end);
    expect(books.orderStates).toEqual(end === isBooked ? ["paid"] : []);
  });

  test.each([
    ["timeout", "outcome_unknown", isBooked],
    ["http_500", "outcome_unknown", isBooked],
    ["http_503", "provider_unavailable", isFailed],
    ["reset_after_effect", "outcome_unknown", isBooked],
    ["late_effect", "outcome_unknown", isBooked],
    ["truncated_json", "outcome_unknown", isBooked],
    ["price_changed", "price_changed", isFailed],
    ["offer_expired", "offer_expired", isFailed],
  ])("%s at the payment: %s, and the books agree", async (fault, code, end) => {
    const tenant = await world.newTenant();
    expect(await bookWith(tenant, "payment", fault)).toBe(code);
    const books = await compareBooks(tenant);
    expect(books).toMatchObject(end);
    expect(books.orderStates).toEqual(end === isBooked ? ["paid"] : ["cancelled"]);
  });

  test("splits the price between an airline credit and the balance", async () => {
    const tenant = await world.newTenant();
    const offer = await nextOffer();
    const customer = await flights.createCustomer({
      email: `${tenant.tenant.id}@example.com`,
      givenName: "Amelia",
      familyName: "Hart",
      phoneNumber: null,
    });
    await world.travelers.linkCustomer(tenant.caller.tenantId, "amelia", "sandbox", customer.id);
    const credit = await sandbox.post("/air/airline_credits", {
      airline_iata_code: offer.owner.iataCode,
      amount: "50.00",
      amount_currency: "USD",
      code: "1252345678901",
      type: "eticket",
      issued_on: "2026-01-01",
      expires_at: Temporal.Now.plainDateISO("UTC").add({ days: 300 }).toString(),
      user_id: customer.id,
    });
    const airlineCreditId = z.object({ data: z.object({ id: z.string() }) }).parse(credit).data.id;
    const ports = { flights, stores: world.stores };
    expect(await tenant.book({ offerId: offer.id, airlineCreditId, ports })).toMatchObject({
      result: { totalAmount: offer.totalAmount, creditApplied: { airlineCreditId, amount: "50.00" } },
    });
    const { spent } = await tenant.audit();
    expect(spent).toBe((parseDecimal(offer.totalAmount) ?? 0n) - 50_000_000n);
    expect(await compareBooks(tenant)).toEqual({ ...isBooked, payments: 2 });
  });

  test("frees the money if its hold lapses before the payment is known to be lost", async () => {
    const tenant = await world.newTenant();
    await sandbox.arm("POST", "/air/payments", "http_500");
    const { id: offerId } = await nextOffer();
    const ports = { flights, stores: world.stores };
    expect(await settledCode(tenant.book({ offerId, ports }))).toBe("outcome_unknown");
    await sandbox.advance(14 * 86_400);
    offers.length = 0;
    await tenant.reconcile({ minutes: 1 }, ports);
    expect(await compareBooks(tenant)).toMatchObject(isFailed);
  });
});
