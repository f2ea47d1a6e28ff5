import { afterAll, beforeAll, expect, test } from "vitest";
import { absent } from "../../../test/support/absent-port.ts";
import { openBookingWorld, QUIET_MILLISECONDS } from "../../../test/support/booking-world.ts";
import { dyingProcess } from "../../../test/support/dying-ports.ts";
import { silentLog } from "../../../test/support/identity.ts";
import { offer, slice } from "../../../test/support/offers.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import type { OrderDetails } from "../../ports/supplier/flight-servicing.ts";
import type { SupplierEvent } from "../../ports/supplier/supplier-webhooks.ts";
import { servicingCommits } from "../servicing/servicing-commits.ts";
import { createEventProcessor } from "./process-events.ts";

/** Acknowledged events survive the death of their worker, and none decides a booking by itself. */
type World = Awaited<ReturnType<typeof openBookingWorld>>;
type Tenant = Awaited<ReturnType<World["newTenant"]>>;

let world: World;
let tenant: Tenant;
let next = 0;
beforeAll(async () => {
  world = await openBookingWorld();
  tenant = await world.newTenant();
});
afterAll(() => world.close());

/** Longer than a dead worker's lease on an event, shorter than an order's wait for its next check. */
const LEASE_OVER = { minutes: 3 };

function newOffer(): string {
  next += 1;
  const id = `off_event_${next}`;
  tenant.supplier.offers.set(id, offer({ id }));
  return id;
}

function event(type: string, about: Partial<SupplierEvent>): SupplierEvent {
  next += 1;
  const nothing = { subjectId: undefined, orderId: undefined, bookingId: undefined, createdAt: undefined };
  return { ...nothing, id: `wev_${next}`, type, ...about };
}
const receive = (received: SupplierEvent) => world.stores.supplierInbox.receive("sandbox", received, world.clock.now());

function ticketedDetails(orderId: string): OrderDetails {
  return {
    id: orderId,
    pnr: "ZZ0001",
    bookingId: null,
    owner: { iataCode: "BA", name: "British Airways" },
    totalAmount: "412.50",
    totalCurrency: "USD",
    paid: true,
    cancelledAt: null,
    ticketed: true,
    documents: [{ type: "electronic_ticket", number: "0001", passengerIds: [] }],
    slices: [slice()],
    conditions: { refundBeforeDeparture: null, changeBeforeDeparture: null },
    airlineChanges: [{ id: "aic_1", detectedAt: null, actionTaken: null, removed: [], added: [] }],
    passengers: [],
    services: [],
    voidWindowEndsAt: null,
    availableActions: [],
  };
}

const identity = <T>(value: T): T => value;

function processor(stores: Stores, mortal: <T extends object>(port: T) => T = identity) {
  const stayBookings = absent("stayBookings", { quietMilliseconds: QUIET_MILLISECONDS });
  const flightServicing = absent("flightServicing", { getOrderDetails: async (id) => ticketedDetails(id) });
  const { flights } = tenant.supplier;
  const commits = servicingCommits({ flights, flightServicing, stays: absent("stays"), stayBookings });
  const ports = { flights: mortal(flights), flightServicing: mortal(flightServicing), stayBookings, commits };
  const { clock } = world;
  return createEventProcessor({ stores, portsFor: () => ports, clock, log: silentLog });
}

async function readOutcome({ id }: SupplierEvent) {
  const row = await world.db.selectFrom("webhookEvent").select("outcome").where("id", "=", id).executeTakeFirst();
  return row?.outcome ?? undefined;
}

async function bookedOrder(): Promise<string> {
  const offerId = newOffer();
  await tenant.book({ offerId });
  const row = (await tenant.bookings()).find((booking) => booking.offerId === offerId);
  if (row?.orderId == null) throw new Error("not booked");
  return row.orderId;
}

