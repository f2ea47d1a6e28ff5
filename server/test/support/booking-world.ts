import { createStores } from "../../src/contributions.ts";
import { parseDecimal } from "../../src/domain/money.ts";
import type { Ports, Stores } from "../../src/kernel/contracts/whole.ts";
import { reconcileEffects } from "../../src/modules/effects/reconcile-effects.ts";
import { bookFlight } from "../../src/modules/flights/ordering/book-flight.ts";
import { flightBookingUse } from "../../src/modules/flights/ordering/booking-steps.ts";
import { holdFlight } from "../../src/modules/flights/ordering/hold-flight.ts";
import { ledgerImbalance } from "../../src/modules/ledger/store.ts";
import { stayBookingUse } from "../../src/modules/stays/stay-booking-steps.ts";
import { createTravelers } from "../../src/modules/travelers/store.ts";
import type { TravelerProfile } from "../../src/modules/travelers/traveler-profile.ts";
import { transfer } from "../../src/modules/treasury/transfer-operation.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Flights, RequestedService } from "../../src/ports/supplier/flights.ts";
import { absent } from "./absent-port.ts";
import { bindTestChain, depositForTest } from "./deposits.ts";
import { openTestIdentities, silentLog } from "./identity.ts";
import { createMemorySupplier } from "./memory-supplier.ts";
import { offer } from "./offers.ts";
import { embeddedRates } from "./rates.ts";
import { sandboxChain } from "./sandbox-chain.ts";

export const QUIET_MILLISECONDS = 1_000;
/** Longer than any machine stalls. */
export const PATIENCE_MILLISECONDS = 120_000;

interface Suppliers extends Partial<Pick<Ports, "stays" | "stayBookings">> {
  flights: Flights;
}

export const withoutStays = (flights: Flights) => ({
  flights,
  stays: absent("stays"),
  stayBookings: absent("stayBookings"),
});

/** One look of a reconciler at bookings of both kinds. */
export function reconcileBookings(reconciler: {
  stores: Stores;
  clock: Clock;
  suppliers: ReturnType<typeof withoutStays>;
  workerId: string;
}): Promise<number> {
  const { stores, clock, suppliers, workerId } = reconciler;
  const storage = { stores, clock };
  const uses = [flightBookingUse(storage, () => suppliers.flights), stayBookingUse(storage, () => suppliers)];
  return reconcileEffects(uses, { workerId, log: silentLog });
}

export const amelia = {
  givenName: "Amelia",
  familyName: "Hart",
  bornOn: "1987-07-24",
  title: "ms",
  gender: "f",
  email: "amelia@example.com",
  phoneNumber: "+442080160508",
  loyaltyProgrammeAccounts: [{ airlineIataCode: "BA", accountNumber: "12345678" }],
  passports: [{ nationality: "GBR", number: "925076473", issuedOn: "2020-01-01", expiresOn: "2030-01-01" }],
} satisfies TravelerProfile;

