import type { Hex } from "../domain/tokens.ts";
import type { AgentRegistryAddresses } from "./chain-networks.ts";

/** What a wallet of ours does in the registries of ERC-8004, signed by it and sent by the relayer. */
export type AgentRegistryAction =
  | { name: "register"; agentUri: string }
  | {
      name: "give_feedback";
      agentId: bigint;
      stars: number;
      tag: string;
      feedbackUri: string;
      feedbackHash: Hex;
    }
  | { name: "request_validation"; validator: Hex; agentId: bigint; requestUri: string; requestHash: Hex }
  | {
      name: "respond_validation";
      requestHash: Hex;
      /** 0 or 100. */
      response: number;
      responseUri: string;
      responseHash: Hex;
      tag: string;
    };

export interface ValidationOnChain {
  validator: Hex;
  agentId: bigint;
  /** Undefined: not answered yet. */
  response: number | undefined;
  tag: string;
}

/** Reads reject with Failure `chain_unavailable`, as everything of `Chain`. */
export interface AgentRegistries {
  readonly contracts: AgentRegistryAddresses;
  /** Undefined: no agent has this id. */
  ownerOf(agentId: bigint): Promise<Hex | undefined>;
  /** The first agent that was registered by this wallet. */
  agentOf(owner: Hex): Promise<bigint | undefined>;
  validation(requestHash: Hex): Promise<ValidationOnChain | undefined>;
}
