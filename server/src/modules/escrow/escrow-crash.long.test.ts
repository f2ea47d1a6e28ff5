import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { UNIT } from "../../../test/support/chain-world.ts";
import { dyingProcess } from "../../../test/support/dying-ports.ts";
import { freshHash } from "../../../test/support/escrow.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { deployFurtherEscrow, openTripWorld, type StepCall, type TripWorld } from "../../../test/support/trip-world.ts";
import { systemRandom } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import { allowEscrow } from "./escrows/allow-escrow.ts";
import { takeReservation } from "./step-machine/take-booking-step.ts";
import type { StepAnswer } from "./step-machine/take-step.ts";

let world: TripWorld;
let own: TripWorld;
let further: TripWorld;
beforeAll(async () => {
  [own, further] = await Promise.all([openTripWorld(), openTripWorld({ isFurther: true })]);
});
beforeEach(() => {
  world = own;
});
afterAll(async () => {
  for (const one of [own, further]) await one?.[Symbol.asyncDispose]();
});

const VENDOR: Hex = "0x00000000000000000000000000000000000000bb";
/** More moments than any step has. */
const MOST_DEATHS = 24;
const OUTLIVED = "outlived";

interface Subject {
  planned: ReturnType<TripWorld["plan"]>;
  tripId: Hex;
  bookingId: Hex;
  /** The Idempotency-Key of every call for it. */
  key: string;
}

/** A step, its prerequisite, and the state after it, however often it is taken. */
interface Kind {
  prepare(subject: Subject): Promise<unknown>;
  take(subject: Subject, call: StepCall): Promise<Pick<StepAnswer, "kind">>;
  taken: { state: string; free: bigint; held: bigint };
}

const fund = async ({ planned }: Subject) => await world.fund(planned, { callId: await world.newCall() });

async function reserve(subject: Subject) {
  await fund(subject);
  const { tripId, bookingId } = subject;
  await world.reserve(tripId, bookingId, 4n * UNIT, { callId: await world.newCall() });
}

async function confirm(subject: Subject) {
  await reserve(subject);
  const { bookingId } = subject;
  const amounts = { vendor: VENDOR, vendorAmount: UNIT, markup: UNIT, serviceFee: UNIT };
  const commit = { name: "commit", bookingId, ...amounts, itineraryHash: freshHash() } as const;
  await world.step(commit, { callId: await world.newCall() });
  await world.step({ name: "confirm", bookingId, ticketHash: freshHash() }, { callId: await world.newCall() });
}

const kinds: Readonly<Record<string, Kind>> = {
  fund: {
    prepare: async () => undefined,
    take: ({ planned }, call) => world.fund(planned, call),
    taken: { state: "none", free: 10n * UNIT, held: 0n },
  },
  reserve: {
    prepare: fund,
    take: ({ tripId, bookingId }, call) => world.reserve(tripId, bookingId, 4n * UNIT, call),
    taken: { state: "reserved", free: 6n * UNIT, held: 4n * UNIT },
  },
  settle: {
    prepare: confirm,
    take: ({ bookingId }, call) => world.step({ name: "settle", bookingId }, call),
    taken: { state: "settled", free: 6n * UNIT, held: 0n },
  },
  release: {
    prepare: reserve,
    take: ({ tripId, bookingId }, call) => world.release(tripId, bookingId, call),
    taken: { state: "cancelled", free: 10n * UNIT, held: 0n },
  },
  log: {
    prepare: fund,
    take: ({ tripId }, call) =>
      world.tripStep(tripId, { name: "log", actionId: freshHash(), actionType: "hold", fee: UNIT }, call),
    taken: { state: "none", free: 9n * UNIT, held: 0n },
  },
};

function newSubject(): Subject {
  const planned = world.plan(10n * UNIT);
  return { planned, tripId: planned.trip.tripId, bookingId: freshHash(), key: freshHash() };
}

