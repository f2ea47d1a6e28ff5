import { Failure } from "../../../domain/errors.ts";
import type { Chain, ChainBlock } from "../../../ports/chain/chain.ts";
import type { ChainOperations } from "../../../ports/chain/chain-operation.ts";
import type { ChainSender } from "../../../ports/chain/chain-sender.ts";
import type { Log } from "../../../ports/log.ts";
import type { OwnedMovement } from "../../ledger/index.ts";
import type { Stores } from "../context.ts";
import type { BoundChains } from "../opening/bound-chains.ts";
import type { Wallets } from "../wallets.ts";
import { ownMovements } from "./wallet-owners.ts";

export interface ChainIndexerOptions {
  chain: Chain;
  operations: ChainOperations;
  sender: Pick<ChainSender, "authorization">;
  stores: Stores;
  wallets: Pick<Wallets, "findOwners">;
  boundChains: BoundChains;
  /** Whether the database was unreachable, so that a retry can succeed. */
  isTransient(error: unknown): boolean;
  log: Log;
  /** Blocks that are read again each time: behind one address may be several nodes, and a lagging one lacks events of the newest blocks. */
  overlapBlocks?: number;
}

const BLOCKS_AT_ONCE = 2_000n;
const OPEN_AT_MOST = 1_000;
const POSTED_AT_ONCE = 200;
/** How often a movement is looked up again before it counts as a stranger's. */
const MOST_DOUBTS = 10;

const isSameBlock = (one: ChainBlock, other: ChainBlock): boolean =>
  one.number === other.number && one.hash === other.hash;

/** Whether it leaves a wallet of ours. Money leaves the escrow by the contract's rules, and anybody may trigger that. */
const isOfWallet = ({ from }: OwnedMovement): boolean => from !== undefined && from.kind !== "escrow";

/**
 * Posts every movement of our wallets and of the escrow that is not posted yet: deposits of strangers, and movements
 * that the submitter missed in a crash. Safe in several processes at once: postings are tied to their event, and the
 * cursor moves only from where it was read.
 */
export class ChainIndexer {
  readonly #options: ChainIndexerOptions;
  /** By transaction: how often its origin was unclear. */
  readonly #doubts = new Map<string, number>();
  /** The head at the last complete reading: while the chain stays there, nothing else is asked. */
  #readTo: ChainBlock | undefined;

  constructor(options: ChainIndexerOptions) {
    this.#options = options;
  }

  /** The chain's last block when all of it was in the books. Undefined: not since the start. */
  get readTo(): bigint | undefined {
    return this.#readTo?.number;
  }

