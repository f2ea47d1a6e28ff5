import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBookingWorld, reconcileBookings, withoutStays } from "../../../../test/support/booking-world.ts";
import { offer } from "../../../../test/support/offers.ts";
import { Failure } from "../../../domain/errors.ts";

type World = Awaited<ReturnType<typeof openBookingWorld>>;
type Tenant = Awaited<ReturnType<World["newTenant"]>>;

let world: World;
beforeAll(async () => {
  world = await openBookingWorld();
});
afterAll(() => world.close());

const PRICE = 412_500_000n;
const booked = {
  openBookings: 0,
  livingOrders: 1,
  paidOrders: 1,
  payments: 1,
  paid: PRICE,
  spent: PRICE,
  collected: PRICE,
  held: 0n,
  imbalance: 0n,
};
const nobody = { paidOrders: 0, payments: 0, paid: 0n, spent: 0n, collected: 0n };
const nothing = { openBookings: 0, held: 0n, imbalance: 0n, ...nobody };
const settledCode = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: { code?: unknown }) => error.code,
  );

describe("a successful booking", () => {
  test("holds, pays, captures, and answers with the supplier's order", async () => {
    const tenant = await world.newTenant();
    const answer = await tenant.book();
    expect(answer).toMatchObject({
      kind: "done",
      result: {
        pnr: "ZZ0001",
        orderId: "ord_1",
        offerId: "off_1",
        totalAmount: "412.50",
        totalCurrency: "USD",
        ticketing: "pending",
        chargedUsdc: "412.50",
        sandbox: true,
        creditApplied: null,
      },
    });
    expect(await tenant.audit()).toMatchObject({ ...booked, states: ["booked"], effects: ["done"] });
    expect(tenant.supplier.requests[0]).toMatchObject({
      passengers: [{ id: "pas_1", givenName: "Amelia", customerUserId: expect.stringMatching(/^icu_/) }],
    });
  });

  test("is returned, unchanged, to later calls for the same offer", async () => {
    const tenant = await world.newTenant();
    const first = await tenant.book();
    const again = await tenant.book();
    const [stored] = await tenant.bookings();
    expect(again).toEqual({ kind: "replayed", result: first.result, firstCallId: stored?.callId });
    expect(await tenant.audit()).toMatchObject(booked);
  });

  test("happens once for sixteen concurrent calls", async () => {
    const tenant = await world.newTenant();
    const answers = await Promise.all(Array.from({ length: 16 }, () => tenant.book()));
    expect(answers.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === "replayed")).toHaveLength(15);
    expect(tenant.supplier.counts).toEqual({ order: 1, payment: 1, addition: 0, customer: 1 });
    expect(await tenant.audit()).toMatchObject({ ...booked, states: ["booked"] });
  });

  test("is a separate one for another tenant", async () => {
    const [mine, theirs] = [await world.newTenant(), await world.newTenant()];
    await mine.book();
    expect(await theirs.book()).toMatchObject({ kind: "done" });
  });

  test("pays at once if the offer cannot be held, even if only the supplier knows that", async () => {
    for (const known of [true, false]) {
      const tenant = await world.newTenant();
      const paymentRequirements = {
        requiresInstantPayment: known,
        priceGuaranteeExpiresAt: null,
        paymentRequiredBy: null,
      };
      tenant.supplier.offers.set("off_1", offer({ paymentRequirements }));
      if (!known) tenant.supplier.faults.order.push("hold_not_available");
      expect(await tenant.book()).toMatchObject({ kind: "done" });
      expect(await tenant.audit()).toMatchObject(booked);
      expect(tenant.supplier.counts.payment).toBe(0);
    }
  });

  test("stops waiting at its limit, and is finished all the same", async () => {
    const tenant = await world.newTenant();
    const letGo = tenant.supplier.hold();
    expect(await settledCode(tenant.book({ answerMilliseconds: 1 }))).toBe("outcome_unknown");
    expect(await settledCode(tenant.book({ waitMilliseconds: 1 }))).toBe("booking_in_progress");
    letGo();
    expect(await tenant.book()).toMatchObject({ kind: "replayed" });
    expect(await tenant.audit()).toMatchObject({ ...booked, effects: ["done"] });
  });
});