async function readState({ tripId, bookingId }: Subject) {
  const [there, trip] = [await world.escrow.booking(tripId, bookingId), await world.escrow.trip(tripId)];
  const booking = await world.stores.escrowBookings.find(world.tenantId, "sandbox", bookingId);
  const record = await world.stores.trips.get("sandbox", tripId);
  return {
    chain: { state: there.state, free: trip?.free ?? 0n, held: trip?.held ?? 0n },
    record: {
      state: booking?.state ?? "none",
      free: record?.free ?? 0n,
      held: record?.held ?? 0n,
      underWay: (record?.promised ?? 0n) > 0n || booking?.pending !== undefined,
    },
  };
}

const places = new Map([
  ["the chain's own escrow", () => own],
  ["a tenant's further escrow", () => further],
]);

describe("an operator's command that dies", () => {
  it("at any moment before or after it has stored an escrow, can be run again, and the books agree", async () => {
    const outcomes = new Set<string>();
    const { stores, openedChain, tenantId } = further;
    const { chain } = openedChain;
    for (let deathAt = 1; deathAt <= MOST_DEATHS; deathAt += 1) {
      const address = await deployFurtherEscrow(further);
      const { send, transfer } = further.tenant;
      await further.drained(send(transfer(address, UNIT), { callId: await further.newCall() }, openedChain));
      await further.reconcile(openedChain);
      const dying = dyingProcess(deathAt, "after");
      const ports = { chain: dying.mortal(chain), stores: dying.mortalStores(stores) };
      const living = allowEscrow(ports, { tenantId, address });
      const isDead = await Promise.race([living.then(() => false), dying.death.then(() => true)]);
      outcomes.add(isDead ? await allowEscrow({ chain, stores }, { tenantId, address }) : OUTLIVED);
      expect(await stores.furtherEscrows.find(sandboxChain, address)).toMatchObject({ tenantId, revokedAt: undefined });
      expect(await further.reconcile(openedChain)).toEqual({ USDC: 0n, EURC: 0n });
      if (!isDead) break;
    }
    expect([...outcomes]).toEqual(["allowed", "known", OUTLIVED]);
  });
});

describe("a process that dies", () => {
  it.each(
    [...places].flatMap(([place, open]) => Object.entries(kinds).map(([name, kind]) => ({ place, open, name, kind }))),
  )(
    "at any moment of $name in $place, before or after its intent, its broadcast and its receipt, leaves work that the next one finishes once",
    { timeout: 240_000 },
    async ({ open, kind: { prepare, take, taken } }) => {
      world = open();
      /** The state that the dead process left for its call, or that it outlived the step. */
      async function live(subject: Subject, deathAt: number): Promise<string> {
        const where = deathAt === 0 ? "dies before its first step" : `dies after step ${deathAt}`;
        expect((await readState(subject)).chain, where).not.toEqual(taken);
        const callId = await world.newCall(subject.key);
        const dying = deathAt === 0 ? dyingProcess(1, "before") : dyingProcess(deathAt, "after");
        const living = take(subject, { callId, ports: world.openDying(dying) }).then(() => false);
        if (!(await Promise.race([living, dying.death.then(() => true)]))) return OUTLIVED;
        const { effect } = await world.callEnd(callId);
        await world.drain(world.openedChain);
        // A stored step completes without another call.
        const after = await readState(subject);
        if (effect === "none") expect(after.chain, where).not.toEqual(taken);
        else expect(after.chain, where).toEqual(taken);
        expect((await world.callEnd(callId)).effect, where).toBe(effect === "none" ? "none" : "done");
        const again = await world.drained(take(subject, { callId: await world.newCall(subject.key) }));
        expect(again.kind, where).toBe(effect === "none" ? "confirmed" : "replayed");
        const end = { chain: taken, record: { ...taken, underWay: false } };
        expect(await readState(subject), where).toEqual(end);
        return effect;
      }

      const subjects = Array.from({ length: MOST_DEATHS }, newSubject);
      await world.drained(Promise.all(subjects.map(prepare)));
      // After one step is before the next, so every moment between two requests or statements is covered.
      const lives = new Set<string>();
      for (const [index, subject] of subjects.entries()) {
        const life = await live(subject, index);
        lives.add(life);
        if (life === OUTLIVED) break;
      }
      // Control: some died at each stage, in order, and the last one outlived the step.
      expect([...lives]).toEqual(["none", "open", "done", OUTLIVED]);
      expect(await world.reconcile(world.openedChain)).toEqual({ USDC: 0n, EURC: 0n });
    },
  );
});

