import type { PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { identityRegistryAbi } from "../../../generated/contracts/identity-registry.ts";
import { validationRegistryAbi } from "../../../generated/contracts/validation-registry.ts";
import type { AgentRegistries, AgentRegistryAddresses } from "../../../ports/chain/agent-registries.ts";
import { isRevert, reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { checkRegistries, doesTrustForwarder } from "./check-registries.ts";
import { findRegisteredAgent, readValidationStatus } from "./deployed-registries.ts";

const NOBODY: Hex = "0x0000000000000000000000000000000000000000";

export interface RegistriesOptions {
  client: PublicClient;
  chainId: number;
  contracts: AgentRegistryAddresses;
  /** The latest confirmed block. */
  headNumber(): Promise<bigint>;
}

/** Asks the registries what they have. Throws ChainSetupError for contracts that are no registries or belong to others. */
export async function openAgentRegistries(options: RegistriesOptions): Promise<AgentRegistries> {
  const { client, contracts, headNumber } = options;
  const identity = { address: contracts.identity, abi: identityRegistryAbi } as const;
  const trustForwarder = await doesTrustForwarder(client, contracts);
  if (!trustForwarder) await checkRegistries(options);
  return {
    contracts,
    trustForwarder,

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

    ...(trustForwarder
      ? readIndexed(options)
      : {
          findAgent: async (owner, findRegistration) => {
            const hash = await findRegistration();
            return hash && (await reach(() => findRegisteredAgent(client, contracts.identity, { owner, hash })));
          },
          validation: (requestHash) => reach(() => readValidationStatus(options, requestHash)),
        }),
  };
}

/** Reads our own registries, which keep each wallet's first agent and tell no answer from one of zero. */
function readIndexed({
  client,
  contracts,
  headNumber,
}: RegistriesOptions): Pick<AgentRegistries, "findAgent" | "validation"> {
  const { identity, validation } = contracts;
  return {
    findAgent: (owner) =>
      reach(async () => {
        const blockNumber = await headNumber();
        const agentId = await client.readContract({
          address: identity,
          abi: identityRegistryAbi,
          functionName: "agentOf",
          args: [owner],
          blockNumber,
        });
        return agentId === 0n ? undefined : agentId;
      }),

    validation: (requestHash) =>
      reach(async () => {
        if (validation === undefined) return undefined;
        const blockNumber = await headNumber();
        const found = await client.readContract({
          address: validation,
          abi: validationRegistryAbi,
          functionName: "validations",
          args: [requestHash],
          blockNumber,
        });
        if (found.validatorAddress === NOBODY) return undefined;
        const { agentId, response, isAnswered, tag } = found;
        const validator = lowerHex(found.validatorAddress);
        return { validator, agentId, response: isAnswered ? response : undefined, tag };
      }),
  };
}
