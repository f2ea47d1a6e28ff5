import { type Area, type AreaRun, type Finding, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readBooks, readOpenMatters, readUsage } from "../calls/books.ts";
import { checkLedger } from "../calls/check-bookings.ts";
import { checkAcknowledged, checkNoneTwice, checkSigned, checkSpent } from "../calls/check-usage.ts";
import { readChainBooks, readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { checkCustody, checkNothingOpen, checkNotStopped } from "../chain/check-books.ts";
import { createMoments } from "../chain/moments.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { SequenceStorm } from "../sequence-storm.ts";
import { readEscrowAddress, readEscrowBooks, readOpenSteps } from "./books.ts";
import { checkAnswered, checkRefused } from "./check-answers.ts";
import { checkKnown, checkMoney, checkOnce, checkStates, checkVendors } from "./check-books.ts";
import { createEscrowView } from "./escrow-view.ts";
import { lifecycles } from "./lifecycles.ts";

const OPENING_USDC = 10_000_000n;
const MICRO = 1_000_000n;

async function open({ deployment, history, share }: Scene): Promise<AreaRun> {
  const { chain, supplierUrl } = deployment.quickstart();
  const [first, ...others] = (await prepareTenants(deployment, history, ["Chaos two", "Chaos three"])).map(
    (tenant) => ({
      ...tenant,
      userId: undefined,
    }),
  );
  if (first === undefined) throw new Error("There is nobody to fund a trip.");
  const storm = new SequenceStorm([first, ...others], lifecycles, share);
  const view = createChainView(chain);
  const escrow = createEscrowView(chain, await readEscrowAddress(deployment));
  const moments = createMoments(deployment, view);

  async function auditRunning(): Promise<Finding[]> {
    // Before the books are read: what is answered meanwhile may not be in them.
    const journal = storm.journal();
    const answers = [...history.acknowledgements];
    const usage = await readUsage(deployment);
    const events = await escrow.events();
    return [
      checkOnce(events),
      checkAnswered(journal, events),
      checkRefused(journal, events),
      checkAcknowledged(answers, usage),
      checkNoneTwice(usage),
    ];
  }

  async function auditSettled(): Promise<Finding[]> {
    const books = await readEscrowBooks(deployment);
    const facts = await escrow.read(books);
    const calls = await readBooks(deployment, supplierUrl);
    const chainBooks = await readChainBooks(deployment);
    const chainFacts = await view.read(chainBooks.wallets.map(({ address }) => address));
    const journal = storm.journal();
    return [
      ...(await auditRunning()),
      { invariant: "every caller got a final answer", checked: journal.length, problems: storm.undecided },
      checkKnown(books, facts),
      checkStates(books, facts),
      checkVendors(books, facts),
      checkMoney(books, facts, OPENING_USDC * MICRO),
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
    disturb: async () => undefined,
    nextMoment: moments.next,
    witness: moments.witness,
    notes: () => [...storm.notes(), ...moments.notes()],

    async openMatters() {
      return [
        ...(await readOpenMatters(deployment)),
        ...(await readOpenSteps(deployment)),
        ...(await readUnreadBlocks(deployment, await view.tip())),
      ];
    },

    askAgain: (random, signal) => storm.askAgain(random, signal),
    audit: (phase) => (phase === "running" ? auditRunning() : auditSettled()),
  };
}

export const escrow: Area = {
  name: "escrow",
  summary:
    "Trips of several tenants from funding to settlement or cancellation: the escrow's own words on the chain against our records and the ledger.",
  parts: ["postgres", "sequencer", "anvil"],
  notifications: ["chain_transaction", "chain_ended"],
  guards: ["chain-look-up"],
  environment: {
    ...UNLIMITED_CALLS,
    SANDBOX_BALANCE_USDC: String(OPENING_USDC),
  },
  open,
};