describe("the contract refuses what the records allowed", () => {
  const refused = async (work: Promise<unknown>) =>
    await world.drained(work).then(
      () => expect.fail("it was carried out"),
      (error: unknown) => error,
    );

  it("a reservation of a trip that has expired there leaves the money free", async () => {
    const tripId = await world.newTrip(10n * UNIT, { seconds: 600 });
    await world.devChain.ask("evm_increaseTime", [700]);
    await world.devChain.mine();
    const bookingId = freshHash();
    const callId = await world.newCall();
    const error = await refused(world.reserve(tripId, bookingId, UNIT, { callId }));
    expect(error).toMatchObject({ code: "trip_expired", extra: { txHash: expect.stringMatching(/^0x/) } });
    expect(await world.trip(tripId)).toMatchObject({ free: 10n * UNIT, promised: 0n, held: 0n });
    expect(await world.booking(bookingId)).toMatchObject({ state: "failed", pending: undefined, transactions: [] });
    expect((await world.callEnd(callId)).effect).toBe("failed");
    const fee = { name: "log", actionId: freshHash(), actionType: "hold", fee: UNIT } as const;
    expect(await refused(world.tripStep(tripId, fee, { callId: await world.newCall() }))).toMatchObject({
      code: "trip_expired",
    });
    expect(await world.trip(tripId)).toMatchObject({ free: 10n * UNIT, promised: 0n, actionFeePaid: 0n });
    // The id is free again, for another trip.
    const other = await world.newTrip(10n * UNIT, {});
    await world.drained(world.reserve(other, bookingId, UNIT, { callId: await world.newCall() }));
    expect(await world.booking(bookingId)).toMatchObject({ tripId: other, state: "reserved", reserved: UNIT });
  });

  it("a budget that the treasury lacks on the chain is available again, and there is no trip", async () => {
    const before = await world.tenant.balance();
    const planned = world.plan(10n * UNIT, { seconds: -60 });
    const callId = await world.newCall();
    expect(await refused(world.fund(planned, { callId }))).toMatchObject({ code: "transfer_reverted" });
    expect(await world.tenant.balance()).toEqual(before);
    const { tripId } = planned.trip;
    expect(await world.trip(tripId)).toMatchObject({ state: "failed", free: 0n });
    const reserving = world.reserve(tripId, freshHash(), UNIT, { callId: await world.newCall() });
    expect(await refused(reserving)).toMatchObject({ code: "trip_not_funded" });
    expect(await world.reconcile(world.openedChain)).toEqual({ USDC: 0n, EURC: 0n });
  });
});

