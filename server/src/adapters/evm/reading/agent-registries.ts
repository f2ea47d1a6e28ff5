import type { PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { identityRegistryAbi } from "../../../generated/contracts/identity-registry.ts";
import { validationRegistryAbi } from "../../../generated/contracts/validation-registry.ts";
import type { AgentRegistries, AgentRegistryAddresses } from "../../../ports/chain/agent-registries.ts";
import { isRevert, reach } from "../client.ts";
import { lowerHex } from "../hex.ts";

const NOBODY: Hex = "0x0000000000000000000000000000000000000000";

export interface RegistriesOptions {
  client: PublicClient;
  contracts: AgentRegistryAddresses;
  /** The latest confirmed block. */
  headNumber(): Promise<bigint>;
}

export function createAgentRegistries({ client, contracts, headNumber }: RegistriesOptions): AgentRegistries {
  const identity = { address: contracts.identity, abi: identityRegistryAbi } as const;
  const validations = { address: contracts.validation, abi: validationRegistryAbi } as const;
  return {
    contracts,

    findOwner: (agentId) =>
      reach(async () => {
        const blockNumber = await headNumber();
        try {
          const args = [agentId] as const;
          return lowerHex(await client.readContract({ ...identity, functionName: "ownerOf", args, blockNumber }));
        } catch (error) {
          if (isRevert(error)) return undefined;
          throw error;
        }
      }),

    findAgent: (owner) =>
      reach(async () => {
        const blockNumber = await headNumber();
        const args = [owner] as const;
        const agentId = await client.readContract({ ...identity, functionName: "agentOf", args, blockNumber });
        return agentId === 0n ? undefined : agentId;
      }),

    validation: (requestHash) =>
      reach(async () => {
        const blockNumber = await headNumber();
        const args = [requestHash] as const;
        const found = await client.readContract({ ...validations, functionName: "validations", args, blockNumber });
        if (found.validatorAddress === NOBODY) return undefined;
        const { agentId, response, isAnswered, tag } = found;
        const validator = lowerHex(found.validatorAddress);
        return { validator, agentId, response: isAnswered ? response : undefined, tag };
      }),
  };
}
