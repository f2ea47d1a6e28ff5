import type { Hex } from "../../../domain/tokens.ts";
import type { BoundChain, ChainContracts } from "../../../ports/chain/bound-chains.ts";
import type { ChainBlock } from "../../../ports/chain/chain.ts";
import type { Environment } from "../../../ports/identity.ts";

/** The chain of each environment's money, and how far it has been read. */
export interface BoundChains {
  get(environment: Environment): Promise<BoundChain | undefined>;
  /** Stores the chain the first time; afterwards returns the stored one, even if it differs. */
  bind(environment: Environment, chain: { chainId: number; genesisHash: Hex; head: ChainBlock }): Promise<BoundChain>;
  setContracts(environment: Environment, contracts: ChainContracts): Promise<void>;
  /** False if another process was first. */
  advance(environment: Environment, from: ChainBlock, to: ChainBlock): Promise<boolean>;
  /** Keeps the first reason until `resume`. True if money was moving until now. */
  stop(environment: Environment, reason: string): Promise<boolean>;
  /** True if it was stopped. */
  resume(environment: Environment): Promise<boolean>;
}
