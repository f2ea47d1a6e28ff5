import type { Chain, ChainReceipt } from "../../../ports/chain/chain.ts";
import type { ChainOperations } from "../../../ports/chain/chain-operation.ts";
import type { ChainSender } from "../../../ports/chain/chain-sender.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Log } from "../../../ports/log.ts";
import type { Stores } from "../context.ts";
import type { ChainSigning } from "./chain-transactions.ts";

export interface LaunchPorts {
  chain: Chain;
  sender: ChainSender;
  stores: Stores;
  /** Whether the database was unreachable, so that a retry can succeed. */
  isTransient(error: unknown): boolean;
  log: Log;
  timing?: Partial<ChainTiming>;
}

export const DEFAULT_CHAIN_TIMING = {
  /** Between two turns while something is open. */
  pollMilliseconds: 100,
  /** While nothing is open: finds rows of other and of dead processes. */
  idleMilliseconds: 1_000,
  /** After a failed turn. */
  failedMilliseconds: 1_000,
  /** After a broadcast that the node refused. */
  resendMilliseconds: 1_000,
  /** A transaction that the node accepted but that is in no block is broadcast again. */
  rebroadcastMilliseconds: 10_000,
  /** A withdrawal without effect is tried again. */
  withdrawAgainMilliseconds: 30_000,
};
export type ChainTiming = typeof DEFAULT_CHAIN_TIMING;

/** How often a transaction may be refused at its turn before an empty one takes its nonce. */
const REFUSALS = 5;
const COMPLAIN_MILLISECONDS = 60_000;

interface Memory {
  /** The row's transaction that this is about. */
  hash: string | undefined;
  nextSendAt: number;
  refusals: number;
  isNonceUsed: boolean;
}

/** While money is stopped, signed transactions are completed, but nothing new leaves a wallet or moves in the escrow. */
export function mayGoOn(
  operations: ChainOperations,
  { operation, step }: Pick<ChainTransaction, "operation" | "step">,
): boolean {
  return step === "withdraw" || !operations.of(operation).waitsWhileStopped;
}

/** Signs and broadcasts, and remembers the result. Its memory is only a cache and can be rebuilt. */
export class TransactionLauncher {
  readonly #ports: LaunchPorts;
  readonly #timing: ChainTiming;
  readonly #memories = new Map<string, Memory>();
  readonly #complainedAt = new Map<string, number>();

  constructor(ports: LaunchPorts) {
    this.#ports = ports;
    this.#timing = { ...DEFAULT_CHAIN_TIMING, ...ports.timing };
  }

  /** Logs why a transaction is stuck, at most once per minute. */
  complain({ id }: Pick<ChainTransaction, "id">, error: unknown): void {
    const now = performance.now();
    if (now - (this.#complainedAt.get(id) ?? Number.NEGATIVE_INFINITY) < COMPLAIN_MILLISECONDS) return;
    this.#complainedAt.set(id, now);
    this.#ports.log.error({ err: error, transactionId: id }, "a chain transaction does not get on");
  }

  forget({ id }: Pick<ChainTransaction, "id">): void {
    this.#memories.delete(id);
    this.#complainedAt.delete(id);
  }

  /** Does everything slow or with a connection, before the signer's row is locked. */
  async prepare(transaction: ChainTransaction): Promise<ChainSigning> {
    return { id: transaction.id, step: transaction.step, sign: await this.#ports.sender.prepare(transaction) };
  }

  /** Returns those that no other process signed first. */
  async sign(signings: readonly ChainSigning[]): Promise<readonly ChainTransaction[]> {
    const { stores, sender } = this.#ports;
    return await stores.chainTransactions.sign(sender.relayerWalletId, signings);
  }

  async send(transaction: ChainTransaction): Promise<void> {
    const { sender } = this.#ports;
    const memory = this.#recallMemory(transaction);
    if (transaction.raw === undefined || performance.now() < memory.nextSendAt) return;
    const isAgain = memory.nextSendAt > 0;
    memory.nextSendAt = performance.now() + this.#timing.resendMilliseconds;
    const answer = await sender.broadcast(transaction.raw);
    switch (answer.kind) {
      case "accepted":
        memory.nextSendAt = performance.now() + this.#timing.rebroadcastMilliseconds;
        memory.refusals = 0;
        // Still in no block: the gas price may have risen.
        if (isAgain) await this.#replace(transaction, "dearer");
        return;
      case "nonce_used":
        memory.nextSendAt = performance.now() + this.#timing.rebroadcastMilliseconds;
        memory.isNonceUsed = true;
        return;
      case "underpriced":
        await this.#replace(transaction, "dearer");
        return;
      case "unfunded":
        this.complain(transaction, new Error("the relayer lacks the money for the gas: send some to its address"));
        return;
      case "refused":
        this.complain(transaction, new Error(`the node refuses it: ${answer.reason}`));
        // Before its turn a refusal proves nothing about it.
        if ((await sender.relayerNonce()) !== transaction.nonce) return;
        memory.refusals += 1;
        if (memory.refusals >= REFUSALS) await this.#replace(transaction, "empty");
    }
  }

  /** Whether it can never be in a block, because another transaction has used its nonce. */
  async isLost(transaction: ChainTransaction, findReceipt: () => Promise<ChainReceipt | undefined>): Promise<boolean> {
    const { nonce } = transaction;
    if (nonce === undefined || !this.#recallMemory(transaction).isNonceUsed) return false;
    if ((await this.#ports.sender.relayerNonce()) <= nonce) return false;
    // Asked after the nonce: had ours used it, the receipt would be there.
    return (await findReceipt()) === undefined;
  }

  #recallMemory({ id, hash }: ChainTransaction): Memory {
    const known = this.#memories.get(id);
    if (known !== undefined && known.hash === hash) return known;
    const fresh = { hash, nextSendAt: 0, refusals: 0, isNonceUsed: false };
    this.#memories.set(id, fresh);
    return fresh;
  }

  async #replace(transaction: ChainTransaction, how: "dearer" | "empty"): Promise<void> {
    const { sender, stores, log } = this.#ports;
    const { id, hash, nonce } = transaction;
    if (hash === undefined) return;
    const replacement = await sender.prepareReplacement(transaction, how);
    if (replacement === undefined) return;
    if (await stores.chainTransactions.replace(id, hash, replacement)) {
      log.warn({ transactionId: id, how, nonce }, "a chain transaction is replaced");
    }
  }
}
