import type { Hex } from "../../domain/tokens.ts";

/** ERC-8004; `forwarder` accepts what a wallet has signed and the relayer sends. */
export interface AgentRegistryAddresses {
  forwarder: Hex;
  identity: Hex;
  reputation: Hex;
  /** Undefined: this chain has no registry of validations. */
  validation?: Hex;
}

export interface ValidationOnChain {
  validator: Hex;
  agentId: bigint;
  /** Undefined: not answered yet. */
  response: number | undefined;
  tag: string;
}

/** Reads reject with Failure `chain_unavailable`, like those of `Chain`. */
export interface AgentRegistries {
  readonly contracts: AgentRegistryAddresses;
  /**
   * Whether they believe the forwarder who calls. Others see the sender alone, so a wallet takes the forwarder as its code
   * (EIP-7702) and sends itself.
   */
  readonly trustForwarder: boolean;
  /** Undefined: no agent has this id. */
  findOwner(agentId: bigint): Promise<Hex | undefined>;
  /**
   * The first agent that this wallet registered. Registries without an index are asked for the transaction that registered
   * it, whose hash `findRegistration` knows.
   */
  findAgent(owner: Hex, findRegistration: () => Promise<Hex | undefined>): Promise<bigint | undefined>;
  /** Undefined: there is no such request, or no registry of validations. */
  validation(requestHash: Hex): Promise<ValidationOnChain | undefined>;
}
