import type { Hex } from "../../domain/tokens.ts";

/** ERC-8004; `forwarder` accepts what a wallet has signed and the relayer sends. */
export interface AgentRegistryAddresses {
  forwarder: Hex;
  identity: Hex;
  reputation: Hex;
  validation: Hex;
}

interface ValidationOnChain {
  validator: Hex;
  agentId: bigint;
  /** Undefined: not answered yet. */
  response: number | undefined;
  tag: string;
}

/** Reads reject with Failure `chain_unavailable`, like those of `Chain`. */
export interface AgentRegistries {
  readonly contracts: AgentRegistryAddresses;
  /** Undefined: no agent has this id. */
  findOwner(agentId: bigint): Promise<Hex | undefined>;
  /** The first agent that this wallet registered. */
  findAgent(owner: Hex): Promise<bigint | undefined>;
  validation(requestHash: Hex): Promise<ValidationOnChain | undefined>;
}