/** One worker dies at a step, and another takes over. */
async function dieAndGoOn(deathAt: number, when: "before" | "after") {
  const orderId = await bookedOrder();
  const received = event("air.payment.succeeded", { subjectId: "pay_1", orderId });
  await receive(received);
  const { mortal, mortalStores, steps, death } = dyingProcess(deathAt, when);
  const run = processor(mortalStores(world.stores), mortal).runOnce();
  await Promise.race([run, death]);
  const outcome = await readOutcome(received);
  world.clock.advance(LEASE_OVER);
  await processor(world.stores).runOnce();
  return { orderId, received, steps: steps(), outcome };
}

async function expectRead(orderId: string, where: string): Promise<void> {
  const order = await world.stores.orders.findByOrderId("sandbox", orderId);
  expect(order, where).toMatchObject({ ticketing: "ticketed", documents: [{ number: "0001" }] });
  const events = await world.stores.orders.events("sandbox", orderId);
  expect(events.map(({ kind }) => kind).toSorted(), where).toEqual(["booked", "schedule_changed", "ticketed"]);
}

test("a worker that dies at any step leaves the event to the next one, and nothing happens twice", async () => {
  const { steps } = await dieAndGoOn(0, "before");
  expect(steps).toBeGreaterThan(4);
  const outcomes = new Set<string | undefined>();
  for (let deathAt = 1; deathAt <= steps; deathAt += 1) {
    for (const when of ["before", "after"] as const) {
      const where = `dies ${when} step ${deathAt} of ${steps}`;
      const { orderId, received, outcome } = await dieAndGoOn(deathAt, when);
      outcomes.add(outcome);
      expect(await readOutcome(received), where).toBe("order read");
      await expectRead(orderId, where);
    }
  }
  expect(outcomes).toEqual(new Set([undefined, "order read"]));
});

async function leftOpen(fault: string) {
  const offerId = newOffer();
  tenant.supplier.faults.order.push(fault);
  await expect(tenant.book({ offerId })).rejects.toMatchObject({ code: "outcome_unknown" });
  const find = async () => (await tenant.bookings()).find((booking) => booking.offerId === offerId);
  return { id: (await find())?.id ?? "", readState: async () => (await find())?.state };
}
/** As soon as an event may have woken it. */
const reconcileAtOnce = () => tenant.reconcile({ milliseconds: 1 });

test("an event about a missing order decides nothing before the quiet time is over", async () => {
  const { id, readState } = await leftOpen("late_effect");
  const received = event("order.created", { bookingId: id });
  await receive(received);
  await processor(world.stores).runOnce();
  expect(await readOutcome(received)).toBe("decides nothing");
  await reconcileAtOnce();
  expect(await readState()).toBe("ordering");
  tenant.supplier.arriveLate();
  await tenant.reconcile();
  expect(await readState()).toBe("booked");
});

test("a failed creation that the supplier confirms ends the booking at once", async () => {
  const { id, readState } = await leftOpen("lost_before_effect");
  await receive(event("order.creation_failed", { bookingId: id }));
  await processor(world.stores).runOnce();
  await reconcileAtOnce();
  expect(await readState()).toBe("failed");
});

test("a failed creation that the supplier contradicts ends nothing", async () => {
  const { id, readState } = await leftOpen("lost_after_effect");
  await receive(event("order.creation_failed", { bookingId: id }));
  await processor(world.stores).runOnce();
  await reconcileAtOnce();
  expect(await readState()).not.toBe("failed");
  await tenant.reconcile();
  expect(await readState()).toBe("booked");
});

test("an event that cannot be handled is retried, and finally given up", async () => {
  const received = event("order.created", { orderId: "bok_1" });
  await receive(received);
  const { runOnce } = processor(world.stores);
  await runOnce();
  expect(await runOnce()).toBe(0);
  for (let hour = 0; hour < 100 && (await readOutcome(received)) === undefined; hour += 1) {
    world.clock.advance({ hours: 1 });
    await runOnce();
  }
  expect(await readOutcome(received)).toMatch(/^given up: /);
});
