import {
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  type LocalAccount,
  type PublicClient,
  stringToHex,
} from "viem";
import { signedCallMessage } from "../../../domain/signed-calls.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { identityRegistryAbi, identityRegistryBytecode } from "../../../generated/contracts/identity-registry.ts";
import { paymentBatchAbi, paymentBatchBytecode } from "../../../generated/contracts/payment-batch.ts";
import { reputationRegistryAbi, reputationRegistryBytecode } from "../../../generated/contracts/reputation-registry.ts";
import { signedCallsAbi, signedCallsBytecode } from "../../../generated/contracts/signed-calls.ts";
import { tripEscrowAbi, tripEscrowBytecode } from "../../../generated/contracts/trip-escrow.ts";
import { validationRegistryAbi, validationRegistryBytecode } from "../../../generated/contracts/validation-registry.ts";
import type { AgentRegistryAddresses } from "../../../ports/chain/agent-registries.ts";
import type { ChainContracts } from "../../../ports/chain/bound-chains.ts";
import { reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { DEPLOY_GAS, type Sending, type Step } from "./development-sending.ts";

/** Without the missing ones. */
export type LaterContracts = Pick<ChainContracts, "paymentBatch" | "escrow" | "agentRegistries">;

export interface LaterOptions {
  client: PublicClient;
  node: Sending;
  funder: LocalAccount;
  usdc: Hex;
  /** The escrow's owner and operator, and the owner of the first agent. */
  relayer: LocalAccount;
  /** The recipient of the escrow's service fees. */
  collection: Hex;
  /** The contracts deployed earlier that still exist. */
  known: LaterContracts;
}

const GRACE_SECONDS = 604_800n;
const OPERATOR_AGENT_URI = "urn:wayfare:operator";

/**
 * Contracts added after the first ones, whose addresses are derived from the relayer's first nonces: the funder deploys them,
 * even on an existing chain and while the relayer has pending transactions. After a crash before their addresses are stored
 * they are deployed again.
 */
export async function deployLater(options: LaterOptions): Promise<Required<LaterContracts>> {
  const { client, node, funder, relayer, usdc, collection, known } = options;
  const owner = lowerHex(relayer.address);
  const first = await node.readNonce(funder.address);
  const steps: Step[] = [];
  const made: Hex[] = [];

  const haveCode = async (addresses: readonly Hex[]): Promise<boolean> =>
    (await Promise.all(addresses.map(node.hasCode))).every((has) => has);

  /** Its future address. */
  function deploy(name: string, data: Hex): Hex {
    const address = lowerHex(getContractAddress({ from: funder.address, nonce: BigInt(first + steps.length) }));
    steps.push({ name, to: undefined, data, gas: DEPLOY_GAS });
    made.push(address);
    return address;
  }

  async function ensure(address: Hex | undefined, make: () => Hex): Promise<Hex> {
    return address !== undefined && (await node.hasCode(address)) ? address : make();
  }

  async function ensureRegistries(): Promise<AgentRegistryAddresses> {
    const { agentRegistries } = known;
    if (agentRegistries !== undefined && (await haveCode(Object.values(agentRegistries)))) return agentRegistries;
    const forwarder = deploy("signed calls", encodeDeployData({ abi: signedCallsAbi, bytecode: signedCallsBytecode }));
    const identity = deploy(
      "identity registry",
      encodeDeployData({ abi: identityRegistryAbi, bytecode: identityRegistryBytecode, args: [forwarder] }),
    );
    const args = [forwarder, identity] as const;
    const reputation = deploy(
      "reputation registry",
      encodeDeployData({ abi: reputationRegistryAbi, bytecode: reputationRegistryBytecode, args }),
    );
    const validation = deploy(
      "validation registry",
      encodeDeployData({ abi: validationRegistryAbi, bytecode: validationRegistryBytecode, args }),
    );
    steps.push(await operatorAgent(forwarder, identity));
    return { forwarder, identity, reputation, validation };
  }

  /**
   * The operator's own agent is the first one: nobody else knows the registry yet. The relayer signs and the funder sends,
   * since the relayer's nonces are used elsewhere.
   */
  async function operatorAgent(forwarder: Hex, identity: Hex): Promise<Step> {
    const name = "the operator's agent";
    const registration = encodeFunctionData({
      abi: identityRegistryAbi,
      functionName: "register",
      args: [OPERATOR_AGENT_URI],
    });
    const call = {
      from: owner,
      to: identity,
      data: registration,
      relayer: funder.address,
      nonce: keccak256(stringToHex(name)),
      deadline: 2n ** 64n,
    };
    const signature = await relayer.signTypedData(signedCallMessage({ chainId: node.chainId, forwarder }, call));
    const data = encodeFunctionData({ abi: signedCallsAbi, functionName: "execute", args: [call, signature] });
    return { name, to: forwarder, data, gas: DEPLOY_GAS };
  }

  const paymentBatch = await ensure(known.paymentBatch, () =>
    deploy("payment batch", encodeDeployData({ abi: paymentBatchAbi, bytecode: paymentBatchBytecode })),
  );
  const escrow = await ensure(known.escrow, () => {
    const args = [usdc, owner, owner, collection, GRACE_SECONDS] as const;
    return deploy("trip escrow", encodeDeployData({ abi: tripEscrowAbi, bytecode: tripEscrowBytecode, args }));
  });
  const agentRegistries = await ensureRegistries();
  if (steps.length > 0) await node.send(funder, first, steps);
  if (!(await haveCode(made)))
    throw new Error(`contracts did not come to be: ${steps.map(({ name }) => name).join(", ")}`);
  if (made.includes(agentRegistries.identity)) await requireFirstAgent(client, agentRegistries.identity, owner);
  return { paymentBatch, escrow, agentRegistries };
}

async function requireFirstAgent(client: PublicClient, address: Hex, owner: Hex): Promise<void> {
  const agentId = await reach(() =>
    client.readContract({ address, abi: identityRegistryAbi, functionName: "agentOf", args: [owner] }),
  );
  if (agentId !== 1n) throw new Error(`the operator's agent has the number ${agentId}`);
}
