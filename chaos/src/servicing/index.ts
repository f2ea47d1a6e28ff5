import { type Area, type AreaRun, type Finding, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readBooks, readOpenMatters, readUsage } from "../calls/books.ts";
import { checkLedger } from "../calls/check-bookings.ts";
import { checkAcknowledged, checkNoneTwice, checkSigned, checkSpent } from "../calls/check-usage.ts";
import { COMMIT_TIMEOUT_MILLISECONDS, QUIET_MILLISECONDS } from "../calls/faults.ts";
import { createTravelers, userIds } from "../calls/travelers.ts";
import { readChainBooks, readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { checkCustody, checkNothingOpen, checkOrdersOnChain, checkPostings } from "../chain/check-books.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { SequenceStorm } from "../sequence-storm.ts";
import { readBookings, readOpenActions, readServicingBooks, readSupplier } from "./books.ts";
import { checkActions, checkCredits, checkFinal, checkMoney, checkOrders, checkPurses } from "./check-books.ts";
import { checkAnswered, checkOnce, checkRefused } from "./check-effects.ts";
import { disturbSupplier, leaveSupplierAlone } from "./faults.ts";
import { createMoments } from "./moments.ts";
import { travels } from "./sequences.ts";

const OPENING_USDC = 10_000_000n;
const MICRO = 1_000_000n;

async function open({ deployment, history, share }: Scene): Promise<AreaRun> {
  const quickstart = deployment.quickstart();
  const { supplierUrl } = quickstart;

  const tenants = await prepareTenants(deployment, history, ["Chaos two", "Chaos three"]);
  for (const { client } of tenants) await createTravelers(client);
  const [first, ...others] = tenants.flatMap(({ client, tenantId }) =>
    userIds.map((userId) => ({ client, tenantId, userId })),
  );
  if (first === undefined) throw new Error("There is nobody to travel.");
  const storm = new SequenceStorm([first, ...others], travels(Temporal.Now.plainDateISO("UTC")), share);
  const view = createChainView(quickstart.chain);
  const moments = createMoments(deployment);

  async function auditRunning(): Promise<Finding[]> {
    // Before the books are read: what is answered meanwhile may not be in them.
    const journal = storm.journal();
    const answers = [...history.acknowledgements];
    const usage = await readUsage(deployment);
    const supplier = await readSupplier(supplierUrl);
    return [
      checkOnce(supplier, await readBookings(deployment)),
      checkAnswered(journal, supplier),
      checkAcknowledged(answers, usage),
      checkNoneTwice(usage),
    ];
  }

  async function auditSettled(): Promise<Finding[]> {
    const books = await readServicingBooks(deployment, supplierUrl);
    const calls = await readBooks(deployment, supplierUrl);
    const chain = await readChainBooks(deployment);
    const facts = await view.read(chain.wallets.map(({ address }) => address));
    const journal = storm.journal();
    return [
      ...(await auditRunning()),
      checkRefused(journal, books.supplier, books.bookings),
      { invariant: "every caller got a final answer", checked: journal.length, problems: storm.undecided },
      checkFinal(books),
      checkOrders(books),
      checkActions(books),
      checkMoney(books),
      checkPurses(books, OPENING_USDC * MICRO),
      checkCredits(books),
      checkSigned(history.acknowledgements),
      checkSpent(calls),
      checkLedger(calls),
      checkNothingOpen(chain),
      checkOrdersOnChain(chain, facts),
      checkCustody(chain, facts),
      checkPostings(chain, facts),
    ];
  }

  return {
    storm: (_round, random, signal) => storm.run(random, signal),
    disturb: (random) => disturbSupplier(supplierUrl, random),
    nextMoment: moments.next,
    witness: moments.witness,
    notes: () => [...storm.notes(), ...moments.notes()],

    async openMatters() {
      await leaveSupplierAlone(supplierUrl);
      return [
        ...(await readOpenMatters(deployment)),
        ...(await readOpenActions(deployment)),
        ...(await readUnreadBlocks(deployment, await view.tip())),
      ];
    },

    askAgain: (random, signal) => storm.askAgain(random, signal),
    audit: (phase) => (phase === "running" ? auditRunning() : auditSettled()),
  };
}

export const servicing: Area = {
  name: "servicing",
  summary:
    "Sequences of bookings, changes, cancellations, credits and stays by several tenants: the supplier's own ledger against our books and the chain.",
  parts: ["postgres", "supplier", "devnet"],
  notifications: ["servicing_action", "webhook_event"],
  guards: ["servicing-lookup"],
  environment: {
    ...UNLIMITED_CALLS,
    // The books of both sides are compared in one currency.
    SANDBOX_STAYS_IN: "account",
    SANDBOX_BALANCE_USDC: String(OPENING_USDC),
    SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_TIMEOUT_MILLISECONDS),
    SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
  },
  open,
};
