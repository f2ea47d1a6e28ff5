import { CHAIN_AWAY, Failure } from "../../../domain/errors.ts";
import { inTrace } from "../../../domain/trace.ts";
import type { ConfirmedTransaction } from "../../../kernel/contracts/chain-ending.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { ChainSigning, OpenTransaction } from "./chain-transactions.ts";
import { mayGoOn, TransactionLauncher } from "./launch-chain.ts";
import { type SettlerOptions, TransactionSettler } from "./settle-transactions.ts";
import type { Turn } from "./turn-loop.ts";

export type TurnOptions = Omit<SettlerOptions, "launcher" | "onMoved">;

const OPEN_AT_ONCE = 500;
const SIGNED_AT_ONCE = 32;
const SENT_AT_ONCE = 16;
/** At most this many are also finished in one database transaction. */
const RECEIPTS_AT_ONCE = 32;

/** Advances every open transaction of a chain by one step: signs, sends, settles. */
export class SubmissionTurns {
  readonly #options: TurnOptions;
  readonly #launcher: TransactionLauncher;
  readonly #settler: TransactionSettler;
  /** Rows of running turns, which parallel turns skip. */
  readonly #inHand = new Set<string>();
  /** Counts steps of rows: while there are any, the next turn follows at once. */
  #moves = 0;

  constructor(options: TurnOptions) {
    const onMoved = () => {
      this.#moves += 1;
    };
    this.#options = options;
    this.#launcher = new TransactionLauncher(options);
    this.#settler = new TransactionSettler({ ...options, launcher: this.#launcher, onMoved });
  }

  /** Works on everything that no other turn holds. Rejects if the chain or the database is unreachable. */
  async take(): Promise<Turn> {
    const { chain, stores } = this.#options;
    const before = this.#moves;
    const listed = await stores.chainTransactions.listOpen(chain.key, OPEN_AT_ONCE);
    const open = listed.filter(({ id }) => !this.#inHand.has(id));
    for (const { id } of open) this.#inHand.add(id);
    try {
      await this.#bringOn(open);
      return { open: open.length, moved: this.#moves > before };
    } finally {
      for (const { id } of open) this.#inHand.delete(id);
    }
  }

  async #bringOn(open: readonly OpenTransaction[]): Promise<void> {
    const signed: ChainTransaction[] = open.filter(({ state }) => state === "signed");
    signed.push(...(await this.#sign(open.filter(({ state }) => state === "queued"))));
    signed.sort((left, right) => (left.nonce ?? 0) - (right.nonce ?? 0));
    const away = await this.#send(signed);
    await this.#settle(signed);
    if (away !== undefined) throw away;
  }

  /** At most as many as one turn takes. */
  async #sign(queued: readonly OpenTransaction[]): Promise<readonly ChainTransaction[]> {
    const { operations } = this.#options;
    const some = queued.filter((one) => !one.isStopped || mayGoOn(operations, one)).slice(0, SIGNED_AT_ONCE);
    const prepared = await Promise.all(
      some.map((transaction) => this.#alone(transaction, () => this.#launcher.prepare(transaction))),
    );
    const signings = prepared.filter((one) => one !== undefined);
    if (signings.length === 0) return [];
    const fresh = await this.#signAtOnce(some, signings);
    this.#moves += fresh.length;
    return fresh;
  }

  /** One by one if that fails, so that one unsignable transaction does not block the others. */
  async #signAtOnce(
    queued: readonly ChainTransaction[],
    signings: readonly ChainSigning[],
  ): Promise<readonly ChainTransaction[]> {
    try {
      return await this.#launcher.sign(signings);
    } catch (error) {
      if (this.#concernsAll(error)) throw error;
      const fresh: ChainTransaction[] = [];
      for (const transaction of queued) {
        const own = signings.filter(({ id }) => id === transaction.id);
        fresh.push(...((await this.#alone(transaction, () => this.#launcher.sign(own))) ?? []));
      }
      return fresh;
    }
  }

  /** Returns the error if not all could be sent: a node that accepts transactions without answering may still report their outcome. */
  async #send(signed: readonly ChainTransaction[]): Promise<Failure | undefined> {
    // In the order of their nonces, but many at once: a node may answer only when a block is made, and a block takes many.
    for (let index = 0; index < signed.length; index += SENT_AT_ONCE) {
      const some = signed.slice(index, index + SENT_AT_ONCE);
      const answers = await Promise.all(some.map((transaction) => this.#sendOne(transaction)));
      const away = answers.find((answer) => answer !== undefined);
      if (away !== undefined) return away;
    }
    return undefined;
  }

  async #sendOne(transaction: ChainTransaction): Promise<Failure | undefined> {
    try {
      await this.#alone(transaction, () => this.#launcher.send(transaction));
      return undefined;
    } catch (error) {
      if (isChainAway(error)) return error;
      throw error;
    }
  }

  async #settle(signed: readonly ChainTransaction[]): Promise<void> {
    for (let index = 0; index < signed.length; index += RECEIPTS_AT_ONCE) {
      const some = signed.slice(index, index + RECEIPTS_AT_ONCE);
      const found = await Promise.all(
        some.map((transaction) =>
          this.#alone(transaction, async () =>
            transaction.hash === undefined ? undefined : await this.#settler.settle(transaction, transaction.hash),
          ),
        ),
      );
      const confirmedTransactions = found.filter((one) => one !== undefined);
      if (confirmedTransactions.length > 0) await this.#finish(confirmedTransactions);
    }
  }

  /** One by one if that fails, so that one transaction at fault does not block the others. */
  async #finish(confirmedTransactions: readonly ConfirmedTransaction[]): Promise<void> {
    try {
      await this.#settler.finish(confirmedTransactions);
    } catch (error) {
      if (this.#concernsAll(error)) throw error;
      for (const one of confirmedTransactions) await this.#alone(one.transaction, () => this.#settler.finish([one]));
    }
  }

  /** One row's error must not block the others. */
  async #alone<Result>(transaction: ChainTransaction, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const { tenantId, environment } = transaction;
      return await inTrace(transaction.traceId, work, tenantId === null ? undefined : { tenantId, environment });
    } catch (error) {
      if (this.#concernsAll(error)) throw error;
      this.#launcher.complain(transaction, error);
      return undefined;
    }
  }

  #concernsAll(error: unknown): boolean {
    return isChainAway(error) || this.#options.isTransient(error);
  }
}

function isChainAway(error: unknown): error is Failure {
  return error instanceof Failure && error.code === CHAIN_AWAY;
}
