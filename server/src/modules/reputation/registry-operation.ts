import { encodeEventTopics, encodeFunctionData } from "viem";
import { z } from "zod";
import { type SignedCall, signedCallMessage } from "../../domain/signed-calls.ts";
import { StoredAddress, StoredHash, StoredInteger, StoredToken } from "../../domain/stored-fields.ts";
import type { Hex } from "../../domain/tokens.ts";
import { identityRegistryAbi } from "../../generated/contracts/identity-registry.ts";
import { reputationRegistryAbi } from "../../generated/contracts/reputation-registry.ts";
import { signedCallsAbi } from "../../generated/contracts/signed-calls.ts";
import { validationRegistryAbi } from "../../generated/contracts/validation-registry.ts";
import { defineChainOperation } from "../../kernel/contracts/chain-operation.ts";
import type { AgentRegistries, AgentRegistryAddresses } from "../../ports/chain/agent-registries.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { OperationCall } from "../../ports/chain/chain-operation.ts";

/** The actions of our wallets in the ERC-8004 registries. */
const RegistryAction = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("register"), agentUri: z.string() }),
  z.strictObject({
    name: z.literal("give_feedback"),
    agentId: StoredInteger,
    stars: z.int().min(1).max(5),
    tag: z.string(),
    feedbackUri: z.string(),
    feedbackHash: StoredHash,
  }),
  z.strictObject({
    name: z.literal("request_validation"),
    validator: StoredAddress,
    agentId: StoredInteger,
    requestUri: z.string(),
    requestHash: StoredHash,
  }),
  z.strictObject({
    name: z.literal("respond_validation"),
    requestHash: StoredHash,
    /** 0 or 100. */
    response: z.int().min(0).max(100),
    responseUri: z.string(),
    responseHash: StoredHash,
    tag: z.string(),
  }),
]);
export type RegistryAction = z.output<typeof RegistryAction>;

const RegistryEntry = z.strictObject({ token: StoredToken, from: StoredAddress, action: RegistryAction });
type RegistryCall = OperationCall<z.output<typeof RegistryEntry>>;

/** Measured with short texts, plus 50 %. */
const GAS: Readonly<Record<RegistryAction["name"], bigint>> = {
  register: 240_000n,
  give_feedback: 320_000n,
  request_validation: 350_000n,
  respond_validation: 280_000n,
};
/** The gas of a byte of text, stored and in an event, plus 50 %. */
const GAS_PER_BYTE = 1_200n;
/** Giving a wallet its code and calling through it, and the proxies of deployed registries, plus 50 %. */
const AS_WALLET_GAS = 120_000n;

/** An entry in the agent registries, signed by a wallet of ours and sent by the relayer. */
export const registryEntry = defineChainOperation({
  kind: "agent_registry",
  input: RegistryEntry,
  authorize(call) {
    const { forwarder } = requireRegistriesOn(call.site.chain).contracts;
    const typedData = signedCallMessage({ chainId: call.site.chain.chainId, forwarder }, buildSignedCall(call));
    return { kind: "message", from: call.input.from, typedData };
  },
  encode(call, signature) {
    const { contracts, trustForwarder } = requireRegistriesOn(call.site.chain);
    const args = [buildSignedCall(call), signature] as const;
    const data = encodeFunctionData({ abi: signedCallsAbi, functionName: "execute", args });
    return { to: contracts.forwarder, data, ...(trustForwarder ? {} : { codeFor: call.input.from }) };
  },
  gasCeiling({ input: { action }, site }) {
    const gas = GAS[action.name] + BigInt(textBytes(action)) * GAS_PER_BYTE;
    return { gas: requireRegistriesOn(site.chain).trustForwarder ? gas : gas + AS_WALLET_GAS };
  },
  outcome: {
    // The contracts do what they are asked or revert; an empty transaction asked for nothing.
    tookEffect: (_input, { isEmpty }) => !isEmpty,
    // An earlier transaction that the ledger may not know.
    event({ input: { from }, nonce, site }) {
      const forwarder = site.chain.agentRegistries?.contracts.forwarder;
      if (forwarder === undefined) return undefined;
      const args = { from, nonce };
      return {
        address: forwarder,
        topics: encodeEventTopics({ abi: signedCallsAbi, eventName: "CallExecuted", args }),
      };
    },
  },
});

function requireRegistriesOn({ agentRegistries, chainId }: Chain): AgentRegistries {
  if (agentRegistries === undefined) throw new Error(`chain ${chainId} has no registries of agents`);
  return agentRegistries;
}

function requireValidation({ validation }: AgentRegistryAddresses): Hex {
  if (validation === undefined) throw new Error("this chain has no registry of validations");
  return validation;
}

function buildSignedCall({ input: { from, action }, nonce, deadline, site }: RegistryCall): SignedCall {
  return {
    from,
    nonce,
    deadline,
    relayer: site.relayer,
    ...encodeTarget(requireRegistriesOn(site.chain).contracts, action),
  };
}

function encodeTarget(contracts: AgentRegistryAddresses, action: RegistryAction): { to: Hex; data: Hex } {
  const { identity, reputation } = contracts;
  switch (action.name) {
    case "register": {
      const args = [action.agentUri] as const;
      return { to: identity, data: encodeFunctionData({ abi: identityRegistryAbi, functionName: "register", args }) };
    }
    case "give_feedback": {
      const { agentId, stars, tag, feedbackUri, feedbackHash } = action;
      const args = [agentId, BigInt(stars), 0, tag, "", "", feedbackUri, feedbackHash] as const;
      const data = encodeFunctionData({ abi: reputationRegistryAbi, functionName: "giveFeedback", args });
      return { to: reputation, data };
    }
    case "request_validation": {
      const { validator, agentId, requestUri, requestHash } = action;
      const args = [validator, agentId, requestUri, requestHash] as const;
      const data = encodeFunctionData({ abi: validationRegistryAbi, functionName: "validationRequest", args });
      return { to: requireValidation(contracts), data };
    }
    case "respond_validation": {
      const { requestHash, response, responseUri, responseHash, tag } = action;
      const args = [requestHash, response, responseUri, responseHash, tag] as const;
      const data = encodeFunctionData({ abi: validationRegistryAbi, functionName: "validationResponse", args });
      return { to: requireValidation(contracts), data };
    }
  }
}

function textBytes(action: RegistryAction): number {
  return Object.values(action)
    .filter((value) => typeof value === "string")
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
