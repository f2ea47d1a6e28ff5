import type { Hex } from "../../../domain/tokens.ts";
import type { BoundChain, ChainContracts } from "../../../ports/chain/bound-chains.ts";
import type { ChainBlock } from "../../../ports/chain/chain.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Environment } from "../../../ports/identity.ts";

/** The chains of each environment's money, and how far each has been read. */
export interface BoundChains {
  get(chain: ChainKey): Promise<BoundChain | undefined>;
  /** Whether money stands still on the chain. */
  isStopped(chain: ChainKey): Promise<boolean>;
  /** The last block of each chain that is in the books, by CAIP-2. */
  listIndexed(environment: Environment): Promise<ReadonlyMap<string, bigint>>;
  findHome(environment: Environment): Promise<BoundChain | undefined>;
  /** For an environment that is in use: throws if it has no chain. */
  requireHome(environment: Environment): Promise<ChainKey>;
  /**
   * Stores the chain the first time; afterwards returns the stored one, even if it differs. An environment has one home
   * chain: binding another one as such returns the first.
   */
  bind(
    environment: Environment,
    chain: { chainId: number; genesisHash: Hex; head: ChainBlock; isHome: boolean },
  ): Promise<BoundChain>;
  setContracts(chain: ChainKey, contracts: ChainContracts): Promise<void>;
  /** False if another process was first, or if there are more escrows to follow than when `from` was read. */
  advance(from: Pick<BoundChain, keyof ChainKey | "indexed" | "furtherEscrows">, to: ChainBlock): Promise<boolean>;
  /** Keeps the first reason until `resume`. True if money was moving until now. */
  stop(chain: ChainKey, reason: string): Promise<boolean>;
  /** True if it was stopped. */
  resume(chain: ChainKey): Promise<boolean>;
  /** Has a stopped chain's books compared at once, as resuming does. */
  compareAgain(chain: ChainKey): Promise<void>;
}
