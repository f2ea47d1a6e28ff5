import type { ByToken, Hex } from "../../domain/tokens.ts";
import type { AgentRegistryAddresses } from "./agent-registries.ts";
import type { ChainBlock } from "./chain.ts";
import type { ChainKey } from "./chain-key.ts";
import type { CrossChainAddresses } from "./cross-chain-contracts.ts";

/** The addresses of our contracts on a chain. */
export interface ChainContracts {
  tokens: ByToken<Hex>;
  splitter?: Hex;
  faucet?: Hex;
  paymentBatch?: Hex;
  escrow?: Hex;
  /** The block at which the escrow's balance was entered as a whole; the ledger tracks movements after it. */
  escrowSince?: number;
  /** The same for EURC in every wallet, if it was added later than USDC. */
  eurcSince?: number;
  agentRegistries?: AgentRegistryAddresses;
  crossChain?: CrossChainAddresses;
}

export interface BoundChain extends ChainKey {
  /** Where everything of its environment happens that names no chain. Each environment has one. */
  isHome: boolean;
  chainId: number;
  genesisHash: Hex;
  /** Undefined: not deployed or configured yet. */
  contracts: ChainContracts | undefined;
  /** Every movement up to this block is posted. */
  indexed: ChainBlock;
  /** The number of escrows that operators have allowed tenants besides the chain's own. */
  furtherEscrows: number;
  /** Why money on this chain is stopped; undefined: it is not. */
  stoppedBecause: string | undefined;
}
