import type { Hex } from "../../../domain/tokens.ts";
import { inTrace } from "../../../domain/trace.ts";
import type { ChainEndings, ConfirmedTransaction } from "../../../kernel/contracts/chain-ending.ts";
import type { ChainReceipt } from "../../../ports/chain/chain.ts";
import type { ChainTransaction, EndedTransaction } from "../../../ports/chain/chain-transactions.ts";
import { type FinishingPorts, finishConfirmed, finishReverted } from "./finish-chain.ts";
import type { ChainTiming, LaunchPorts, TransactionLauncher } from "./launch-chain.ts";

export interface SettlerOptions extends LaunchPorts, FinishingPorts {
  /** Further changes in the transaction that stores an end, by purpose. */
  endings: ChainEndings;
  timing: ChainTiming;
  launcher: TransactionLauncher;
  /** Called for a row that has taken a step. */
  onMoved(): void;
  onEnd(end: EndedTransaction): void;
}

/** Determines the outcome of broadcast transactions, and stores their ends. */
export class TransactionSettler {
  readonly #options: SettlerOptions;
  /** By row: when its withdrawal was found to have no effect. */
  readonly #withdrawnAt = new Map<string, number>();

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /** Looks for the end of a broadcast transaction. Returns it if it succeeded, to be finished together with others. */
  async settle(transaction: ChainTransaction, hash: Hex): Promise<ConfirmedTransaction | undefined> {
    if (transaction.step === "withdraw") {
      await this.#settleWithdrawal(transaction, hash);
      return undefined;
    }
    const { operations, launcher } = this.#options;
    const { operation } = transaction;
    const receipt = await this.#findReceipt(transaction);
    if (receipt !== undefined && operations.of(operation).tookEffect(operation, receipt)) {
      return { transaction, receipt };
    }
    if (receipt !== undefined) await this.#settleWithoutEffect(transaction, hash, receipt);
    else if (await launcher.isLost(transaction, () => this.#findReceipt(transaction))) {
      await this.#requeue(transaction, hash);
    }
    return undefined;
  }

  async finish(confirmedTransactions: readonly ConfirmedTransaction[]): Promise<void> {
    const { endings, log } = this.#options;
    const finished = await finishConfirmed(this.#options, confirmedTransactions, endings);
    for (const { transaction } of confirmedTransactions) this.#forget(transaction);
    for (const { transaction, receipt, additions } of finished) {
      const { hash, block } = receipt;
      inTrace(transaction.traceId, () =>
        log.info({ transactionId: transaction.id, hash }, "chain transaction confirmed"),
      );
      this.#announce({
        ...transaction,
        state: "confirmed",
        failure: undefined,
        hash,
        blockNumber: block.number,
        additions,
      });
    }
  }

  async #finishReverted(transaction: ChainTransaction, receipt: ChainReceipt, failure: string): Promise<void> {
    const { endings, log } = this.#options;
    const end = { state: "reverted", receipt, failure } as const;
    const isMine = await finishReverted(this.#options, transaction, end, endings);
    this.#forget(transaction);
    if (!isMine) return;
    const { id: transactionId, purpose } = transaction;
    const { hash, block } = receipt;
    log.warn({ transactionId, hash, purpose, failure }, "chain transaction had no effect");
    this.#announce({ ...transaction, state: "reverted", failure, hash, blockNumber: block.number });
  }

  async #settleWithoutEffect(transaction: ChainTransaction, hash: Hex, receipt: ChainReceipt): Promise<void> {
    const { operations, sender, stores, log } = this.#options;
    const { id, operation } = transaction;
    const isEarlier = receipt.hash !== hash;
    // Asked before the authorization: had the later one used its nonce, its effect would be there.
    const mayHaveEffect = isEarlier && (await sender.relayerNonce()) <= (transaction.nonce ?? 0);
    const authorization = await sender.authorization(transaction);
    if (authorization.kind === "done") {
      log.warn({ transactionId: id }, "an operation was carried out by somebody else's transaction");
      await this.finish([{ transaction, receipt: authorization.receipt }]);
      return;
    }
    // A later transaction may still take effect: its own receipt decides.
    if (mayHaveEffect && authorization.kind === "none") return;
    const failure = await sender.explain(transaction, receipt);
    // Another party's authorization cannot be withdrawn by us: it stays open until it expires, and can be tried again.
    const isOurs = operations.of(operation).outgoing(operation) !== undefined;
    const isOver = authorization.kind !== "open" || !isOurs;
    if (isOver) await this.#finishReverted(transaction, receipt, failure);
    else if (await stores.chainTransactions.requeue(id, hash, "withdraw", failure)) {
      this.#options.onMoved();
      log.warn({ transactionId: id, failure }, "an operation had no effect and is withdrawn");
    }
  }

  /** Gives the operation's money back only once nobody can use the authorization any more. */
  async #settleWithdrawal(transaction: ChainTransaction, hash: Hex): Promise<void> {
    const { chain, sender, launcher } = this.#options;
    const authorization = await sender.authorization(transaction);
    if (authorization.kind === "done") {
      await this.finish([{ transaction, receipt: authorization.receipt }]);
      return;
    }
    const failure = transaction.failure ?? "withdrawn";
    const receipt = await this.#findReceipt({ ...transaction, hash: undefined });
    if (authorization.kind === "void" && receipt !== undefined) {
      await this.#finishReverted(transaction, receipt, failure);
      return;
    }
    const withdrawal = await chain.receipt(hash);
    if (authorization.kind === "void" && withdrawal !== undefined) {
      await this.#finishReverted(transaction, withdrawal, failure);
    } else if (withdrawal !== undefined) {
      await this.#withdrawAgain(transaction, hash);
    } else if (await launcher.isLost(transaction, () => chain.receipt(hash))) await this.#requeue(transaction, hash);
  }

  /** After a delay, as the node asked may not know of it yet. */
  async #withdrawAgain(transaction: ChainTransaction, hash: Hex): Promise<void> {
    const { id } = transaction;
    const since = this.#withdrawnAt.get(id) ?? performance.now();
    this.#withdrawnAt.set(id, since);
    if (performance.now() - since < this.#options.timing.withdrawAgainMilliseconds) return;
    this.#withdrawnAt.delete(id);
    await this.#requeue(transaction, hash);
  }

  async #requeue(transaction: ChainTransaction, hash: Hex): Promise<void> {
    const { sender, stores, launcher, log } = this.#options;
    const { id, step, nonce } = transaction;
    await stores.chainTransactions.raiseNonce(sender.relayerWalletId, await sender.relayerNonce());
    if (!(await stores.chainTransactions.requeue(id, hash, step))) return;
    launcher.forget(transaction);
    log.warn({ transactionId: id, step, nonce }, "a chain transaction gets another nonce");
  }

  async #findReceipt({ hash, earlierHashes }: ChainTransaction): Promise<ChainReceipt | undefined> {
    for (const candidate of [...(hash === undefined ? [] : [hash]), ...earlierHashes]) {
      const receipt = await this.#options.chain.receipt(candidate);
      if (receipt !== undefined) return receipt;
    }
    return undefined;
  }

  #forget(transaction: ChainTransaction): void {
    this.#options.launcher.forget(transaction);
    this.#withdrawnAt.delete(transaction.id);
  }

  #announce(end: EndedTransaction): void {
    this.#options.onMoved();
    this.#options.onEnd(end);
  }
}
