import type { Finding } from "../area.ts";
import { readBooks, readUsage } from "../calls/books.ts";
import { checkLedger } from "../calls/check-bookings.ts";
import { checkAcknowledged, checkNoneTwice, checkSigned, checkSpent } from "../calls/check-usage.ts";
import { readChainBooks } from "../chain/books.ts";
import type { ChainView } from "../chain/chain-view.ts";
import { checkCustody, checkNothingOpen, checkNotStopped } from "../chain/check-books.ts";
import type { Deployment } from "../deployment.ts";
import { readEscrowBooks } from "../escrow/books.ts";
import { checkKnown, checkOnce as checkOnceInEscrow, checkStates } from "../escrow/check-books.ts";
import type { EscrowView } from "../escrow/escrow-view.ts";
import type { History } from "../history.ts";
import type { SequenceStorm } from "../sequence-storm.ts";
import { readBookings, readSupplier } from "../servicing/books.ts";
import { checkOnce as checkOnceAtSupplier } from "../servicing/check-effects.ts";
import { readRunBooks } from "./books.ts";
import {
  checkDecided,
  checkEnded,
  checkInvoices,
  checkNoneLeft,
  checkOncePerRun,
  checkPaid,
  checkPaidOnce,
  checkSteps,
  checkTold,
  describeEnds,
} from "./check-books.ts";
import type { Decider } from "./decider.ts";
import type { Plan } from "./lifecycles.ts";

interface Audited {
  deployment: Deployment;
  history: History;
  storm: SequenceStorm<Plan>;
  decider: Decider;
  escrow: EscrowView;
  view: ChainView;
  supplierUrl: string;
}

/** Our books of runs against the supplier's ledger, the chain and what callers were told. */
export class Audits {
  /** The outcome of the runs. */
  ends = "";
  readonly #audited: Audited;

  constructor(audited: Audited) {
    this.#audited = audited;
  }

  async running(): Promise<Finding[]> {
    const { deployment, history, decider, escrow, supplierUrl } = this.#audited;
    // Before the books are read: what is answered meanwhile may not be in them.
    const answers = [...history.acknowledgements];
    const usage = await readUsage(deployment);
    const runs = await readRunBooks(deployment);
    return [
      checkOncePerRun(runs),
      checkPaidOnce(runs),
      checkDecided(runs, decider.wins),
      checkTold(runs),
      checkOnceAtSupplier(await readSupplier(supplierUrl), await readBookings(deployment)),
      checkOnceInEscrow(await escrow.events()),
      checkAcknowledged(answers, usage),
      checkNoneTwice(usage),
    ];
  }

  async settled(): Promise<Finding[]> {
    const { deployment, history, storm, escrow, view, supplierUrl } = this.#audited;
    const runs = await readRunBooks(deployment);
    this.ends = describeEnds(runs);
    const books = await readEscrowBooks(deployment);
    const facts = await escrow.read(books);
    const calls = await readBooks(deployment, supplierUrl);
    const chainBooks = await readChainBooks(deployment);
    const chainFacts = await view.read(chainBooks.wallets.map(({ address }) => address));
    const journal = storm.journal();
    return [
      ...(await this.running()),
      { invariant: "every caller got a final answer", checked: journal.length, problems: storm.undecided },
      checkNoneLeft(runs),
      checkEnded(runs),
      checkSteps(runs),
      checkInvoices(runs),
      checkPaid(runs, await readSupplier(supplierUrl)),
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
}
