import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { Finding } from "../area.ts";
import { readBooks } from "../calls/books.ts";
import { checkBookedOnce, checkFinal, checkLedger, checkSupplierAgrees } from "../calls/check-bookings.ts";
import { readChainBooks } from "../chain/books.ts";
import type { ChainView } from "../chain/chain-view.ts";
import { checkCustody, checkNothingOpen, checkPostings } from "../chain/check-books.ts";
import type { Deployment } from "../deployment.ts";
import { readPaidBooks, readPaidUsage, readSearches, readUsed } from "./books.ts";
import {
  type ChainSide,
  checkAnsweredIsCaptured,
  checkMetered,
  checkOneAnswer,
  checkRanOnce,
  countRuns,
} from "./check-answers.ts";
import {
  checkCapturedIsAnswered,
  checkCapturedIsBooked,
  checkNothingLeft,
  checkReceivables,
  checkSettledOnChain,
  checkSuccesses,
  checkSums,
} from "./check-books.ts";
import type { Purchase } from "./purchase.ts";

/** Compares what buyers were told with the service's books and with the chain's. */
export function createAudit(run: {
  deployment: Deployment;
  journal(): Purchase[];
  killedAt: readonly number[];
  view: ChainView;
  /** The address of the service. */
  payTo: Hex;
}) {
  const { deployment, journal, killedAt, view, payTo } = run;

  async function readChainSide(): Promise<ChainSide> {
    return { transfers: await view.transfers(), used: await readUsed(deployment.quickstart().chain), payTo };
  }

  async function running(): Promise<Finding[]> {
    // Before the books and the chain are read: what is answered meanwhile may not be in them.
    const purchases = journal();
    const usage = await readPaidUsage(deployment);
    const chain = await readChainSide();
    const books = await readPaidBooks(deployment);
    const runs = countRuns(purchases, { ...chain, bookings: books.bookings, searches: await readSearches(deployment) });
    return [
      checkAnsweredIsCaptured(purchases, chain),
      checkOneAnswer(purchases),
      checkMetered(purchases, usage),
      checkRanOnce(runs, killedAt),
    ];
  }

  async function settled(): Promise<Finding[]> {
    const purchases = journal();
    const books = await readPaidBooks(deployment);
    const chain = await readChainSide();
    const chainBooks = await readChainBooks(deployment);
    const facts = await view.read(chainBooks.wallets.map(({ address }) => address));
    const calls = await readBooks(deployment, deployment.quickstart().supplierUrl);
    const runs = countRuns(purchases, { ...chain, ...books });
    const buyers = new Set<string>(purchases.map(({ authorization }) => authorization.payer));
    return [
      ...(await running()),
      checkCapturedIsAnswered(purchases, chain),
      checkCapturedIsBooked(purchases, books, chain),
      checkSettledOnChain(books, chain),
      checkSums(books, chain, buyers),
      checkReceivables(books, chain),
      checkSuccesses(purchases, books, runs),
      checkNothingLeft(books),
      checkBookedOnce(calls),
      checkSupplierAgrees(calls),
      checkFinal(calls),
      checkLedger(calls),
      checkNothingOpen(chainBooks),
      checkCustody(chainBooks, facts),
      checkPostings(chainBooks, facts),
    ];
  }

  return { running, settled };
}
