import type { Hex } from "../../../domain/tokens.ts";
import type { BoundChain, ChainContracts } from "../../../ports/chain/bound-chains.ts";
import type { ChainBlock } from "../../../ports/chain/chain.ts";
import type { Environment } from "../../../ports/identity.ts";

/** Which chain the money of each environment is on, and how far it has been read. */
export interface BoundChains {
  get(environment: Environment): Promise<BoundChain | undefined>;
  /** The first time; afterwards the stored one answers, whatever it says. */
  bind(environment: Environment, chain: { chainId: number; genesisHash: Hex; head: ChainBlock }): Promise<BoundChain>;
  setContracts(environment: Environment, contracts: ChainContracts): Promise<void>;
  /** False: somebody else was quicker. */
  advance(environment: Environment, from: ChainBlock, to: ChainBlock): Promise<boolean>;
  /** The first reason stays until `resume`. True: it moved until now. */
  stop(environment: Environment, reason: string): Promise<boolean>;
  /** True: it stood still. */
  resume(environment: Environment): Promise<boolean>;
}
