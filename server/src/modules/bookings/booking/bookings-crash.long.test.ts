import { afterAll, beforeAll, expect, test } from "vitest";
import { openBookingWorld } from "../../../../test/support/booking-world.ts";
import { dyingProcess } from "../../../../test/support/dying-ports.ts";

type World = Awaited<ReturnType<typeof openBookingWorld>>;
type Tenant = Awaited<ReturnType<World["newTenant"]>>;

let world: World;
beforeAll(async () => {
  world = await openBookingWorld();
});
afterAll(() => world.close());

const PRICE = 412_500_000n;
const STALE = { seconds: 60 };
/** Enough for some hundred statements in sequence. */
const LONG = 300_000;

function dyingPorts(tenant: Tenant, deathAt: number, when: "before" | "after") {
  const { mortal, mortalStores, steps, death } = dyingProcess(deathAt, when);
  const ports = { flights: mortal(tenant.supplier.flights), stores: mortalStores(tenant.stores) };
  return { ports, steps, death };
}

async function stepsOfOneBooking(): Promise<number> {
  const tenant = await world.newTenant();
  const { ports, steps } = dyingPorts(tenant, 0, "before");
  await tenant.book({ ports });
  return steps();
}

/** At most one live order, at most one payment, and both sides' books agree. */
async function expectSound(tenant: Tenant, where: string): Promise<string> {
  const books = await tenant.audit();
  expect(books, where).toMatchObject({ openBookings: 0, held: 0n, imbalance: 0n });
  expect(books.spent, where).toBe(books.paid);
  expect(books.collected, where).toBe(books.paid);
  expect([0n, PRICE], where).toContain(books.paid);
  expect(books.livingOrders, where).toBeLessThanOrEqual(1);
  expect(books.payments, where).toBe(books.paidOrders);
  expect(tenant.supplier.counts.order, where).toBeLessThanOrEqual(1);
  expect(tenant.supplier.counts.payment, where).toBeLessThanOrEqual(1);
  const [state = "none"] = books.states;
  expect(books.effects, where).toEqual(state === "none" ? [] : [state === "booked" ? "done" : "failed"]);
  expect(books.paidOrders, where).toBe(state === "booked" ? 1 : 0);
  return state;
}

test(
  "a worker that dies at any step leaves work that the reconciler can finish",
  async () => {
    const steps = await stepsOfOneBooking();
    expect(steps).toBeGreaterThan(10);
    const ends = new Set<string>();
    for (let deathAt = 1; deathAt <= steps; deathAt += 1) {
      for (const when of ["before", "after"] as const) {
        const where = `dies ${when} step ${deathAt} of ${steps}`;
        const tenant = await world.newTenant();
        const dying = dyingPorts(tenant, deathAt, when);
        tenant.book({ ports: dying.ports }).catch(() => undefined);
        await dying.death;
        await tenant.reconcile(STALE);
        ends.add(await expectSound(tenant, where));
        const again = await tenant.book();
        expect((await tenant.audit()).paid, where).toBe(PRICE);
        expect(["done", "replayed"], where).toContain(again.kind);
      }
    }
    expect(ends).toEqual(new Set(["none", "failed", "booked"]));
  },
  LONG,
);

const BAG = 35_000_000n;
const services = [{ id: "ase_bag", quantity: 1 }];

/** For a held order: it either stays held or is paid with its bag, and the bag is added and paid for once. */
async function heldTenant(): Promise<Tenant> {
  const tenant = await world.newTenant();
  tenant.supplier.services.set("ase_bag", "35.00");
  await tenant.hold();
  return tenant;
}

test(
  "a worker that dies between the payment of a held order and its bags leaves work that the reconciler can finish",
  async () => {
    const alive = await heldTenant();
    const counted = dyingPorts(alive, 0, "before");
    await alive.book({ services, ports: counted.ports });
    const steps = counted.steps();
    expect(steps).toBeGreaterThan(8);
    const paid = new Set<bigint>();
    for (let deathAt = 1; deathAt <= steps; deathAt += 1) {
      for (const when of ["before", "after"] as const) {
        const where = `dies ${when} step ${deathAt} of ${steps}`;
        const tenant = await heldTenant();
        const dying = dyingPorts(tenant, deathAt, when);
        tenant.book({ services, ports: dying.ports }).catch(() => undefined);
        await dying.death;
        await tenant.reconcile(STALE);
        const books = await tenant.audit();
        expect(books, where).toMatchObject({ held: 0n, imbalance: 0n, spent: books.paid, collected: books.paid });
        paid.add(books.paid);
        const [state] = books.states;
        if (state === "on_hold" || state === "booked") await tenant.book({ services });
        expect(["on_hold", "booked"], where).toContain(state);
        expect((await tenant.audit()).paid, where).toBe(PRICE + BAG);
        const { order, payment, addition } = tenant.supplier.counts;
        expect({ order, payment, addition }, where).toEqual({ order: 1, payment: 1, addition: 1 });
      }
    }
    expect(paid).toEqual(new Set([0n, PRICE + BAG]));
  },
  LONG,
);

test(
  "a reconciler that dies at any step leaves work that the next one can finish",
  async () => {
    for (let deathAt = 1; deathAt <= 8; deathAt += 1) {
      for (const when of ["before", "after"] as const) {
        const where = `reconciler dies ${when} step ${deathAt}`;
        const tenant = await world.newTenant();
        tenant.supplier.faults.order.push("lost_after_effect");
        await tenant.book().catch(() => undefined);
        const dying = dyingPorts(tenant, deathAt, when);
        const run = tenant.reconcile(STALE, dying.ports);
        await Promise.race([run, dying.death]);
        await tenant.reconcile(STALE);
        expect(await expectSound(tenant, where)).toBe("booked");
      }
    }
  },
  LONG,
);
