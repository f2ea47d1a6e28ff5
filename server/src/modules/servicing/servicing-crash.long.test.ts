import { afterAll, beforeAll, expect, test } from "vitest";
import { dyingProcess } from "../../../test/support/dying-ports.ts";
import {
  openServicingWorld,
  type ServicedOrder,
  type ServicingWorld,
  type What,
} from "../../../test/support/servicing-world.ts";
import type { ServicingToolPorts } from "./confirm-cancellation.ts";

let world: ServicingWorld;
beforeAll(async () => {
  world = await openServicingWorld();
});
afterAll(() => world.close());

const STALE = { seconds: 60 };
/** Some hundred statements in sequence. */
const LONG = 300_000;
/** A stay is cancelled by the same steps as a flight, so its crashes show nothing new. */
const WHAT: readonly What[] = ["cancellation", "change by balance", "change by wallet", "stay"];
/** The change of the supplier's balance after one execution. */
const MOVED: Readonly<Record<What, bigint>> = {
  cancellation: -300_000_000n,
  "change by balance": 90_500_000n,
  "change by wallet": 90_500_000n,
  stay: -300_000_000n,
};

function dyingPorts({ ports }: ServicedOrder, deathAt: number, when: "before" | "after") {
  const { mortal, mortalStores, steps, death } = dyingProcess(deathAt, when);
  const mortals: ServicingToolPorts = {
    ...ports,
    flightServicing: mortal(ports.flightServicing),
    stayBookings: mortal(ports.stayBookings),
    submission: { ...ports.submission, waitForEnd: mortal(ports.submission).waitForEnd },
    stores: mortalStores(ports.stores),
  };
  return { ports: mortals, steps, death };
}

async function countSteps(what: What): Promise<number> {
  const order = await world.newOrder();
  const { ports, steps } = dyingPorts(order, 0, "before");
  await order.act(what, ports);
  return steps();
}

/** Executed at most once, and both ledgers agree. */
async function expectSound(order: ServicedOrder, what: What, where: string): Promise<string> {
  const books = await order.audit();
  expect(books, where).toMatchObject({ unsettled: 0, effectsFit: true, held: 0n, imbalance: 0n });
  expect(books.lost, where).toBe(books.supplierHas);
  expect([0n, MOVED[what]], where).toContain(books.supplierHas);
  expect(books.times, where).toBe(books.states.at(-1) === "done" ? 1 : 0);
  return books.states.at(-1) ?? "none";
}

test.each(WHAT.slice(0, 3))(
  "%s: a worker that dies at any step leaves what the reconciler can finish",
  async (what) => {
    const steps = await countSteps(what);
    expect(steps).toBeGreaterThan(5);
    const ends = new Set<string>();
    for (let deathAt = 1; deathAt <= steps; deathAt += 1) {
      for (const when of ["before", "after"] as const) {
        const where = `dies ${when} step ${deathAt} of ${steps}`;
        const order = await world.newOrder();
        const dying = dyingPorts(order, deathAt, when);
        order.act(what, dying.ports).catch(() => undefined);
        await dying.death;
        await world.confirmTransfers();
        await order.reconcile(STALE);
        ends.add(await expectSound(order, what, where));
        const again = await order.act(what);
        expect(["done", "replayed"], where).toContain(again.kind);
        expect(await expectSound(order, what, where)).toBe("done");
      }
    }
    expect(ends).toEqual(new Set(["none", "failed", "done"]));
  },
  LONG,
);

test.each(["cancellation", "change by wallet"] as const)(
  "%s: a reconciler that dies at any step leaves what the next one can finish",
  async (what) => {
    for (let deathAt = 1; deathAt <= 5; deathAt += 1) {
      for (const when of ["before", "after"] as const) {
        const order = await world.newOrder();
        order.servicing.faults.push("lost_after_effect");
        await expect(order.act(what)).rejects.toMatchObject({ code: "outcome_unknown" });
        const dying = dyingPorts(order, deathAt, when);
        await Promise.race([order.reconcile(STALE, dying.ports), dying.death]);
        await order.reconcile(STALE);
        expect(await expectSound(order, what, `reconciler dies ${when} step ${deathAt}`)).toBe("done");
      }
    }
  },
  LONG,
);

/** A call that stopped waiting may still be about to release its action. */
async function untilLeft({ order: { orderId } }: ServicedOrder): Promise<void> {
  const worker = world.db.selectFrom("servicingAction").select("workerId").where("orderId", "=", orderId);
  await expect.poll(() => worker.execute()).toEqual([{ workerId: null }]);
}

