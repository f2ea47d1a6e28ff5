import { type Area, type AreaRun, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readOpenMatters } from "../calls/books.ts";
import { COMMIT_TIMEOUT_MILLISECONDS, QUIET_MILLISECONDS } from "../calls/faults.ts";
import { createTravelers, userIds } from "../calls/travelers.ts";
import { readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { createMoments } from "../chain/moments.ts";
import { readEscrowAddress, readOpenSteps } from "../escrow/books.ts";
import { createEscrowView } from "../escrow/escrow-view.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { SequenceStorm } from "../sequence-storm.ts";
import { readOpenActions } from "../servicing/books.ts";
import { disturbSupplier, disturbTickets, leaveSupplierAlone } from "../servicing/faults.ts";
import { Audits } from "./audits.ts";
import { readOpenRuns } from "./books.ts";
import { Decider, letPausesExpire } from "./decider.ts";
import { bookings } from "./lifecycles.ts";

const OPENING_USDC = 10_000_000n;

async function open({ deployment, history, share }: Scene): Promise<AreaRun> {
  const { chain, supplierUrl } = deployment.quickstart();
  const tenants = await prepareTenants(deployment, history, []);
  for (const { client } of tenants) await createTravelers(client);
  const [first, ...others] = tenants.flatMap(({ client, tenantId }) =>
    userIds.map((userId) => ({ client, tenantId, userId })),
  );
  if (first === undefined) throw new Error("There is nobody to travel.");
  const decider = new Decider(deployment);
  const storm = new SequenceStorm([first, ...others], bookings(Temporal.Now.plainDateISO("UTC"), decider), share);
  const view = createChainView(chain);
  const escrow = createEscrowView(chain, await readEscrowAddress(deployment));
  const moments = createMoments(deployment, view);

  const audits = new Audits({ deployment, history, storm, decider, escrow, view, supplierUrl });

  return {
    storm: (_round, random, signal) => storm.run(random, signal),
    begun: () => storm.begun,
    async disturb(random) {
      await letPausesExpire(deployment, random);
      await disturbSupplier(supplierUrl, random);
      await disturbTickets(supplierUrl, random);
    },
    nextMoment: moments.next,
    witness: moments.witness,
    notes: () => [
      ...storm.notes(),
      ...moments.notes(),
      `runs          ${audits.ends}`,
      `decisions     ${[...decider.codes].map(([code, count]) => `${code} ${count}`).join(", ")}`,
    ],

    async openMatters() {
      await leaveSupplierAlone(supplierUrl);
      return [
        ...(await readOpenRuns(deployment)),
        ...(await readOpenMatters(deployment)),
        ...(await readOpenActions(deployment)),
        ...(await readOpenSteps(deployment)),
        ...(await readUnreadBlocks(deployment, await view.tip())),
      ];
    },

    askAgain: (random, signal) => storm.askAgain(random, signal),
    audit: (phase) => (phase === "running" ? audits.running() : audits.settled()),
  };
}

export const workflows: Area = {
  name: "workflows",
  summary:
    "Runs of service.book_flight from the guest's claim to the settlement or the undo: one order, one payment and one settlement each, by the supplier's ledger and the chain.",
  // The second process executes runs as the first one does.
  edge: {},
  deploys: true,
  parts: ["postgres", "supplier", "devnet", "anvil", "edge"],
  notifications: ["workflow_run", "run", "chain_transaction"],
  guards: ["idempotency", "undo", "take-over", "notifications"],
  environment: {
    ...UNLIMITED_CALLS,
    SANDBOX_BALANCE_USDC: String(OPENING_USDC),
    SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_TIMEOUT_MILLISECONDS),
    SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
  },
  open,
};
