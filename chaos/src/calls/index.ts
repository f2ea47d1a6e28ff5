import { type Area, type AreaRun, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readBooks, readOpenMatters, readUsage } from "./books.ts";
import { armFaults, COMMIT_TIMEOUT_MILLISECONDS, disarmFaults, drawFaults, QUIET_MILLISECONDS } from "./faults.ts";
import { checkRunning, checkSettled } from "./invariants.ts";
import { createStorm } from "./storm.ts";
import { createTravelers } from "./travelers.ts";

const MONTHLY_CAP = 1_000_000_000_000n;

async function open({ deployment, client, history, share }: Scene): Promise<AreaRun> {
  const { supplierUrl, tenantId } = deployment.quickstart();
  await deployment.allowSpending(tenantId, MONTHLY_CAP);
  await createTravelers(client);
  const storm = createStorm(client, share);
  return {
    storm: (_round, random, signal) => storm.run(random, signal),

    covered: () => history.covered(["find_airports_nearby", "ensure_flight_customer", "search_flights", "book_flight"]),
    disturb: (random) => armFaults(supplierUrl, drawFaults(random)),

    async openMatters() {
      await disarmFaults(supplierUrl);
      return readOpenMatters(deployment);
    },

    askAgain: storm.askAgain,

    async audit(phase) {
      // Before the books are read: what is answered meanwhile may not be in them.
      const acknowledgements = [...history.acknowledgements];
      if (phase === "running") return checkRunning(acknowledgements, await readUsage(deployment));
      return checkSettled(acknowledgements, await readBooks(deployment, supplierUrl));
    },
  };
}

export const calls: Area = {
  name: "calls",
  summary:
    "Reads and bookings over dispatch: usage records, idempotency keys, bookings, balance, the supplier's ledger.",
  parts: ["postgres", "supplier", "devnet"],
  guards: ["idempotency", "durable-flush", "key-taken"],
  environment: {
    ...UNLIMITED_CALLS,
    SANDBOX_BALANCE_USDC: "10000000",
    SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_TIMEOUT_MILLISECONDS),
    SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
  },
  open,
};
