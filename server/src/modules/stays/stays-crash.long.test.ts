import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openBookingWorld } from "../../../test/support/booking-world.ts";
import { duffelAt } from "../../../test/support/duffel-harness.ts";
import { dyingProcess } from "../../../test/support/dying-ports.ts";
import { embeddedRates } from "../../../test/support/rates.ts";
import { type SupplierSandbox, startSupplierSandbox } from "../../../test/support/supplier-sandbox.ts";
import { parseDecimal } from "../../domain/money.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import type { StayBookings } from "../../ports/supplier/stay-bookings.ts";
import { bookStay } from "./book-stay.ts";

type World = Awaited<ReturnType<typeof openBookingWorld>>;
type Tenant = Awaited<ReturnType<World["newTenant"]>>;

/** Workers that die while booking a stay: the real adapter and the real sandbox, whose ledger is compared with ours. */
let world: World;
let sandbox: SupplierSandbox;
let duffel: ReturnType<typeof duffelAt>;
let rateId: string;

beforeAll(async () => {
  [world, sandbox] = await Promise.all([openBookingWorld(), startSupplierSandbox()]);
  // The sandbox uses today's date.
  world.clock.advance(Temporal.Now.instant().since(world.clock.now()));
  duffel = duffelAt(sandbox.url, {}, { token: sandbox.token, clock: world.clock });
  const today = Temporal.Now.plainDateISO("UTC");
  const dates = { checkInDate: today.add({ days: 40 }).toString(), checkOutDate: today.add({ days: 41 }).toString() };
  const where = { latitude: -24.38, longitude: -128.32, radiusKilometers: 20 };
  const {
    accommodations: [place],
  } = await duffel.stays.searchAccommodations({ ...where, ...dates, guests: 1, rooms: 1 }, 1);
  if (place === undefined) throw new Error("no place to stay");
  rateId = place.rates[0].id;
});

afterAll(async () => {
  duffel.http.close();
  await Promise.all([world.close(), sandbox.stop()]);
});

/** Past the worker's silence and the quiet time; a small step, as the supplier's clock does not move with ours. */
const STALE = { seconds: 20 };
/** Some hundred statements and requests in sequence. */
const LONG = 300_000;

interface BookingPorts {
  stayBookings: StayBookings;
  stores: Stores;
}

async function newStay() {
  const tenant = await world.newTenant();
  const { id: quoteId, totalAmount } = await duffel.stayBookings.quoteStay(rateId);
  const alive: BookingPorts = { stayBookings: duffel.stayBookings, stores: world.stores };

  function dying(deathAt: number, when: "before" | "after") {
    const { mortal, mortalStores, steps, death } = dyingProcess(deathAt, when);
    const ports = { stayBookings: mortal(duffel.stayBookings), stores: mortalStores(world.stores) };
    return { ports, steps, death };
  }

  async function book(ports = alive) {
    const { caller, travelers, newCall } = tenant;
    const guests = [{ givenName: "Amelia", familyName: "Hart" }];
    const stay = { quoteId, email: "amelia@example.com", phoneNumber: undefined, guests, customerUserIds: [] };
    const callId = await newCall();
    const { stays } = duffel;
    return bookStay({ ...ports, stays, travelers, clock: world.clock, fx: embeddedRates }, { caller, callId, stay });
  }

  const reconcile = (ports = alive) =>
    tenant.reconcile(STALE, { ...ports, flights: duffel.flights, stays: duffel.stays });

  return { tenant, quoteId, price: parseDecimal(totalAmount) ?? 0n, dying, book, reconcile };
}

const StayEntry = z.object({ quote_id: z.string(), status: z.string(), paid_amount: z.string() });

/** At most one stay, paid once, and both ledgers agree. */
async function expectSound(tenant: Tenant, quoteId: string, where: string): Promise<string> {
  const [ours, ledger] = [await tenant.audit(), await sandbox.ledger()];
  const made = z
    .array(StayEntry)
    .parse(ledger.stayBookings)
    .filter((entry) => entry.quote_id === quoteId);
  const paid = made.reduce((sum, entry) => sum + (parseDecimal(entry.paid_amount) ?? 0n), 0n);
  expect(ours, where).toMatchObject({ openBookings: 0, held: 0n, imbalance: 0n, spent: paid, collected: paid });
  expect(made.length, where).toBeLessThanOrEqual(1);
  const state = ours.states.at(-1) ?? "none";
  expect(made.length, where).toBe(state === "booked" ? 1 : 0);
  const effect = state === "booked" ? "done" : "failed";
  expect(ours.effects.at(-1), where).toBe(state === "none" ? undefined : effect);
  return state;
}

test(
  "a worker that dies at any step leaves what the reconciler can finish",
  async () => {
    const first = await newStay();
    const { ports, steps } = first.dying(0, "before");
    await first.book(ports);
    const count = steps();
    expect(count).toBeGreaterThan(5);
    const ends = new Set<string>();
    for (let deathAt = 1; deathAt <= count; deathAt += 1) {
      for (const when of ["before", "after"] as const) {
        const where = `dies ${when} step ${deathAt} of ${count}`;
        const { tenant, quoteId, price, dying, book, reconcile } = await newStay();
        const process = dying(deathAt, when);
        book(process.ports).catch(() => undefined);
        await process.death;
        await reconcile();
        ends.add(await expectSound(tenant, quoteId, where));
        await book();
        await expectSound(tenant, quoteId, where);
        expect((await tenant.audit()).spent, where).toBe(price);
      }
    }
    expect(ends).toEqual(new Set(["none", "failed", "booked"]));
  },
  LONG,
);

/** A stay that the supplier made and our records lack. */
async function newLostStay() {
  const stay = await newStay();
  await sandbox.arm("POST", "/stays/bookings", "reset_after_effect");
  await expect(stay.book()).rejects.toMatchObject({ code: "outcome_unknown" });
  return stay;
}

test(
  "a reconciler that dies at any step leaves what the next one can finish",
  async () => {
    const first = await newLostStay();
    const { ports, steps } = first.dying(0, "before");
    await first.reconcile(ports);
    const count = steps();
    expect(count).toBeGreaterThan(2);
    for (let deathAt = 1; deathAt <= count; deathAt += 1) {
      for (const when of ["before", "after"] as const) {
        const { tenant, quoteId, dying, reconcile } = await newLostStay();
        const process = dying(deathAt, when);
        await Promise.race([reconcile(process.ports), process.death]);
        await reconcile();
        expect(await expectSound(tenant, quoteId, `reconciler dies ${when} step ${deathAt}`)).toBe("booked");
      }
    }
  },
  LONG,
);