/** A tenant with a complete traveler and money, a supplier, and real storage. Time moves by `clock.advance`. */
export async function openBookingWorld() {
  const setup = await openTestIdentities();
  const { db, clock } = setup;
  const identity = setup.open();
  const stores = createStores(db, clock, setup.vault);
  await bindTestChain(stores);
  const travelers = createTravelers(setup);
  let next = 0;

  async function newTenant(initialBalance = 100_000_000_000n) {
    next += 1;
    const { tenant, key } = await identity.createTenant({ name: `Tenant ${next}`, actor: "test" });
    const email = `traveler${next}@example.com`;
    await travelers.put(tenant.id, "amelia", "sandbox", { ...amelia, email }, "test");
    if (initialBalance > 0n) {
      await depositForTest(stores, { tenantId: tenant.id, ...sandboxChain, token: "USDC" }, initialBalance);
    }
    const supplier = createMemorySupplier({ quietMilliseconds: QUIET_MILLISECONDS });
    supplier.offers.set("off_1", offer());
    const purse = { tenantId: tenant.id, ...sandboxChain, token: "USDC" } as const;
    const caller = {
      tenantId: tenant.id,
      keyId: key.id,
      userId: "amelia",
      travelerId: "amelia",
      environment: "sandbox",
      scopes: ["*"],
    } as const;

    /** A call as the kernel stores it before it runs. */
    async function newCall(): Promise<string> {
      next += 1;
      const id = `call_${next}`;
      const row = { id, tenantId: tenant.id, keyId: key.id, subject: "amelia", tool: "book_flight", surface: "test" };
      const billing = { period: "2026-11", listPriceMicro: 20_000n, discountPercent: 0, priceMicro: 20_000n };
      await db
        .insertInto("call")
        .values({
          ...row,
          ...billing,
          environment: "sandbox",
          usageStatus: "sandbox",
          traceId: "t",
          idempotencyKey: null,
          processId: "p",
          result: null,
          usageId: null,
          createdAt: clock.now().toString(),
          settledAt: null,
        })
        .execute();
      return id;
    }

    interface Extra {
      offerId?: string;
      services?: readonly RequestedService[];
      others?: readonly string[];
      airlineCreditId?: string;
      answerMilliseconds?: number;
      waitMilliseconds?: number;
      ports?: { flights: Flights; stores: Stores };
    }

    const book = (extra: Extra = {}) => runCall(bookFlight, extra);
    const hold = (extra: Extra = {}) => runCall(holdFlight, extra);

    async function runCall(work: typeof bookFlight | typeof holdFlight, extra: Extra) {
      const callId = await newCall();
      const { answerMilliseconds = PATIENCE_MILLISECONDS, waitMilliseconds = PATIENCE_MILLISECONDS } = extra;
      const ports = extra.ports ?? { flights: supplier.flights, stores };
      return await work(
        { ...ports, flightServicing: supplier.flightServicing, travelers, clock, fx: embeddedRates },
        {
          caller,
          callId,
          offerId: extra.offerId ?? "off_1",
          services: extra.services ?? [],
          additionalCustomerUserIds: extra.others ?? [],
          airlineCreditId: extra.airlineCreditId,
        },
        { answerMilliseconds, waitMilliseconds },
      );
    }

    /** One look of the reconciler, after the given time has passed. */
    async function reconcile(
      after: Temporal.DurationLike = { milliseconds: 2 * QUIET_MILLISECONDS },
      ports: Suppliers & { stores: Stores } = { flights: supplier.flights, stores },
    ) {
      clock.advance(after);
      next += 1;
      const workerId = `reconciler_${next}`;
      const suppliers = { ...withoutStays(ports.flights), ...ports };
      return await reconcileBookings({ stores: ports.stores, clock, suppliers, workerId });
    }

    async function bookings() {
      const rows = await db.selectFrom("booking").selectAll().where("tenantId", "=", tenant.id).orderBy("id").execute();
      const calls = await db.selectFrom("call").select(["id", "effect"]).where("tenantId", "=", tenant.id).execute();
      const effectByCall = new Map(calls.map(({ id, effect }) => [id, effect]));
      return rows.map((row) => ({ ...row, effect: effectByCall.get(row.callId) }));
    }

    /** No chain executes the transactions, so their sum equals the outgoing money. */
    async function readCollected(outgoing: bigint): Promise<bigint> {
      const transactions = await stores.chainTransactions.listOpen(sandboxChain, 1_000_000);
      const amounts = transactions.flatMap(({ tenantId, operation, purpose }) =>
        tenantId === tenant.id && purpose === "capture" ? [transfer.read(operation)?.amount ?? 0n] : [],
      );
      const collected = amounts.reduce((sum, amount) => sum + amount, 0n);
      if (collected !== outgoing) throw new Error(`${outgoing} are on their way, transactions take ${collected}`);
      return collected;
    }

    /** Both sides' books: the supplier's receipts equal the tenant's loss; nothing is held for finished bookings. */
    async function audit() {
      const rows = await bookings();
      const open = rows.filter(({ state }) => state !== "booked" && state !== "failed");
      const balance = await stores.ledger.balance(purse);
      const paid = supplier.payments.reduce((sum, { amount }) => sum + (parseDecimal(amount) ?? 0n), 0n);
      const living = supplier.orders.filter(({ cancelled }) => !cancelled);
      return {
        states: rows.map(({ state }) => state),
        effects: rows.map(({ effect }) => effect),
        codes: rows.map(({ failureCode }) => failureCode),
        openBookings: open.length,
        livingOrders: living.length,
        paidOrders: living.filter((order) => order.paid).length,
        payments: supplier.payments.length,
        paid,
        held: balance.held,
        spent: initialBalance - balance.available - balance.held,
        /** The amount that stored transactions move from the treasury to the collection wallet. */
        collected: await readCollected(balance.outgoing),
        imbalance: await ledgerImbalance(db),
      };
    }

    return {
      ...setup,
      tenant,
      caller,
      purse,
      supplier,
      stores,
      travelers,
      book,
      hold,
      newCall,
      reconcile,
      bookings,
      audit,
    };
  }

  return { ...setup, stores, travelers, newTenant };
}