test.each(WHAT)("%s: an effect after it was given up is found by the next call, and done once", async (what) => {
  const order = await world.newOrder();
  order.servicing.faults.push("late_effect");
  await expect(order.act(what)).rejects.toMatchObject({ code: "outcome_unknown" });
  expect(await order.reconcile({ milliseconds: 100 })).toBe(0);
  await order.reconcile(STALE);
  expect(await expectSound(order, what, "given up")).toBe("failed");
  order.servicing.arriveLate();
  expect(await order.act(what)).toMatchObject({ kind: "done" });
  expect(await expectSound(order, what, "found")).toBe("done");
  expect(await order.act(what)).toMatchObject({ kind: "replayed" });
});

test("the supplier is told only when the wallet's transfer is confirmed; a call that does not wait for it gets the result later", async () => {
  const order = await world.newOrder();
  const waits = { ...order.ports, submission: { wake: () => undefined, waitForEnd: async () => undefined } };
  await expect(order.act("change by wallet", waits, { answerMilliseconds: 50 })).rejects.toMatchObject({
    code: "outcome_unknown",
  });
  await untilLeft(order);
  await order.reconcile(STALE, waits);
  expect(await order.actions()).toMatchObject([{ state: "paying", effect: "open" }]);
  expect(order.servicing.effects.change).toBe(0);
  await world.confirmTransfers();
  await order.reconcile(STALE, waits);
  expect(await expectSound(order, "change by wallet", "confirmed")).toBe("done");
});

test.each(WHAT)("%s: a refusal returns what was held or paid", async (what) => {
  const order = await world.newOrder();
  order.servicing.faults.push("price_changed");
  await expect(order.act(what)).rejects.toMatchObject({ code: "price_changed" });
  expect(await order.audit()).toMatchObject({ states: ["failed"], effectsFit: true, held: 0n, lost: 0n, times: 0 });
});

test("a refund that the collection wallet cannot pay yet is retried at growing intervals, and paid when possible", async () => {
  const order = await world.newOrder();
  let short = true;
  let tries = 0;
  const transaction: typeof world.stores.transaction = (work) =>
    world.stores.transaction((aggregates) => {
      const refund: typeof aggregates.ledger.refund = async (...posting) => {
        tries += 1;
        if (short) throw new Error("the collection wallet has less");
        await aggregates.ledger.refund(...posting);
      };
      return work({ ...aggregates, ledger: { ...aggregates.ledger, refund } });
    });
  const ports = { ...order.ports, stores: { ...world.stores, transaction } };
  await expect(order.act("cancellation", ports, { answerMilliseconds: 50 })).rejects.toMatchObject({
    code: "outcome_unknown",
  });
  await untilLeft(order);
  const looks = async (count: number, seconds: number) => {
    tries = 0;
    for (let look = 0; look < count; look += 1) await order.reconcile({ seconds }, ports);
    return tries;
  };
  expect(await looks(4, 1)).toBe(4);
  await looks(1, 3_600);
  // Every five minutes.
  expect(await looks(20, 60)).toBe(4);
  short = false;
  await order.reconcile({ minutes: 5 }, ports);
  expect(await order.audit()).toMatchObject({ states: ["done"], effectsFit: true, lost: -300_000_000n, times: 1 });
});

test("a cancellation refunds at most what was paid, excluding a change that was given up and made after all", async () => {
  const order = await world.newOrder();
  order.servicing.faults.push("late_effect");
  await expect(order.act("change by balance")).rejects.toMatchObject({ code: "outcome_unknown" });
  await order.reconcile(STALE);
  order.servicing.arriveLate();
  order.servicing.quoteRefund("503.00");
  expect(await order.act("cancellation")).toMatchObject({
    result: { refundAmount: "503.00", refundedUsdc: "412.50" },
  });
  expect(await order.audit()).toMatchObject({ effectsFit: true, held: 0n, lost: -412_500_000n });
  const refunded = { refundAmount: "503.00", refundedUsdc: "412.50" };
  expect(await world.stores.orders.events("sandbox", order.order.orderId)).toMatchObject([
    { kind: "booked" },
    { kind: "cancelled" },
    { kind: "refunded", details: refunded },
  ]);
  // The cancelled order has the change; nobody pays for it any more.
  await expect(order.act("change by balance")).rejects.toMatchObject({ code: "order_not_changeable" });
  expect(await order.audit()).toMatchObject({ held: 0n, lost: -412_500_000n });
});
