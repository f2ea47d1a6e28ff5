import type { ByToken, Hex } from "../../domain/tokens.ts";
import type { Environment } from "../identity.ts";
import type { AgentRegistryAddresses } from "./agent-registries.ts";
import type { ChainBlock } from "./chain.ts";

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
