import { within } from "../../../platform/batching/within.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { ChainTransactions } from "./chain-transactions.ts";

/** Waiting callers look for themselves so often, in case another process brings the end about. */
const LOOK_MILLISECONDS = 250;

type Tell = (end: ChainTransaction) => void;

/** Those of this process who wait for the end of a transaction. */
export class EndWaiters {
  readonly #chainTransactions: Pick<ChainTransactions, "get">;
  readonly #waiting = new Map<string, Set<Tell>>();

  constructor(chainTransactions: Pick<ChainTransactions, "get">) {
    this.#chainTransactions = chainTransactions;
  }

  announce(end: ChainTransaction): void {
    for (const tell of this.#waiting.get(end.id) ?? []) tell(end);
  }

  /** Its end, whichever process brings it about; undefined: not in that time. */
  async waitForEnd(id: string, timeoutMilliseconds: number, isNew = false): Promise<ChainTransaction | undefined> {
    const deadline = performance.now() + timeoutMilliseconds;
    const { promise, resolve } = Promise.withResolvers<ChainTransaction>();
    const tells = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, tells.add(resolve));
    try {
      for (let isOpen = isNew; ; isOpen = false) {
        const transaction = isOpen ? undefined : await this.#chainTransactions.get(id);
        if (transaction?.state === "confirmed" || transaction?.state === "reverted") return transaction;
        const left = deadline - performance.now();
        if (left <= 0) return undefined;
        const told = await within(Math.min(left, LOOK_MILLISECONDS), promise);
        if (told !== undefined) return told.result;
      }
    } finally {
      tells.delete(resolve);
      if (tells.size === 0) this.#waiting.delete(id);
    }
  }
}
