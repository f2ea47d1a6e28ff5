import { Failure } from "../../domain/errors.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Chain, ChainBlock } from "../../ports/chain.ts";
import type { ChainNetworks } from "../../ports/chain-networks.ts";
import type { ChainOperations } from "../../ports/chain-operation.ts";
import type { ChainSender } from "../../ports/chain-sender.ts";
import type { Log } from "../../ports/log.ts";
import type { Wallets } from "../../ports/wallets.ts";
import type { OwnedMovement } from "../ledger/ledger.ts";
import { ownMovements } from "../ledger/wallet-owners.ts";

export interface ChainIndexerOptions {
  chain: Chain;
  operations: ChainOperations;
  sender: Pick<ChainSender, "authorization">;
  stores: Stores;
  wallets: Pick<Wallets, "findByAddress">;
  networks: ChainNetworks;
  /** Whether the database was away and the same can succeed later. */
  isTransient(error: unknown): boolean;
  log: Log;
  /** Blocks that are read again each time: of several nodes behind one address, one that lags has no events of the newest. */
  overlapBlocks?: number;
}

const BLOCKS_AT_ONCE = 2_000n;
const OPEN_AT_MOST = 1_000;
const POSTED_AT_ONCE = 200;
/** So often the same question is asked again before a movement counts as a stranger's. */
const MOST_DOUBTS = 10;

/** Whether it leaves a wallet of ours. What leaves the escrow does so by its own rules, and anybody may see to it. */
const isOfWallet = ({ from }: OwnedMovement): boolean => from !== undefined && from.kind !== "escrow";

/**
 * Posts every movement of our wallets and of the escrow that is not posted yet: deposits of strangers, and whatever a crash kept the submitter from
 * posting. Safe in several processes at once: postings are tied to their event, and the cursor moves only from where it was read.
 */
export function createChainIndexer(options: ChainIndexerOptions) {
  const { chain, operations, sender, stores, wallets, networks, isTransient, log } = options;
  const { network } = chain;
  /** By transaction: how often it was unclear whose it is. */
  const doubts = new Map<string, number>();

  async function stop(reason: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    if (await networks.stop(network, reason)) log.error({ ...fields, network }, reason);
  }

  /**
   * Money that leaves one of our wallets does so by a transaction, or at least by an authorization, of ours. Unclear: an operation that
   * would do the same can still be carried out, and the node that was asked may only lag behind the one that knows of the movement.
   */
  async function whose(
    { movement }: OwnedMovement,
    known: ReadonlySet<string>,
  ): Promise<"ours" | "a stranger's" | "unclear"> {
    if (known.has(movement.transactionHash)) return "ours";
    let isUnclear = false;
    for (const transaction of await stores.chainTransactions.listOpen(network, OPEN_AT_MOST)) {
      const { operation: stored } = transaction;
      const operation = operations.of(stored);
      // Also what is only queued: sent before it was queued again, or before the database came back from a backup.
      if (operation.outgoing(stored)?.from !== movement.from) continue;
      const authorization = await sender.authorization(transaction);
      if (authorization.kind === "done" && authorization.receipt.hash === movement.transactionHash) return "ours";
      if (authorization.kind === "open" && operation.isMovedBy(stored, movement)) isUnclear = true;
    }
    // The submitter may have finished it between the two questions.
    const again = await stores.chainTransactions.knownHashes(network, [movement.transactionHash]);
    if (again.has(movement.transactionHash)) return "ours";
    const times = (doubts.get(movement.transactionHash) ?? 0) + 1;
    doubts.set(movement.transactionHash, times);
    return isUnclear && times < MOST_DOUBTS ? "unclear" : "a stranger's";
  }

  /** One by one where that fails, which tells the one that does not fit. */
  async function postAll(owned: readonly OwnedMovement[]): Promise<void> {
    for (let index = 0; index < owned.length; index += POSTED_AT_ONCE) {
      const some = owned.slice(index, index + POSTED_AT_ONCE);
      try {
        await stores.ledger.postMovements(network, some);
      } catch (error) {
        if (isTransient(error)) throw error;
        for (const one of some) await post(one);
      }
    }
  }

  async function post(owned: OwnedMovement): Promise<void> {
    try {
      await stores.ledger.postMovements(network, [owned]);
    } catch (error) {
      if (!isTransient(error) && !(error instanceof Failure)) {
        const { transactionHash, logIndex } = owned.movement;
        await stop("A movement on the chain does not fit the books.", { err: error, transactionHash, logIndex });
      }
      throw error;
    }
  }

  /** True: the block that was read last is still there. One that is missing may only not have reached the node that answers. */
  async function isSameChain(indexed: ChainBlock): Promise<boolean> {
    const block = await chain.block(indexed.number);
    if (block === undefined || block.hash === indexed.hash) return block !== undefined;
    await stop("The chain has dropped a block whose movements are in the books.", {
      blockNumber: indexed.number.toString(),
      expected: indexed.hash,
      found: block.hash,
    });
    return false;
  }

  return {
    /** Reads one range of blocks; true: there may be more. Rejects when the network or the database is away. */
    async runOnce(): Promise<boolean> {
      const state = await networks.get(network);
      if (state === undefined) return false;
      const { indexed } = state;
      const head = await chain.head();
      if (!(await isSameChain(indexed)) || head.number <= indexed.number) return false;
      const last = indexed.number + BLOCKS_AT_ONCE;
      const to = head.number <= last ? head : await chain.block(last);
      if (to === undefined) return false;
      const from = indexed.number + 1n - BigInt(options.overlapBlocks ?? 0);
      const movements = await chain.movements(from > 0n ? from : 0n, to.number);
      // After the blocks: whoever pays into a wallet has learnt its address from a row that was there before.
      const owned = await ownMovements(wallets, chain, movements);
      const leaving = owned.filter(isOfWallet).map(({ movement }) => movement.transactionHash);
      const known = await stores.chainTransactions.knownHashes(network, leaving);
      const ours: OwnedMovement[] = [];
      for (const one of owned) {
        const origin = isOfWallet(one) ? await whose(one, known) : "ours";
        if (origin === "ours") {
          ours.push(one);
          continue;
        }
        if (origin === "unclear") {
          await postAll(ours);
          return false;
        }
        // Of blocks that are read again the operator may have accepted it; what he has not, the reconciler finds.
        if (one.movement.blockNumber <= indexed.number) continue;
        const { transactionHash, logIndex, from: wallet, amount, token } = one.movement;
        const fields = { transactionHash, logIndex, wallet, token, amount: amount.toString() };
        await stop(`Money left a wallet by a transaction that is not ours: ${transactionHash}.`, fields);
      }
      await postAll(ours);
      await networks.advance(network, indexed, to);
      doubts.clear();
      return to.number < head.number;
    },
  };
}
