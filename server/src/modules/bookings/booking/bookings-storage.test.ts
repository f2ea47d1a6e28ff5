import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../../test/support/identity.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { type OpenDatabase, openDatabase } from "../../../platform/database/database.ts";
import { BOOKING_RATE } from "../booking-rate.ts";
import type { Booking } from "./bookings.ts";
import { createBookings } from "./store.ts";

const CLAIMERS = 8;
const clock = createManualClock();
let database: TestDatabase;
let open: OpenDatabase;
let bookings: ReturnType<typeof createBookings>;
let next = 0;

beforeAll(async () => {
  database = await createMigratedDatabase();
  open = openDatabase(database.url, { poolSize: CLAIMERS, onError: () => undefined });
  bookings = createBookings(open.db, clock);
});
afterAll(async () => {
  await open.close();
  await database.drop();
});

async function newBooking(workerId: string): Promise<Booking> {
  next += 1;
  const names = {
    id: `bkg_${next}`,
    tenantId: "tenant_1",
    userId: "amelia",
    callId: `call_${next}`,
    offerId: `off_${next}`,
  };
  const price = {
    amountMicroUsdc: 1n,
    totalAmount: "0.000001",
    totalCurrency: "USD",
    rate: BOOKING_RATE,
    airlineCreditId: undefined,
    travelers: [],
    itinerarySalt: "salt",
  };
  const booking = await bookings.insert({ ...names, ...price, environment: "sandbox", kind: "flight", workerId });
  if (booking === undefined) throw new Error("not inserted");
  return booking;
}

test("only the worker that holds a booking moves it, and only from its current state", async () => {
  const { id } = await newBooking("mine");
  expect(await bookings.advance(id, { from: "intended", workerId: "other" }, "ordering")).toBe(false);
  expect(await bookings.advance(id, { from: "ordering", workerId: "mine" }, "ordering")).toBe(false);
  expect(await bookings.advance(id, { from: "intended", workerId: "mine" }, "ordering")).toBe(true);
  expect(await bookings.advance(id, { from: "intended", workerId: "mine" }, "ordering")).toBe(false);
  expect(await bookings.get(id)).toMatchObject({ state: "ordering", workerId: "mine" });
  expect(await bookings.touch(id, "other", clock.now())).toBe(false);
  expect(await bookings.leave(id, "other", clock.now())).toBe(false);
});

test("a heartbeat extends the quiet time only while a request may be on its way", async () => {
  const { id } = await newBooking("mine");
  const later = clock.now().add({ seconds: 60 });
  await bookings.touch(id, "mine", later);
  expect(await bookings.get(id)).toMatchObject({ quietUntil: undefined });
  await bookings.advance(id, { from: "intended", workerId: "mine" }, "ordering", { quietUntil: clock.now() });
  await bookings.touch(id, "mine", later);
  expect((await bookings.get(id))?.quietUntil?.toString()).toBe(later.toString());
  await bookings.touch(id, "mine", clock.now());
  expect((await bookings.get(id))?.quietUntil?.toString()).toBe(later.toString());
  await bookings.leave(id, "mine", clock.now().add({ hours: 1_000 }));
});

test("abandoned bookings are claimed once, by one of many workers, and not too early", async () => {
  const ids = [];
  for (let index = 0; index < 40; index += 1) ids.push((await newBooking("gone")).id);
  const left = await newBooking("left");
  await bookings.leave(left.id, "left", clock.now().add({ hours: 1 }));
  expect(await bookings.claimStale("early", 15, 100)).toEqual([]);
  clock.advance({ seconds: 16 });
  const living = await newBooking("living");
  const claims = await Promise.all(
    Array.from({ length: CLAIMERS }, (_, index) => bookings.claimStale(`claimer_${index}`, 15, 100)),
  );
  const claimed = claims.flat().map(({ id }) => id);
  expect(claimed).toEqual(expect.arrayContaining(ids));
  expect(claimed).not.toContain(living.id);
  expect(claimed).not.toContain(left.id);
  expect(new Set(claimed).size).toBe(claimed.length);
});

test("a concurrent claim is skipped, not waited for", async () => {
  const { id } = await newBooking("gone");
  clock.advance({ seconds: 16 });
  await open.db.transaction().execute(async (first) => {
    const claimed = await createBookings(first, clock).claimStale("first", 15, 100);
    expect(claimed.map((booking) => booking.id)).toContain(id);
    await open.db.transaction().execute(async (second) => {
      // Fails instead of hanging if it would have to wait.
      await sql`set local lock_timeout = '1s'`.execute(second);
      expect(await createBookings(second, clock).claimStale("second", 15, 100)).toEqual([]);
    });
  });
});

test("an offer has at most one booking that is not failed, per tenant and environment", async () => {
  const first = await newBooking("mine");
  const again = { ...first, id: `${first.id}_again`, workerId: "mine" };
  expect(await bookings.insert(again)).toBeUndefined();
  expect(await bookings.insert({ ...again, id: `${first.id}_live`, environment: "production" })).toBeDefined();
  expect(await bookings.findLive("tenant_1", "sandbox", first.offerId)).toMatchObject({ id: first.id });
  await bookings.advance(first.id, { from: "intended", workerId: "mine" }, "failed", { failureCode: "offer_expired" });
  expect(await bookings.findLive("tenant_1", "sandbox", first.offerId)).toBeUndefined();
  expect(await bookings.insert(again)).toBeDefined();
});

test("a lease belongs to one holder until it expires or is returned", async () => {
  const lease = (holder: string) => bookings.leaseCustomer("sandbox", "a@example.com", holder, 30);
  expect([await lease("one"), await lease("two")]).toEqual([true, false]);
  await bookings.endCustomerLease("sandbox", "a@example.com", "two");
  expect(await lease("two")).toBe(false);
  await bookings.endCustomerLease("sandbox", "a@example.com", "one");
  expect(await lease("two")).toBe(true);
  clock.advance({ seconds: 31 });
  expect(await lease("three")).toBe(true);
});