describe("money", () => {
  test("that is too little stops the booking before anything is sent", async () => {
    const tenant = await world.newTenant(412_499_999n);
    await expect(tenant.book()).rejects.toMatchObject({
      code: "insufficient_balance",
      extra: { requiredUsdc: "412.50", availableUsdc: "412.499999", missingUsdc: "0.000001" },
    });
    expect(tenant.supplier.counts.order).toBe(0);
    expect(await tenant.audit()).toMatchObject({ ...nothing, states: [] });
  });

  test("held for one booking is not spent on another", async () => {
    const tenant = await world.newTenant(PRICE + 1n);
    const ids = Array.from({ length: 6 }, (_, index) => `off_race_${index}`);
    for (const id of ids) tenant.supplier.offers.set(id, offer({ id }));
    const codes = await Promise.all(ids.map((offerId) => settledCode(tenant.book({ offerId }))));
    expect(codes.toSorted()).toEqual([...Array(5).fill("insufficient_balance"), "ok"]);
    expect(await tenant.audit()).toMatchObject(booked);
  });

  test("in a currency without a rate is refused", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.offers.set("off_1", offer({ totalCurrency: "XAU" }));
    expect(await settledCode(tenant.book())).toBe("rate_not_available");
  });
});

describe("a refusal by the supplier", () => {
  const refusals = ["provider_timeout", "provider_unavailable", "price_changed", "offer_expired", "booking_rejected"];

  test.each(refusals)("%s at the order: nothing is owed, and the offer may be tried again", async (code) => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.order.push(code);
    expect(await settledCode(tenant.book())).toBe(code);
    expect(await tenant.audit()).toMatchObject({ ...nothing, states: ["failed"], effects: ["failed"], codes: [code] });
    expect(await tenant.book()).toMatchObject({ kind: "done" });
    expect(await tenant.audit()).toMatchObject(booked);
  });

  test.each(refusals)("%s at the payment: the hold is cancelled, nothing is owed", async (code) => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.payment.push(code);
    expect(await settledCode(tenant.book())).toBe(code);
    expect(await tenant.audit()).toMatchObject({
      ...nothing,
      livingOrders: 0,
      states: ["failed"],
      effects: ["failed"],
    });
  });

  test("of a payment that an unanswered look-up cannot confirm stays open", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.payment.push("provider_unavailable");
    tenant.supplier.faults.lookup.push("provider_timeout");
    expect(await settledCode(tenant.book())).toBe("outcome_unknown");
    expect(await tenant.audit()).toMatchObject({ openBookings: 1, held: PRICE, effects: ["open"] });
    await tenant.reconcile();
    expect(await tenant.audit()).toMatchObject(booked);
  });

  test("an order at a higher price than the offer is undone", async () => {
    const tenant = await world.newTenant();
    const { flights } = tenant.supplier;
    const dearer = {
      ...flights,
      holdOrder: async (request: Parameters<typeof flights.holdOrder>[0]) => ({
        ...(await flights.holdOrder(request)),
        totalAmount: "412.51",
      }),
    };
    expect(await settledCode(tenant.book({ ports: { flights: dearer, stores: world.stores } }))).toBe("price_changed");
    expect(await tenant.audit()).toMatchObject({ ...nothing, livingOrders: 0, states: ["failed"] });
  });
});

test("a worker that wakes up after its booking ended reports the end, and pays nothing", async () => {
  const tenant = await world.newTenant();
  const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
  const { flights } = tenant.supplier;
  const asleep = Promise.withResolvers<void>();
  const holdOrder: typeof flights.holdOrder = async (request) => {
    asleep.resolve();
    await woken;
    return flights.holdOrder(request);
  };
  const bookings = { ...world.stores.bookings, touch: async () => true };
  const sleepy = tenant.book({ ports: { flights: { ...flights, holdOrder }, stores: { ...world.stores, bookings } } });
  await asleep.promise;
  expect(await tenant.reconcile({ seconds: 60 })).toBe(1);
  wake();
  expect(await settledCode(sleepy)).toBe("provider_timeout");
  expect(await tenant.audit()).toMatchObject({ ...nothing, states: ["failed"], effects: ["failed"] });
});