describe("a reservation meant to pay for an order", () => {
  /** The supplier has booked it and refunds nothing. */
  async function order(escrowBookingId: Hex, cover: bigint): Promise<string> {
    const id = `bkg_${freshHash()}`;
    await world.stores.bookings.insert({
      id,
      tenantId: world.tenantId,
      environment: "sandbox",
      userId: "svc:key",
      callId: await world.newCall(),
      kind: "flight",
      offerId: `off_${id}`,
      amountMicroUsdc: cover,
      totalAmount: "3.00",
      totalCurrency: "USD",
      rate: { from: "USD", to: "USDC", value: "1", source: "test", sourceLevel: "embedded", asOf: null, marginBps: 0 },
      airlineCreditId: undefined,
      travelers: [],
      itinerarySalt: freshHash(),
      workerId: "test",
      escrowBookingId,
    });
    const change = { orderId: `ord_${id}`, result: {} };
    const isBooked = await world.stores.bookings.advance(id, { from: "intended", workerId: "test" }, "booked", change);
    expect(isBooked).toBe(true);
    await world.stores.bookings.setCover(id, { cover });
    return id;
  }
  const chargedFor = async (id: string) => (await world.stores.bookings.get(id))?.coverCharged;

  async function reserved(times = {}) {
    const [tripId, bookingId] = [await world.newTrip(10n * UNIT, times), freshHash()];
    await world.drained(world.reserve(tripId, bookingId, 4n * UNIT, { callId: await world.newCall() }));
    return { tripId, bookingId, id: await order(bookingId, 3n * UNIT) };
  }

  it("keeps the wallet's future debt reserved until it has paid", async () => {
    const { tripId, bookingId, id } = await reserved();
    const before = await world.tenant.balance();
    const releasing = world.release(tripId, bookingId, { callId: await world.newCall() });
    await expect.poll(async () => (await world.booking(bookingId)).pending?.step).toBe("return");
    expect((await world.tenant.balance()).held).toBe(before.held + 3n * UNIT);
    await expect(
      world.stores.ledger.hold(world.tenant.purse, before.available - 3n * UNIT + 1n, "somebody else"),
    ).rejects.toMatchObject({ code: "insufficient_balance" });
    await world.drained(releasing);
    await world.drain(world.openedChain);
    expect(await chargedFor(id)).toBe(3n * UNIT);
    const after = await world.tenant.balance();
    expect([after.available, after.held]).toEqual([before.available - 3n * UNIT, before.held]);
    expect(await world.trip(tripId)).toMatchObject({ free: 10n * UNIT, held: 0n });
    expect(await world.reconcile(world.openedChain)).toEqual({ USDC: 0n, EURC: 0n });
  });

  it("keeps paying if the trip has expired only on the chain, and the wallet has its full balance", async () => {
    const { tripId, bookingId, id } = await reserved({ seconds: 2_000 });
    const before = await world.tenant.balance();
    await world.devChain.ask("evm_increaseTime", [2_100]);
    await world.devChain.mine();
    const callId = await world.newCall();
    const refused = world.drained(world.release(tripId, bookingId, { callId }));
    await expect(refused).rejects.toMatchObject({ code: "trip_expired" });
    expect((await world.callEnd(callId)).effect).toBe("failed");
    expect(await world.tenant.balance()).toEqual(before);
    expect(await world.booking(bookingId)).toMatchObject({ state: "reserved", pending: undefined });
    expect(await world.trip(tripId)).toMatchObject({ free: 6n * UNIT, held: 4n * UNIT });
    expect(await chargedFor(id)).toBe(0n);
    // A cancellation returns it to the wallet, which pays.
    const action = { name: "cancel", bookingId, reason: "timeout" } as const;
    await world.drained(world.step(action, { callId: await world.newCall() }));
    await world.drain(world.openedChain);
    expect(await chargedFor(id)).toBe(3n * UNIT);
    expect((await world.tenant.balance()).available).toBe(before.available + UNIT);
  });
});

/** Without a booking id. */
const asked = (tripId: Hex, amount: bigint) => ({
  tenantId: world.tenantId,
  tripId,
  bookingId: undefined,
  amount,
  random: systemRandom,
  result: () => ({}),
});

