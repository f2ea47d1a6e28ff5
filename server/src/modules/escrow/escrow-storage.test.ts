import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshHash } from "../../../test/support/escrow.ts";
import { openTestIdentities } from "../../../test/support/identity.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { stranger } from "../../../test/support/treasury.ts";
import { createStores } from "../../contributions.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { NewTrip } from "../trips/trips.ts";

type Setup = Awaited<ReturnType<typeof openTestIdentities>>;

let setup: Setup;
let stores: ReturnType<typeof createStores>;
const start = Temporal.Instant.from("2026-11-20T10:00:00Z");
beforeAll(async () => {
  setup = await openTestIdentities();
  stores = createStores(setup.db, { now: () => start }, setup.vault);
});
afterAll(() => setup.close());

const ENVIRONMENT = "sandbox";
const newTrip = (change: Partial<NewTrip> = {}): NewTrip => ({
  tripId: freshHash(),
  ...sandboxChain,
  tenantId: "tenant_a",
  userId: "svc:key",
  escrow: stranger(),
  funder: stranger(),
  budget: 100n,
  expiresAt: start.add({ hours: 24 }),
  codeNonce: freshHash(),
  requiresCode: true,
  details: { linkOrigin: "https://app.example", guestName: "Amelia" },
  guestEmail: undefined,
  mail: "none",
  ...change,
});

