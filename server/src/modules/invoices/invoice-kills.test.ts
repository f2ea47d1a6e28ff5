import { afterAll, beforeAll, expect, it } from "vitest";
import { createManualClock, openTestIdentities, type TestIdentities } from "../../../test/support/identity.ts";
import { mortalWorker } from "../../../test/support/mortal-worker.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { createStores } from "../../contributions.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import type { Settlement } from "./find-settlement.ts";
import { issueInvoice } from "./issue-invoice.ts";

let setup: TestIdentities;
let stores: Stores;
const clock = createManualClock();
beforeAll(async () => {
  setup = await openTestIdentities();
  stores = createStores(setup.db, clock, setup.vault);
});
afterAll(() => setup?.close());

const settled = (at: number): Settlement => ({
  booking: {
    bookingId: `0x${at.toString(16).padStart(64, "0")}`,
    tripId: `0x${"1".repeat(64)}`,
    ...sandboxChain,
    tenantId: "tenant",
    serviceFee: 0n,
    itineraryHash: undefined,
    vendorPaid: 33_333_333n,
    feePaid: 5_555_556n,
  },
  transactionHash: `0x${"3".repeat(64)}`,
  settledAt: clock.now(),
});
const issue = (over: Stores, settlement: Settlement) =>
  issueInvoice({ stores: over, clock, eInvoices: undefined }, settlement, {
    settings: undefined,
    chainId: 1,
    readTaxRates: async () => undefined,
  });

it("numbers have no gaps and each booking has one document, at whichever step the issuer is killed", async () => {
  let booking = 0;
  for (const when of ["before", "after"] as const) {
    for (let step = 1; ; step += 1) {
      booking += 1;
      const { wrap, death } = mortalWorker(step, when);
      const dying = issue(wrap(stores), settled(booking)).then(() => "issued");
      const end = await Promise.race([death.then(() => "killed"), dying]);
      // Requested again, by two callers at once.
      await Promise.all([issue(stores, settled(booking)), issue(stores, settled(booking))]);
      const { bookingId } = settled(booking).booking;
      expect(await stores.invoices.ofBooking({ tenantId: "tenant", environment: "sandbox" }, bookingId)).toHaveLength(
        1,
      );
      if (end === "issued") break;
    }
  }
  expect(booking).toBeGreaterThan(8);
  const rows = await setup.db.selectFrom("bookingInvoice").select(["number", "bookingId"]).orderBy("number").execute();
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: booking }, (_, index) => index + 1));
  expect(new Set(rows.map(({ bookingId }) => bookingId)).size).toBe(booking);
});
