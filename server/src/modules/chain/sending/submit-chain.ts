import type { ChainEndings } from "../../../kernel/contracts/chain-ending.ts";
import { within } from "../../../platform/batching/within.ts";
import type { News } from "../../../platform/database/news.ts";
import type { ChainSubmission, EndedTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { ChainTransactions } from "./chain-transactions.ts";
import type { FinishingPorts } from "./finish-chain.ts";
import { DEFAULT_CHAIN_TIMING, type LaunchPorts } from "./launch-chain.ts";
import { SubmissionTurns } from "./submission-turns.ts";
import { TurnLoop } from "./turn-loop.ts";

/** How often waiting callers read the row, in case another process ends it; rarely where notifications tell them. */
const LOOK_MILLISECONDS = 250;
const TOLD_LOOK_MILLISECONDS = 2_000;
const ENDED = "chain_ended";

/** Without an end: the row is to be read. */
type Tell = (end?: EndedTransaction) => void;

/** Callers of this process that wait for the end of a transaction. */
export class EndWaiters {
  readonly #chainTransactions: Pick<ChainTransactions, "get">;
  readonly #waiting = new Map<string, Set<Tell>>();
  readonly #news: Pick<News, "on" | "isTold"> | undefined;
  readonly #leave: (() => void) | undefined;

  constructor(chainTransactions: Pick<ChainTransactions, "get">, news?: Pick<News, "on" | "isTold">) {
    this.#chainTransactions = chainTransactions;
    this.#news = news;
    this.#leave = news?.on(ENDED, (id) => {
      for (const tell of this.#waiting.get(id) ?? []) tell();
    });
  }

  stop(): void {
    this.#leave?.();
  }

  announce(end: EndedTransaction): void {
    for (const tell of this.#waiting.get(end.id) ?? []) tell(end);
  }

  /** Returns the end, whichever process causes it; undefined after the timeout. */
  async waitForEnd(id: string, timeoutMilliseconds: number, isNew = false): Promise<EndedTransaction | undefined> {
    const deadline = performance.now() + timeoutMilliseconds;
    for (let isOpen = isNew; ; isOpen = false) {
      const { promise, resolve } = Promise.withResolvers<EndedTransaction | undefined>();
      const tells = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, tells.add(resolve));
      try {
        const transaction = isOpen ? undefined : await this.#chainTransactions.get(id);
        if (transaction?.state === "confirmed" || transaction?.state === "reverted") return transaction;
        const left = deadline - performance.now();
        if (left <= 0) return undefined;
        const look = this.#news?.isTold() === true ? TOLD_LOOK_MILLISECONDS : LOOK_MILLISECONDS;
        const told = await within(Math.min(left, look), promise);
        if (told?.result !== undefined) return told.result;
      } finally {
        tells.delete(resolve);
        if (tells.size === 0) this.#waiting.delete(id);
      }
    }
  }
}

export interface ChainSubmitterOptions extends LaunchPorts, FinishingPorts {
  /** Further changes in the transaction that stores an end, by purpose. */
  endings?: ChainEndings;
  /** Tells of ends that other processes store. */
  news?: Pick<News, "on" | "isTold">;
}

export interface ChainSubmitter extends ChainSubmission {
  /** One turn over everything open; returns how many are still open. Rejects if the chain or the database is unreachable. */
  runOnce(): Promise<number>;
  start(): void;
  /** Resolves when newly stored work, woken with `atOnce`, would start at once, or after a time limit. */
  room(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Brings every stored operation to its end: signs it, broadcasts it, reads its receipt and closes the books. Safe in
 * several processes at once and after a crash between any two steps: each step checks the row's state, a signed
 * transaction is never signed again under another nonce while it can still be in a block, and a second broadcast is
 * harmless.
 */
export function createChainSubmitter(options: ChainSubmitterOptions): ChainSubmitter {
  const { chain, stores, log, endings = {} } = options;
  const { chainTransactions } = stores;
  const timing = { ...DEFAULT_CHAIN_TIMING, ...options.timing };
  const waiters = new EndWaiters(chainTransactions, options.news);
  const turns = new SubmissionTurns({ ...options, endings, timing, onEnd: (end) => waiters.announce(end) });
  const loop = new TurnLoop({
    turn: () => turns.take(),
    timing,
    onFailure: (error) => log.warn({ err: error, network: chain.environment }, "chain transactions wait"),
  });
  return {
    start: () => loop.start(),
    wake: (atOnce) => loop.wake(atOnce),
    room: () => loop.room(),
    async stop() {
      waiters.stop();
      await loop.stop();
    },
    async runOnce() {
      const { open } = await turns.take();
      const left = (await chainTransactions.listOpen(chain.key, 1)).length;
      return left === 0 ? 0 : Math.max(left, open);
    },
    waitForEnd: (id, timeoutMilliseconds, isNew) => waiters.waitForEnd(id, timeoutMilliseconds, isNew),
  };
}
