import {
  encodeDeployData,
  getContractAddress,
  keccak256,
  type LocalAccount,
  type PublicClient,
  stringToHex,
} from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { identityRegistryAbi, identityRegistryBytecode } from "../../generated/contracts/identity-registry.ts";
import { paymentBatchAbi, paymentBatchBytecode } from "../../generated/contracts/payment-batch.ts";
import { reputationRegistryAbi, reputationRegistryBytecode } from "../../generated/contracts/reputation-registry.ts";
import { signedCallsAbi, signedCallsBytecode } from "../../generated/contracts/signed-calls.ts";
import { tripEscrowAbi, tripEscrowBytecode } from "../../generated/contracts/trip-escrow.ts";
import { validationRegistryAbi, validationRegistryBytecode } from "../../generated/contracts/validation-registry.ts";
import type { AgentRegistryAddresses, ChainContracts } from "../../ports/chain-networks.ts";
import { reach } from "./client.ts";
import { DEPLOY_GAS, type Sending } from "./development-sending.ts";
import { lowerHex } from "./hex.ts";
import { nativeAmount } from "./native.ts";
import { registration } from "./registry-orders.ts";
import { signCall } from "./signed-calls.ts";

/** Without those that are missing. */
export type LaterContracts = Pick<ChainContracts, "paymentBatch" | "escrow" | "agentRegistries">;

export interface LaterOptions {
  client: PublicClient;
  node: Sending;
  funder: LocalAccount;
  usdc: Hex;
  /** The escrow's owner and operator, and the owner of the first agent. */
  relayer: LocalAccount;
  /** Where the escrow's service fees go. */
  collection: Hex;
  /** What was deployed before, if it is still there. */
  known: LaterContracts;
}

const GRACE_SECONDS = 604_800n;
const OPERATOR_AGENT_URI = "urn:wayfare:operator";

/**
 * The contracts that came after the first ones, whose addresses follow from the relayer's first nonces: the funder deploys them, also
 * on a chain that was there before, and while the relayer has transactions under way. After a crash between this and storing their
 * addresses they are deployed again.
 */
export async function deployLater(options: LaterOptions): Promise<Required<LaterContracts>> {
  const { node, funder, usdc, collection, known } = options;
  const relayer = options.relayer.address;

  const paymentBatch = await ensure(known.paymentBatch, () =>
    deploy("payment batch", encodeDeployData({ abi: paymentBatchAbi, bytecode: paymentBatchBytecode })),
  );
  const escrow = await ensure(known.escrow, () => {
    const args = [usdc, relayer, relayer, collection, GRACE_SECONDS] as const;
    return deploy("trip escrow", encodeDeployData({ abi: tripEscrowAbi, bytecode: tripEscrowBytecode, args }));
  });
  const { agentRegistries } = known;
  const isThere = agentRegistries !== undefined && (await haveCode(Object.values(agentRegistries)));
  return { paymentBatch, escrow, agentRegistries: isThere ? agentRegistries : await deployRegistries() };

  async function ensure(address: Hex | undefined, make: () => Promise<Hex>): Promise<Hex> {
    return address !== undefined && (await node.hasCode(address)) ? address : await make();
  }

  async function haveCode(addresses: readonly Hex[]): Promise<boolean> {
    return (await Promise.all(addresses.map(node.hasCode))).every((has) => has);
  }

  async function deploy(name: string, data: Hex): Promise<Hex> {
    const nonce = await node.nonceOf(funder.address);
    await node.send(funder, nonce, { name, to: undefined, data, gas: DEPLOY_GAS, value: nativeAmount(0n) });
    const address = lowerHex(getContractAddress({ from: funder.address, nonce: BigInt(nonce) }));
    if (!(await node.hasCode(address))) throw new Error(`no contract came to be at ${address}`);
    return address;
  }

  async function deployRegistries(): Promise<AgentRegistryAddresses> {
    const forwarder = await deploy(
      "signed calls",
      encodeDeployData({ abi: signedCallsAbi, bytecode: signedCallsBytecode }),
    );
    const identity = await deploy(
      "identity registry",
      encodeDeployData({ abi: identityRegistryAbi, bytecode: identityRegistryBytecode, args: [forwarder] }),
    );
    const args = [forwarder, identity] as const;
    const reputation = await deploy(
      "reputation registry",
      encodeDeployData({ abi: reputationRegistryAbi, bytecode: reputationRegistryBytecode, args }),
    );
    const validation = await deploy(
      "validation registry",
      encodeDeployData({ abi: validationRegistryAbi, bytecode: validationRegistryBytecode, args }),
    );
    await registerOperator(forwarder, identity);
    return { forwarder, identity, reputation, validation };
  }

  /**
   * The operator's own agent is the first one: nobody else knows of the registry yet. The relayer signs it and the funder sends it,
   * since the relayer's nonces are others' business.
   */
  async function registerOperator(forwarder: Hex, identity: Hex): Promise<void> {
    const name = "the operator's agent";
    const data = await signCall(
      options.relayer,
      { chainId: node.chainId, forwarder },
      {
        from: relayer,
        to: identity,
        data: registration(OPERATOR_AGENT_URI),
        nonce: keccak256(stringToHex(name)),
        deadline: 2n ** 64n,
        relayer: funder.address,
      },
    );
    const nonce = await node.nonceOf(funder.address);
    await node.send(funder, nonce, { name, to: forwarder, data, gas: DEPLOY_GAS, value: nativeAmount(0n) });
    const agentId = await reach(() =>
      options.client.readContract({
        address: identity,
        abi: identityRegistryAbi,
        functionName: "agentOf",
        args: [relayer],
      }),
    );
    if (agentId !== 1n) throw new Error(`the operator's agent has the number ${agentId}`);
  }
}