describe("trips", () => {
  it("are read as stored, and only the master key decrypts the guest's address", async () => {
    const trip = newTrip({ guestEmail: "amelia@example.com", mail: "pending" });
    const stored = await stores.trips.insert(trip);
    expect(stored).toMatchObject({
      ...trip,
      state: "funding",
      free: 0n,
      promised: 0n,
      wrongCodes: 0,
      transactions: [],
    });
    expect(await stores.trips.get(ENVIRONMENT, trip.tripId)).toEqual(stored);
    const row = await setup.db.selectFrom("trip").selectAll().where("tripId", "=", trip.tripId).executeTakeFirst();
    expect(
      JSON.stringify({ ...row, budgetMicro: "" }, (_key, part) => (typeof part === "bigint" ? "" : part)),
    ).not.toContain("amelia@");
    // It cannot be decrypted under another trip.
    const other = await stores.trips.insert(newTrip());
    const encryptedGuestEmail = row?.encryptedGuestEmail ?? "";
    await setup.db.updateTable("trip").set({ encryptedGuestEmail }).where("tripId", "=", other.tripId).execute();
    await expect(stores.trips.get(ENVIRONMENT, other.tripId)).rejects.toThrow();
    await setup.db.deleteFrom("trip").where("tripId", "=", other.tripId).execute();
  });

  it("of another tenant or environment are not found", async () => {
    const { tripId } = await stores.trips.insert(newTrip());
    expect(await stores.trips.find("tenant_a", ENVIRONMENT, tripId)).toBeDefined();
    expect(await stores.trips.find("tenant_b", ENVIRONMENT, tripId)).toBeUndefined();
    expect(await stores.trips.find("tenant_a", "production", tripId)).toBeUndefined();
    expect(await stores.trips.unlock("tenant_b", ENVIRONMENT, tripId)).toBe(false);
    expect(await stores.trips.unlock("tenant_a", ENVIRONMENT, tripId)).toBe(true);
  });

  it("keep each step with its transaction, and store all of a change, including cleared members", async () => {
    const { tripId } = await stores.trips.insert(newTrip());
    const [fund, claim] = [freshHash(), freshHash()];
    const change = { state: "funded", free: 100n, transaction: { step: "fund", transactionHash: fund } } as const;
    await stores.trips.change(ENVIRONMENT, tripId, change);
    const pending = { step: "claim", transactionId: "ctx_1" } as const;
    await stores.trips.change(ENVIRONMENT, tripId, { pending });
    expect((await stores.trips.get(ENVIRONMENT, tripId))?.pending).toEqual(pending);
    const guestWallet = stranger();
    const transaction = { step: "claim", transactionHash: claim } as const;
    await stores.trips.change(ENVIRONMENT, tripId, { pending: undefined, guestWallet, claimedAt: start, transaction });
    const trip = await stores.trips.get(ENVIRONMENT, tripId);
    expect(trip).toMatchObject({ state: "funded", free: 100n, pending: undefined, guestWallet });
    expect(trip?.claimedAt?.toString()).toBe(start.toString());
    expect(trip?.transactions.map(({ step, transactionHash }) => [step, transactionHash])).toEqual([
      ["fund", fund],
      ["claim", claim],
    ]);
    expect(trip?.transactions[0]?.at.toString()).toBe(start.toString());
  });

  it("neither lose nor create a micro-unit, nor promise more than is free", async () => {
    const { tripId } = await stores.trips.insert(newTrip());
    await stores.trips.change(ENVIRONMENT, tripId, { state: "funded", free: 100n });
    for (const change of [
      { free: 99n },
      { held: 1n },
      { refunded: 1n },
      { promised: 101n },
      { free: 101n, held: -1n },
    ]) {
      await expect(
        stores.trips.change(ENVIRONMENT, tripId, change),
        JSON.stringify(Object.keys(change)),
      ).rejects.toThrow(/check constraint/);
    }
    await stores.trips.change(ENVIRONMENT, tripId, { free: 40n, held: 50n, vendorPaid: 10n, promised: 40n });
  });

  it("count wrong codes up to the limit, also concurrent ones", async () => {
    const { tripId } = await stores.trips.insert(newTrip());
    const counts = await Promise.all(
      Array.from({ length: 12 }, () => stores.trips.countWrongCode(ENVIRONMENT, tripId, 5)),
    );
    expect(counts.filter((count) => count !== undefined).toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  it("are locked by one caller at a time, who sees the previous one's changes", async () => {
    const { tripId } = await stores.trips.insert(newTrip());
    await stores.trips.change(ENVIRONMENT, tripId, { state: "funded", free: 100n });
    const take = () =>
      stores.transaction(async ({ trips }) => {
        const trip = await trips.lock(ENVIRONMENT, tripId);
        const seen = trip?.transactions.length ?? -1;
        const transaction = { step: "log", transactionHash: freshHash() } as const;
        await trips.change(ENVIRONMENT, tripId, { promised: (trip?.promised ?? 0n) + 1n, transaction });
        return seen;
      });
    const seen = await Promise.all(Array.from({ length: 6 }, take));
    expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await stores.trips.get(ENVIRONMENT, tripId))?.promised).toBe(6n);
  });
});

describe("bookings in escrow", () => {
  async function newBooking(tenantId = "tenant_a", bookingId: Hex = freshHash()) {
    const { tripId } = await stores.trips.insert(newTrip({ tenantId }));
    const pending = { step: "reserve", transactionId: "ctx_1", details: {} } as const;
    const booking = { bookingId, tripId, ...sandboxChain, tenantId, reserved: 50n, pending } as const;
    return { booking, inserted: await stores.escrowBookings.insert(booking) };
  }

  it("have an id unique in the tenant, unless the reservation had no effect", async () => {
    const { booking, inserted } = await newBooking();
    expect(inserted).toMatchObject({ ...booking, state: "reserving", waiting: 0n, transactions: [] });
    expect(await stores.escrowBookings.insert(booking)).toBeUndefined();
    expect((await newBooking("tenant_b", booking.bookingId)).inserted).toBeDefined();
    await stores.escrowBookings.change(booking, { state: "failed", pending: undefined });
    const again = await newBooking("tenant_a", booking.bookingId);
    expect(again.inserted).toMatchObject({ state: "reserving", tripId: again.booking.tripId });
    expect(await stores.escrowBookings.listOfTrip(ENVIRONMENT, booking.tripId)).toEqual([]);
  });

  it("are read together with their trip as each alone", async () => {
    const { booking } = await newBooking();
    await newBooking("tenant_b", booking.bookingId);
    await stores.escrowBookings.change(booking, {
      vendorPaid: 40n,
      feePaid: 10n,
      state: "settled",
      pending: undefined,
    });
    await stores.trips.change(ENVIRONMENT, booking.tripId, { state: "funded", free: 70n, vendorPaid: 30n });
    const { tenantId, bookingId, tripId } = booking;
    const both = {
      trip: await stores.trips.get(ENVIRONMENT, tripId),
      booking: await stores.escrowBookings.find(tenantId, ENVIRONMENT, bookingId),
    };
    expect(await stores.trips.findOfBooking(tenantId, ENVIRONMENT, bookingId)).toStrictEqual(both);
    await stores.transaction(async ({ trips }) => {
      expect(await trips.lockOfBooking(tenantId, ENVIRONMENT, bookingId)).toStrictEqual(both);
      expect(await trips.lockWithBooking(ENVIRONMENT, tripId, bookingId)).toStrictEqual(both);
    });
    expect(await stores.trips.findOfBooking("tenant_c", ENVIRONMENT, bookingId)).toBeUndefined();
    expect(await stores.trips.findOfBooking(tenantId, "production", bookingId)).toBeUndefined();
  });

  it("are locked with their trip by one caller at a time, who sees the previous one's changes of either", async () => {
    const { booking } = await newBooking();
    const { tenantId, bookingId, tripId } = booking;
    const TAKES = 24;
    const take = (index: number) =>
      stores.transaction(async ({ trips, escrowBookings }) => {
        const locked = await (index % 2 === 0
          ? trips.lockOfBooking(tenantId, ENVIRONMENT, bookingId)
          : trips.lockWithBooking(ENVIRONMENT, tripId, bookingId));
        const { vendorAmount = -1n, transactions = [] } = locked?.booking ?? {};
        const transaction = { step: "log", transactionHash: freshHash() } as const;
        // The trip's own row changes only each third time.
        if (index % 3 === 0) await trips.change(ENVIRONMENT, tripId, { transaction });
        await escrowBookings.change(booking, { vendorAmount: vendorAmount + 1n, transaction });
        return [Number(vendorAmount), transactions.length];
      });
    const seen = await Promise.all(Array.from({ length: TAKES }, (_, index) => take(index)));
    const inOrder = Array.from({ length: TAKES }, (_, index) => [index, index]);
    expect(seen.toSorted(([one = 0], [other = 0]) => one - other)).toEqual(inOrder);
    expect((await stores.trips.get(ENVIRONMENT, tripId))?.transactions).toHaveLength(TAKES / 3);
  });

  it("pay out a whole reservation or nothing, and only at their end", async () => {
    const { booking } = await newBooking();
    const bad = [
      { vendorAmount: 40n, markup: 10n, serviceFee: 1n },
      { state: "settled" as const },
      { vendorPaid: 50n },
      { state: "settled" as const, vendorPaid: 49n },
    ];
    for (const change of bad) {
      await expect(stores.escrowBookings.change(booking, change)).rejects.toThrow(/check constraint/);
    }
    const transaction = { step: "settle", transactionHash: freshHash() } as const;
    const details = { itineraryCid: "bafy", pricing: { totalMicroUsdc: "50" } };
    const amounts = { vendorPaid: 40n, feePaid: 4n, refunded: 6n, waiting: 40n };
    await stores.escrowBookings.change(booking, {
      state: "settled",
      ...amounts,
      details,
      pending: undefined,
      transaction,
    });
    expect(await stores.escrowBookings.find("tenant_a", ENVIRONMENT, booking.bookingId)).toMatchObject({
      state: "settled",
      ...amounts,
      details,
      pending: undefined,
      transactions: [expect.objectContaining(transaction)],
    });
    expect(await stores.escrowBookings.find("tenant_b", ENVIRONMENT, booking.bookingId)).toBeUndefined();
  });
});
