import { encodeFunctionData, type LocalAccount } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { identityRegistryAbi } from "../../generated/contracts/identity-registry.ts";
import { reputationRegistryAbi } from "../../generated/contracts/reputation-registry.ts";
import { validationRegistryAbi } from "../../generated/contracts/validation-registry.ts";
import type { AgentRegistryAction } from "../../ports/agent-registries.ts";
import type { AgentRegistryAddresses } from "../../ports/chain-networks.ts";
import type { Payload } from "./sign-order.ts";
import { type SignedCall, signCall } from "./signed-calls.ts";

/** Measured with short texts, and half as much again. */
const GAS_CEILINGS: Readonly<Record<AgentRegistryAction["name"], bigint>> = {
  register: 240_000n,
  give_feedback: 320_000n,
  request_validation: 350_000n,
  respond_validation: 280_000n,
};
/** What a byte of text costs, stored and in an event, and half as much again. */
const GAS_PER_BYTE = 1_200n;

export interface RegistryOrder {
  chainId: number;
  contracts: AgentRegistryAddresses;
  action: AgentRegistryAction;
  /** In whose name. */
  account: LocalAccount;
  call: Pick<SignedCall, "from" | "nonce" | "deadline" | "relayer">;
}

export async function registryPayload({ chainId, contracts, action, account, call }: RegistryOrder): Promise<Payload> {
  const { forwarder } = contracts;
  const target = targetOf(contracts, action);
  return {
    to: forwarder,
    data: await signCall(account, { chainId, forwarder }, { ...call, ...target }),
    gasCeiling: GAS_CEILINGS[action.name] + BigInt(textBytes(action)) * GAS_PER_BYTE,
  };
}

function targetOf(
  { identity, reputation, validation }: AgentRegistryAddresses,
  action: AgentRegistryAction,
): Pick<SignedCall, "to" | "data"> {
  switch (action.name) {
    case "register":
      return { to: identity, data: registration(action.agentUri) };
    case "give_feedback": {
      const { agentId, stars, tag, feedbackUri, feedbackHash } = action;
      const args = [agentId, BigInt(stars), 0, tag, "", "", feedbackUri, feedbackHash] as const;
      return {
        to: reputation,
        data: encodeFunctionData({ abi: reputationRegistryAbi, functionName: "giveFeedback", args }),
      };
    }
    case "request_validation": {
      const { validator, agentId, requestUri, requestHash } = action;
      const args = [validator, agentId, requestUri, requestHash] as const;
      return {
        to: validation,
        data: encodeFunctionData({ abi: validationRegistryAbi, functionName: "validationRequest", args }),
      };
    }
    case "respond_validation": {
      const { requestHash, response, responseUri, responseHash, tag } = action;
      const args = [requestHash, response, responseUri, responseHash, tag] as const;
      return {
        to: validation,
        data: encodeFunctionData({ abi: validationRegistryAbi, functionName: "validationResponse", args }),
      };
    }
  }
}

export function registration(agentUri: string): Hex {
  return encodeFunctionData({ abi: identityRegistryAbi, functionName: "register", args: [agentUri] });
}

function textBytes(action: AgentRegistryAction): number {
  return Object.values(action)
    .filter((value) => typeof value === "string")
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
