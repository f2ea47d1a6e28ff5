import type { ByToken, Hex } from "../domain/tokens.ts";
import type { AgentRegistryAddresses } from "./agent-registries.ts";
import type { ChainBlock } from "./chain.ts";
import type { Environment } from "./identity.ts";

/** Where our contracts are on a chain. */
export interface ChainContracts {
  tokens: ByToken<Hex>;
  splitter?: Hex;
  faucet?: Hex;
  paymentBatch?: Hex;
  escrow?: Hex;
  /** The block whose balance of the escrow was booked as a whole; the books hold what moves after it. */
  escrowSince?: number;
  /** The same of EURC, in every wallet, where it was named later than USDC. */
  eurcSince?: number;
  agentRegistries?: AgentRegistryAddresses;
}

export interface BoundChain {
  environment: Environment;
  chainId: number;
  genesisHash: Hex;
  /** Undefined: not deployed or configured yet. */
  contracts: ChainContracts | undefined;
  /** Every movement up to this block is posted. */
  indexed: ChainBlock;
  /** Why money tools stand still; undefined: they do not. */
  stoppedBecause: string | undefined;
}

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