describe("steps of a whole trip", () => {
  it("a closed trip returns its free budget, once, and its bookings continue", async () => {
    const [tripId, bookingId] = [await world.newTrip(10n * UNIT), freshHash()];
    const call = async () => ({ callId: await world.newCall() });
    await world.drained(world.reserve(tripId, bookingId, 4n * UNIT, await call()));
    const before = await world.tenant.balanceOnChain();
    const answers = await world.drained(
      Promise.all([1, 2, 3].map(async () => await world.tripStep(tripId, { name: "close" }, await call()))),
    );
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(["confirmed", "replayed", "replayed"]);
    expect(new Set(answers.map(({ transaction }) => transaction.hash)).size).toBe(1);
    expect((await world.tenant.balanceOnChain()) - before).toBe(6n * UNIT);
    expect(await world.trip(tripId)).toMatchObject({ state: "closed", free: 0n, held: 4n * UNIT, refunded: 6n * UNIT });
    const late = world.drained(world.reserve(tripId, freshHash(), 1n, await call()));
    await expect(late).rejects.toMatchObject({ code: "trip_closed" });
    await world.drained(world.step({ name: "cancel", bookingId, reason: "timeout" }, await call()));
    expect(await world.trip(tripId)).toMatchObject({ free: 0n, held: 0n, refunded: 10n * UNIT });
    expect(await world.escrow.trip(tripId)).toMatchObject({ free: 0n, held: 0n, isClosed: true });
  });

  it("is not closed while a reservation is in progress, nor reserved from while it is being closed", async () => {
    const tripId = await world.newTrip(10n * UNIT);
    const call = async () => ({ callId: await world.newCall() });
    const reserving = world.reserve(tripId, freshHash(), UNIT, await call());
    await expect.poll(async () => (await world.trip(tripId)).promised).toBe(UNIT);
    await expect(world.tripStep(tripId, { name: "close" }, await call())).rejects.toMatchObject({
      code: "trip_in_progress",
    });
    await world.drained(reserving);
    const closing = world.tripStep(tripId, { name: "close" }, await call());
    await expect.poll(async () => (await world.trip(tripId)).pending?.step).toBe("close");
    await expect(world.reserve(tripId, freshHash(), UNIT, await call())).rejects.toMatchObject({
      code: "trip_in_progress",
    });
    await world.drained(closing);
    expect(await world.trip(tripId)).toMatchObject({ state: "closed", pending: undefined, held: UNIT });
  });

  it("an Idempotency-Key whose first call is still undecided belongs to no other request", async () => {
    const [tripId, key] = [await world.newTrip(10n * UNIT), freshHash()];
    const call = async () => ({ callId: await world.newCall(key) });
    const reserve = async (amount: bigint) =>
      await takeReservation(world.ports, { ...(await call()), ...asked(tripId, amount), waitMilliseconds: 0 });
    await expect(reserve(UNIT)).rejects.toMatchObject({ code: "step_in_progress" });
    await expect(reserve(2n * UNIT)).rejects.toMatchObject({ code: "idempotency_mismatch" });
    await expect(reserve(UNIT)).rejects.toMatchObject({ code: "step_in_progress" });
    const log = { name: "log", actionId: freshHash(), actionType: "hold", fee: UNIT } as const;
    await expect(world.tripStep(tripId, log, await call())).rejects.toMatchObject({ code: "idempotency_mismatch" });
    await world.drain(world.openedChain);
    expect(await reserve(UNIT)).toMatchObject({ kind: "replayed" });
    expect(await world.trip(tripId)).toMatchObject({ free: 9n * UNIT, promised: 0n, held: UNIT });
    // A step of a booking finds the earlier request when it is stored.
    const bookingId = freshHash();
    await world.drained(world.reserve(tripId, bookingId, UNIT, { callId: await world.newCall() }));
    const cancelling = world.step({ name: "cancel", bookingId, reason: "" }, await call());
    await expect(world.drained(cancelling)).rejects.toMatchObject({ code: "idempotency_mismatch" });
    expect(await world.booking(bookingId)).toMatchObject({ state: "reserved", pending: undefined });
  });

  it("takes nothing while the operator has stopped the money, and answers repetitions", async () => {
    const [tripId, bookingId] = [await world.newTrip(10n * UNIT), freshHash()];
    const call = async () => ({ callId: await world.newCall() });
    const first = await world.drained(world.reserve(tripId, bookingId, UNIT, await call()));
    await world.stores.boundChains.stop(sandboxChain, "a test");
    try {
      await expect(world.reserve(tripId, freshHash(), UNIT, await call())).rejects.toMatchObject({
        code: "settlement_stopped",
      });
      const again = await world.reserve(tripId, bookingId, UNIT, await call());
      expect(again).toMatchObject({ kind: "replayed", result: first.result });
    } finally {
      await world.stores.boundChains.resume(sandboxChain);
    }
  });
});