describe("giving an order up", () => {
  /** A payment that is refused but still arrives when the order is cancelled. */
  function latePayment(tenant: Tenant) {
    const { flights } = tenant.supplier;
    const cancelUnpaidOrder = async (orderId: string) => {
      await flights.payOrder(orderId, "412.50", "USD");
      await flights.cancelUnpaidOrder(orderId);
    };
    tenant.supplier.faults.payment.push("booking_rejected");
    return { flights: { ...flights, cancelUnpaidOrder }, stores: world.stores };
  }

  test("that turns out to be paid completes the booking", async () => {
    const tenant = await world.newTenant();
    expect(await tenant.book({ ports: latePayment(tenant) })).toMatchObject({ kind: "done" });
    expect(await tenant.audit()).toMatchObject({ ...booked, states: ["booked"], effects: ["done"] });
  });

  test("is postponed while the supplier does not tell whether it was paid", async () => {
    const tenant = await world.newTenant();
    const ports = latePayment(tenant);
    const getOrder = async (orderId: string) => {
      const order = await tenant.supplier.flights.getOrder(orderId);
      if (order.paid) throw new Failure("provider_timeout");
      return order;
    };
    const silent = { ...ports, flights: { ...ports.flights, getOrder } };
    expect(await settledCode(tenant.book({ ports: silent }))).toBe("outcome_unknown");
    expect(await tenant.audit()).toMatchObject({ openBookings: 1, held: PRICE });
    await tenant.reconcile();
    expect(await tenant.audit()).toMatchObject({ ...booked, states: ["booked"] });
  });

  test("that cannot be cancelled and is unpaid frees the money", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.payment.push("booking_rejected");
    tenant.supplier.faults.cancellation.push("provider_unavailable");
    expect(await settledCode(tenant.book())).toBe("booking_rejected");
    expect(await tenant.audit()).toMatchObject({ ...nothing, states: ["failed"] });
  });
});

test("an order returned in another currency costs the amount sent for it", async () => {
  const tenant = await world.newTenant();
  const { flights, offers } = tenant.supplier;
  const paymentRequirements = { ...offer().paymentRequirements, requiresInstantPayment: true };
  offers.set("off_1", { ...offer(), paymentRequirements });
  const instantOrder: typeof flights.instantOrder = async (request) => ({
    ...(await flights.instantOrder(request)),
    totalAmount: "330.00",
    totalCurrency: "GBP",
  });
  await tenant.book({ ports: { flights: { ...flights, instantOrder }, stores: world.stores } });
  expect(await tenant.audit()).toMatchObject({ ...booked, states: ["booked"] });
});