  /** Reads one range of blocks; true if there may be more. Rejects if the chain or the database is unreachable. */
  async runOnce(): Promise<boolean> {
    const { chain, wallets, boundChains, overlapBlocks = 0 } = this.#options;
    const head = await chain.head();
    if (this.#readTo !== undefined && isSameBlock(head, this.#readTo)) return false;
    const state = await boundChains.get(chain.key);
    if (state === undefined) return false;
    const { indexed } = state;
    if (!(await this.#isSameChain(indexed))) return false;
    if (isSameBlock(head, indexed)) this.#readTo = head;
    if (head.number <= indexed.number) return false;
    const last = indexed.number + BLOCKS_AT_ONCE;
    const to = head.number <= last ? head : await chain.block(last);
    if (to === undefined) return false;
    const from = indexed.number + 1n - BigInt(overlapBlocks);
    const movements = await chain.movements(from > 0n ? from : 0n, to.number);
    // Reads the wallets after the blocks: a wallet's row exists before anybody can pay to its address.
    const owned = await ownMovements(wallets, chain, movements);
    if (!(await this.#postOurs(owned, indexed))) return false;
    await boundChains.advance(state, to);
    this.#doubts.clear();
    return to.number < head.number;
  }

  /**
   * Posts our movements, and stops the chain's money at a stranger's movement out of a wallet of ours. False if the
   * origin of one is unclear; all before it are posted.
   */
  async #postOurs(owned: readonly OwnedMovement[], indexed: ChainBlock): Promise<boolean> {
    const { chain, stores } = this.#options;
    const leaving = owned.filter(isOfWallet).map(({ movement }) => movement.transactionHash);
    const known = await stores.chainTransactions.knownHashes(chain.key, leaving);
    const ours: OwnedMovement[] = [];
    for (const one of owned) {
      const origin = isOfWallet(one) ? await this.#findOrigin(one, known) : "ours";
      if (origin === "unclear") {
        await this.#postAll(ours);
        return false;
      }
      if (origin === "ours") ours.push(one);
      // The operator may have accepted movements in blocks that are read again; the reconciler finds the others.
      else if (one.movement.blockNumber > indexed.number) await this.#stopForStranger(one);
    }
    await this.#postAll(ours);
    return true;
  }

  async #stopForStranger({ movement }: OwnedMovement): Promise<void> {
    const { transactionHash, logIndex, from: wallet, amount, token } = movement;
    const fields = { transactionHash, logIndex, wallet, token, amount: amount.toString() };
    await this.#stop(`Money left a wallet by a transaction that is not ours: ${transactionHash}.`, fields);
  }

  async #stop(reason: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    const { chain, boundChains, log } = this.#options;
    if (await boundChains.stop(chain.key, reason)) log.error({ ...fields, network: chain.environment }, reason);
  }

  /**
   * Money leaves a wallet of ours only by a transaction or an authorization of ours. Unclear if an equal operation can
   * still be executed, as the node asked may lag behind the one that reported the movement.
   */
  async #findOrigin(
    { movement }: OwnedMovement,
    known: ReadonlySet<string>,
  ): Promise<"ours" | "a stranger's" | "unclear"> {
    const { chain, operations, sender, stores } = this.#options;
    const { transactionHash } = movement;
    if (known.has(transactionHash)) return "ours";
    let isUnclear = false;
    for (const transaction of await stores.chainTransactions.listOpen(chain.key, OPEN_AT_MOST)) {
      const { operation: stored } = transaction;
      const operation = operations.of(stored);
      // Includes queued ones: sent before they were queued again, or before the database was restored from a backup.
      if (operation.outgoing(stored)?.from !== movement.from) continue;
      const authorization = await sender.authorization(transaction);
      if (authorization.kind === "done" && authorization.receipt.hash === transactionHash) return "ours";
      if (authorization.kind === "open" && operation.isMovedBy(stored, movement)) isUnclear = true;
    }
    // The submitter may have finished it between the two questions.
    const again = await stores.chainTransactions.knownHashes(chain.key, [transactionHash]);
    if (again.has(transactionHash)) return "ours";
    const times = (this.#doubts.get(transactionHash) ?? 0) + 1;
    this.#doubts.set(transactionHash, times);
    return isUnclear && times < MOST_DOUBTS ? "unclear" : "a stranger's";
  }

  /** One by one if that fails, to identify the one at fault. */
  async #postAll(owned: readonly OwnedMovement[]): Promise<void> {
    const { chain, stores, isTransient } = this.#options;
    for (let index = 0; index < owned.length; index += POSTED_AT_ONCE) {
      const some = owned.slice(index, index + POSTED_AT_ONCE);
      try {
        await stores.ledger.postMovements(chain.key, some);
      } catch (error) {
        if (isTransient(error)) throw error;
        for (const one of some) await this.#post(one);
      }
    }
  }

  async #post(owned: OwnedMovement): Promise<void> {
    const { chain, stores, isTransient } = this.#options;
    try {
      await stores.ledger.postMovements(chain.key, [owned]);
    } catch (error) {
      if (!isTransient(error) && !(error instanceof Failure)) {
        const { transactionHash, logIndex } = owned.movement;
        await this.#stop("A movement on the chain does not fit the books.", { err: error, transactionHash, logIndex });
      }
      throw error;
    }
  }

  /** Whether the block read last is still there. A missing one may just not have reached the answering node. */
  async #isSameChain(indexed: ChainBlock): Promise<boolean> {
    const block = await this.#options.chain.block(indexed.number);
    if (block === undefined || block.hash === indexed.hash) return block !== undefined;
    await this.#stop("The chain has dropped a block whose movements are in the ledger.", {
      blockNumber: indexed.number.toString(),
      expected: indexed.hash,
      found: block.hash,
    });
    return false;
  }
}
