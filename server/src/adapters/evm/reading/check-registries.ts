import { getContractAddress, hashDomain, type PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { identityRegistryAbi } from "../../../generated/contracts/identity-registry.ts";
import { reputationRegistryAbi } from "../../../generated/contracts/reputation-registry.ts";
import { walletCallsBytecode } from "../../../generated/contracts/wallet-calls.ts";
import type { AgentRegistryAddresses } from "../../../ports/chain/agent-registries.ts";
import { chainUnavailable, isRevert, reach, refusalIn } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { ChainSetupError } from "../setup-error.ts";

const ERC721 = "0x80ac58cd";
/** Deploys nothing: what it would deploy is compared. */
const NOBODY: Hex = "0x00000000000000000000000000000000000a11ce";

/** Deployed registries do not have the function, or do not know our forwarder. */
export async function doesTrustForwarder(
  client: PublicClient,
  { identity, forwarder }: AgentRegistryAddresses,
): Promise<boolean> {
  try {
    return await client.readContract({
      address: identity,
      abi: identityRegistryAbi,
      functionName: "isTrustedForwarder",
      args: [forwarder],
    });
  } catch (error) {
    if (isAnswered(error)) return false;
    throw chainUnavailable(error);
  }
}

/** Throws ChainSetupError for contracts that are not registries of one another, or a wallet code that is not ours. */
export async function checkRegistries({
  client,
  chainId,
  contracts,
}: {
  client: PublicClient;
  chainId: number;
  contracts: AgentRegistryAddresses;
}): Promise<void> {
  const { identity, reputation, validation, forwarder } = contracts;
  const isRegistry = await answer(() =>
    client.readContract({
      address: identity,
      abi: identityRegistryAbi,
      functionName: "supportsInterface",
      args: [ERC721],
    }),
  );
  if (isRegistry !== true) {
    throw new ChainSetupError(
      `The contract at ${identity} on chain ${chainId} is not a registry of agents: check CHAIN_AGENT_IDENTITY.`,
    );
  }
  const linked = [
    ["CHAIN_AGENT_REPUTATION", reputation],
    ["CHAIN_AGENT_VALIDATION", validation],
  ] as const;
  for (const [variable, address] of linked) {
    if (address === undefined) continue;
    const found = await answer(() =>
      client.readContract({ address, abi: reputationRegistryAbi, functionName: "getIdentityRegistry" }),
    );
    if (found !== undefined && lowerHex(found) === identity) continue;
    throw new ChainSetupError(
      `The contract at ${address} on chain ${chainId} does not belong to the registry of agents ${identity}: check ${variable} and CHAIN_AGENT_IDENTITY.`,
    );
  }
  if (await isWalletCalls(client, chainId, forwarder)) return;
  throw new ChainSetupError(
    `The contract at ${forwarder} on chain ${chainId} is not this release's WalletCalls, which wallets take as their code: check CHAIN_WALLET_CALLS.`,
  );
}

/** Whether the code is what our contract deploys, apart from the places where a contract keeps its own address and domain. */
async function isWalletCalls(client: PublicClient, chainId: number, address: Hex): Promise<boolean> {
  const [found, nonce] = await reach(() =>
    Promise.all([client.getCode({ address }), client.getTransactionCount({ address: NOBODY })]),
  );
  const sample = await answer(() => client.call({ account: NOBODY, data: walletCallsBytecode }));
  if (found === undefined || sample?.data === undefined) return false;
  const wouldBe = lowerHex(getContractAddress({ from: NOBODY, nonce: BigInt(nonce) }));
  return withoutPlace(found, chainId, address) === withoutPlace(sample.data, chainId, wouldBe);
}

function withoutPlace(code: Hex, chainId: number, address: Hex): string {
  const domain = hashDomain({
    domain: { name: "SignedCalls", version: "1", chainId: BigInt(chainId), verifyingContract: address },
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "version", type: "string" },
        { name: "chainId", type: "uint256" },
        { name: "verifyingContract", type: "address" },
      ],
    },
  });
  return code.toLowerCase().replaceAll(address.slice(2), "").replaceAll(domain.slice(2), "");
}

/** Undefined: the contract does not answer like this. */
async function answer<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isAnswered(error)) return undefined;
    throw chainUnavailable(error);
  }
}

function isAnswered(error: unknown): boolean {
  if (isRevert(error) || refusalIn(error) !== undefined) return true;
  return error instanceof Error && /returned no data|out of bounds/.test(error.message);
}