describe("an unknown outcome", () => {
  const faults = ["lost_before_effect", "lost_after_effect", "garbled_after_effect", "late_effect"] as const;
  const open = { openBookings: 1, held: PRICE, spent: 0n, effects: ["open"] };

  /** The money stays held, nothing is sent again, and a second call learns that it must wait. */
  async function expectOpen(tenant: Tenant): Promise<void> {
    expect(await tenant.audit()).toMatchObject(open);
    const counts = { ...tenant.supplier.counts };
    expect(await settledCode(tenant.book({ waitMilliseconds: 1 }))).toBe("booking_in_progress");
    expect(await tenant.reconcile({ milliseconds: 0 })).toBe(0);
    expect(tenant.supplier.counts).toEqual(counts);
  }

  test.each(faults)("%s of the order is looked up after the quiet time", async (fault) => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.order.push(fault);
    expect(await settledCode(tenant.book())).toBe("outcome_unknown");
    await expectOpen(tenant);
    tenant.supplier.arriveLate();
    expect(await tenant.reconcile()).toBe(1);
    if (fault === "lost_before_effect") {
      expect(await tenant.audit()).toMatchObject({
        ...nothing,
        livingOrders: 0,
        states: ["failed"],
        effects: ["failed"],
      });
      return;
    }
    expect(await tenant.audit()).toMatchObject({ ...booked, states: ["booked"], effects: ["done"] });
    expect(await tenant.book()).toMatchObject({ kind: "replayed", result: { orderId: "ord_1" } });
    expect(tenant.supplier.counts.order).toBe(1);
  });

  test.each(faults)("%s of the payment is looked up after the quiet time", async (fault) => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.payment.push(fault);
    expect(await settledCode(tenant.book())).toBe("outcome_unknown");
    await expectOpen(tenant);
    tenant.supplier.arriveLate();
    expect(await tenant.reconcile()).toBe(1);
    expect(await tenant.audit()).toMatchObject({ ...booked, states: ["booked"], effects: ["done"] });
    expect(tenant.supplier.counts).toMatchObject({ order: 1, payment: 1 });
  });

  test.each(["lost_before_effect", "lost_after_effect"] as const)("%s of an instant order, too", async (fault) => {
    const tenant = await world.newTenant();
    const paymentRequirements = {
      requiresInstantPayment: true,
      priceGuaranteeExpiresAt: null,
      paymentRequiredBy: null,
    };
    tenant.supplier.offers.set("off_1", offer({ paymentRequirements }));
    tenant.supplier.faults.order.push(fault);
    expect(await settledCode(tenant.book())).toBe("outcome_unknown");
    await expectOpen(tenant);
    await tenant.reconcile();
    expect(await tenant.audit()).toMatchObject(fault === "lost_after_effect" ? booked : nothing);
  });

  test("stays open while the supplier cannot be asked, and is decided when it can", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.order.push("lost_after_effect");
    tenant.supplier.faults.lookup.push("provider_unavailable", "provider_timeout");
    expect(await settledCode(tenant.book())).toBe("outcome_unknown");
    for (const round of [1, 2]) {
      expect(await tenant.reconcile(), `round ${round}`).toBe(1);
      expect(await tenant.audit()).toMatchObject(open);
    }
    await tenant.reconcile();
    expect(await tenant.audit()).toMatchObject(booked);
  });

  test("of repeated payments ends: the hold is cancelled and the money is free", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.payment.push(...Array(5).fill("lost_before_effect"));
    await settledCode(tenant.book());
    for (let round = 0; round < 4; round += 1) await tenant.reconcile({ seconds: 60 });
    expect(await tenant.audit()).toMatchObject({ ...nothing, livingOrders: 0, states: ["failed"] });
    expect(tenant.supplier.faults.payment).toHaveLength(2);
  });

  test("is decided once by many reconcilers", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.faults.order.push("lost_after_effect");
    await settledCode(tenant.book());
    world.clock.advance({ seconds: 60 });
    const runs = Array.from({ length: 8 }, (_, index) =>
      reconcileBookings({
        stores: world.stores,
        clock: world.clock,
        suppliers: withoutStays(tenant.supplier.flights),
        workerId: `process_${index}`,
      }),
    );
    const counts = await Promise.all(runs);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await tenant.audit()).toMatchObject(booked);
    expect(tenant.supplier.counts.payment).toBe(1);
  });

  test("leaves a booking alone while its worker is alive", async () => {
    const tenant = await world.newTenant();
    const letGo = tenant.supplier.hold();
    const booking = tenant.book();
    await expect.poll(async () => (await tenant.bookings())[0]?.state).toBe("ordering");
    expect(await tenant.reconcile({ seconds: 10 })).toBe(0);
    letGo();
    expect(await booking).toMatchObject({ kind: "done" });
  });

  test("is not acted on by a worker that wakes up after another one took over", async () => {
    const tenant = await world.newTenant();
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    const { flights } = tenant.supplier;
    // The hold succeeds, and then its worker stalls without a heartbeat.
    const holdOrder: typeof flights.holdOrder = async (request) => {
      const order = await flights.holdOrder(request);
      await woken;
      return order;
    };
    const bookings = { ...world.stores.bookings, touch: async () => true };
    const sleepy = tenant.book({
      ports: { flights: { ...flights, holdOrder }, stores: { ...world.stores, bookings } },
    });
    await expect.poll(() => tenant.supplier.counts.order).toBe(1);
    expect(await tenant.reconcile({ seconds: 60 })).toBe(1);
    wake();
    expect(await sleepy).toMatchObject({ kind: "done", result: { orderId: "ord_1" } });
    expect(tenant.supplier.counts).toMatchObject({ order: 1, payment: 1 });
    expect(await tenant.audit()).toMatchObject({ ...booked, states: ["booked"], effects: ["done"] });
  });
});
