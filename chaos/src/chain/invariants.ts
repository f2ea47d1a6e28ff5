import type { Finding } from "../area.ts";
import type { ChainBooks } from "./books.ts";
import type { ChainFacts, Tip, Transfer } from "./chain-view.ts";
import {
  checkCaptures,
  checkCaught,
  checkCustody,
  checkNothingOpen,
  checkNotStopped,
  checkOrdersOnChain,
  checkPaidCalls,
  checkPostings,
  checkRevertedMovedNothing,
} from "./check-books.ts";
import { checkAcknowledgedTransfers, checkFailuresMovedNothing, checkNoTransferTwice } from "./check-journal.ts";
import type { Operation } from "./journal.ts";

/** Holds at any moment, kills or not. Journal and orders must be read before the chain. */
export function checkChainRunning(
  journal: readonly Operation[],
  orders: ChainBooks["orders"],
  transfers: readonly Transfer[],
): Finding[] {
  return [
    checkAcknowledgedTransfers(journal, transfers),
    checkNoTransferTwice(journal, transfers),
    checkFailuresMovedNothing(journal, transfers),
    checkRevertedMovedNothing(orders, transfers),
  ];
}

export interface SettledChain {
  journal: readonly Operation[];
  books: ChainBooks;
  facts: ChainFacts;
  killedAt: readonly number[];
  /** The last block before the last kill of the chain, and the one of that number after the replay. */
  replay: { before: Tip; after: string | undefined };
}

/** Holds once everything has ended. */
export function checkChainSettled({ journal, books, facts, killedAt, replay }: SettledChain): Finding[] {
  return [
    ...checkChainRunning(journal, books.orders, facts.transfers),
    checkOrdersOnChain(books, facts),
    checkCustody(books, facts),
    checkPostings(books, facts),
    checkCaptures(books, facts),
    checkPaidCalls(books),
    checkNothingOpen(books),
    checkCaught(books, killedAt),
    checkNotStopped(books),
    checkIndexed(books, facts),
    checkReplayed(replay),
  ];
}

/** The last block whose movements are in the ledger is the last one there is. */
function checkIndexed({ chains }: ChainBooks, { tip }: ChainFacts): Finding {
  const problems = chains.flatMap(({ indexed, indexed_hash }) =>
    indexed === tip.number && indexed_hash === tip.hash
      ? []
      : [`the books are at block ${indexed} ${indexed_hash}, the chain at ${tip.number} ${tip.hash}`],
  );
  return { invariant: "the books know the chain up to its last block", checked: chains.length, problems };
}

function checkReplayed({ before, after }: SettledChain["replay"]): Finding {
  const problems = before.hash === after ? [] : [`block ${before.number} was ${before.hash} and is ${after}`];
  return {
    invariant: "a chain that was killed replays to the same block hash",
    checked: Number(before.number),
    problems,
  };
}
