import type { Area, AreaRun, Finding, Scene } from "../area.ts";
import { readBooks, readOpenMatters, readUsage } from "../calls/books.ts";
import { checkLedger } from "../calls/check-bookings.ts";
import { checkAcknowledged, checkNoneTwice, checkSigned, checkSpent } from "../calls/check-usage.ts";
import { COMMIT_TIMEOUT_MILLISECONDS, QUIET_MILLISECONDS } from "../calls/faults.ts";
import { createTravelers, userIds } from "../calls/travelers.ts";
import { readChainBooks, readNetworks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { checkCustody, checkNothingOpen, checkNotStopped } from "../chain/check-books.ts";
import { createMoments } from "../chain/moments.ts";
import { readEscrowAddress, readEscrowBooks, readOpenSteps } from "../escrow/books.ts";
import { checkKnown, checkOnce as checkOnceInEscrow, checkStates } from "../escrow/check-books.ts";
import { createEscrowView } from "../escrow/escrow-view.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { SequenceStorm } from "../sequence-storm.ts";
import { readBookings, readOpenActions, readSupplier } from "../servicing/books.ts";
import { checkOnce as checkOnceAtSupplier } from "../servicing/check-effects.ts";
import { disturbSupplier, leaveSupplierAlone } from "../servicing/faults.ts";
import { readOpenRuns, readRunBooks } from "./books.ts";
import { checkEnded, checkNoneLeft, checkOncePerRun, checkSteps } from "./check-books.ts";
import { bookings } from "./lifecycles.ts";

const OPENING_USDC = 10_000_000n;

async function open({ deployment, history, share }: Scene): Promise<AreaRun> {
  const { chain, supplierUrl } = deployment.quickstart();
  const tenants = await prepareTenants(deployment, history, ["Chaos two"]);
  for (const { client } of tenants) await createTravelers(client);
  const [first, ...others] = tenants.flatMap(({ client, tenantId }) =>
    userIds.map((userId) => ({ client, tenantId, userId })),
  );
  if (first === undefined) throw new Error("There is nobody to travel.");
  const storm = new SequenceStorm([first, ...others], bookings(Temporal.Now.plainDateISO("UTC")), share);
  const view = createChainView(chain);
  const escrow = createEscrowView(chain, await readEscrowAddress(deployment));
  const moments = createMoments(deployment, view);

  async function auditRunning(): Promise<Finding[]> {
    // Before the books are read: what is answered meanwhile may not be in them.
    const answers = [...history.acknowledgements];
    const usage = await readUsage(deployment);
    const runs = await readRunBooks(deployment);
    return [
      checkOncePerRun(runs),
      checkOnceAtSupplier(await readSupplier(supplierUrl), await readBookings(deployment)),
      checkOnceInEscrow(await escrow.events()),
      checkAcknowledged(answers, usage),
      checkNoneTwice(usage),
    ];
  }

  async function auditSettled(): Promise<Finding[]> {
    const runs = await readRunBooks(deployment);
    const books = await readEscrowBooks(deployment);
    const facts = await escrow.read(books);
    const calls = await readBooks(deployment, supplierUrl);
    const chainBooks = await readChainBooks(deployment);
    const chainFacts = await view.read(chainBooks.wallets.map(({ address }) => address));
    const journal = storm.journal();
    return [
      ...(await auditRunning()),
      { invariant: "every caller got a final answer", checked: journal.length, problems: storm.undecided },
      checkNoneLeft(runs),
      checkEnded(runs),
      checkSteps(runs),
      checkKnown(books, facts),
      checkStates(books, facts),
      checkSigned(history.acknowledgements),
      checkSpent(calls),
      checkLedger(calls),
      checkNothingOpen(chainBooks),
      checkCustody(chainBooks, chainFacts),
      checkNotStopped(chainBooks),
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
      const { number } = await view.tip();
      const unread = (await readNetworks(deployment)).filter(({ indexed }) => indexed !== number);
      return [
        ...(await readOpenRuns(deployment)),
        ...(await readOpenMatters(deployment)),
        ...(await readOpenActions(deployment)),
        ...(await readOpenSteps(deployment)),
        ...unread.map(({ indexed }) => `blocks after ${indexed} that are not in the books`),
      ];
    },

    askAgain: (random, signal) => storm.askAgain(random, signal),
    audit: (phase) => (phase === "running" ? auditRunning() : auditSettled()),
  };
}

export const workflows: Area = {
  name: "workflows",
  summary:
    "Runs of service.book_flight from the guest's claim to the settlement or the undo: one order, one payment and one settlement each, by the supplier's ledger and the chain.",
  parts: ["postgres", "supplier", "devnet"],
  guards: ["idempotency"],
  environment: {
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: "1000000",
    RATE_LIMIT_BURST: "1000000",
    SANDBOX_BALANCE_USDC: String(OPENING_USDC),
    SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_TIMEOUT_MILLISECONDS),
    SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
  },
  open,
};
