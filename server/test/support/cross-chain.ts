import { type Abi, type Address, createWalletClient, defineChain, http, pad, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../src/domain/tokens.ts";
import { gatewayMinterAbi, gatewayMinterBytecode } from "../../src/generated/contracts/gateway-minter.ts";
import { gatewayWalletAbi, gatewayWalletBytecode } from "../../src/generated/contracts/gateway-wallet.ts";
import {
  messageTransmitterAbi,
  messageTransmitterBytecode,
} from "../../src/generated/contracts/message-transmitter.ts";
import { signedBurnsAbi, signedBurnsBytecode } from "../../src/generated/contracts/signed-burns.ts";
import { stablecoinAbi, stablecoinBytecode } from "../../src/generated/contracts/stablecoin.ts";
import { tokenMessengerAbi, tokenMessengerBytecode } from "../../src/generated/contracts/token-messenger.ts";
import { tokenMinterAbi, tokenMinterBytecode } from "../../src/generated/contracts/token-minter.ts";
import { startDevChain } from "./dev-chain.ts";

const ENOUGH_TO_MINT = 10n ** 18n;
const LARGEST_BURN = 10n ** 13n;
const LARGEST_BODY = 8_192n;
const MESSAGE_VERSION = 1;

export const word = (address: Address): Hex => pad(address, { size: 32 });

/** A chain of its own with a token, and an account that owns everything on it and has gas. */
async function startTokenChain(chainId: number, domain: number) {
  const devChain = await startDevChain({ chainId });
  const account = privateKeyToAccount(devChain.funderKey);
  const chain = defineChain({
    id: chainId,
    name: "test",
    nativeCurrency: { name: "USDC", symbol: "USDC", decimals: 18 },
    rpcUrls: { default: { http: [devChain.url] } },
  });
  const client = createWalletClient({ account, chain, transport: http(), pollingInterval: 20 }).extend(publicActions);

  /** Waits for a transaction and fails if it was reverted. */
  async function settle(sent: Promise<Hex>) {
    const receipt = await client.waitForTransactionReceipt({ hash: await sent });
    if (receipt.status !== "success") throw new Error(`reverted: ${receipt.transactionHash}`);
    return receipt;
  }

  async function deploy(parameters: { abi: Abi; bytecode: Hex; args: readonly unknown[] }): Promise<Address> {
    const { contractAddress } = await settle(client.deployContract(parameters));
    if (!contractAddress) throw new Error("nothing was deployed");
    return contractAddress;
  }

  const owner = account.address;
  const args = ["USDC", "USDC", "USD", owner];
  const token = await deploy({ abi: stablecoinAbi, bytecode: stablecoinBytecode, args });
  const usdc = { address: token, abi: stablecoinAbi } as const;
  const allowMinter = (minter: Address, allowance: bigint) =>
    settle(client.writeContract({ ...usdc, functionName: "configureMinter", args: [minter, allowance] }));
  await allowMinter(owner, ENOUGH_TO_MINT);

  return {
    chainId,
    domain,
    client,
    owner,
    token,
    settle,
    deploy,
    allowMinter,
    /** The EIP-712 domain of the token. */
    tokenDomain: { name: "USDC", version: "2", chainId, verifyingContract: token } as const,
    mint: (to: Address, amount: bigint) =>
      settle(client.writeContract({ ...usdc, functionName: "mint", args: [to, amount] })),
    readBalance: (holder: Address) => client.readContract({ ...usdc, functionName: "balanceOf", args: [holder] }),
    close: () => devChain.close(),
  };
}

type TokenChain = Awaited<ReturnType<typeof startTokenChain>>;

/** Two chains, one of them with the id and the domain of Base, the other with those of the Arc test network. */
export async function startTwoChains() {
  const [base, arc] = await Promise.all([startTokenChain(8_453, 6), startTokenChain(5_042_002, 26)]);
  return {
    base,
    arc,
    async close() {
      await Promise.all([base.close(), arc.close()]);
    },
  };
}

/** The bridge on one chain. It takes messages of another chain after `linkBridges`. */
export async function deployBridge(chain: TokenChain, attesters: readonly Address[], feeRecipient: Address) {
  const { client, deploy, settle, owner, token } = chain;
  const threshold = BigInt(attesters.length);
  const transmitter = await deploy({
    abi: messageTransmitterAbi,
    bytecode: messageTransmitterBytecode,
    args: [chain.domain, MESSAGE_VERSION, owner, attesters, threshold, LARGEST_BODY],
  });
  const messenger = await deploy({
    abi: tokenMessengerAbi,
    bytecode: tokenMessengerBytecode,
    args: [transmitter, MESSAGE_VERSION, owner, feeRecipient],
  });
  const minter = await deploy({ abi: tokenMinterAbi, bytecode: tokenMinterBytecode, args: [owner] });
  const signedBurns = await deploy({ abi: signedBurnsAbi, bytecode: signedBurnsBytecode, args: [messenger] });
  const atMessenger = { address: messenger, abi: tokenMessengerAbi } as const;
  const atMinter = { address: minter, abi: tokenMinterAbi } as const;
  await settle(client.writeContract({ ...atMessenger, functionName: "addLocalMinter", args: [minter] }));
  await settle(client.writeContract({ ...atMinter, functionName: "addLocalTokenMessenger", args: [messenger] }));
  await settle(
    client.writeContract({ ...atMinter, functionName: "setMaxBurnAmountPerMessage", args: [token, LARGEST_BURN] }),
  );
  await chain.allowMinter(minter, ENOUGH_TO_MINT);
  return { ...chain, transmitter, messenger, minter, signedBurns };
}

type Bridge = Awaited<ReturnType<typeof deployBridge>>;

/** Lets both take messages of the other. */
export async function linkBridges(one: Bridge, other: Bridge): Promise<void> {
  for (const [bridge, remote] of [
    [one, other],
    [other, one],
  ] as const) {
    const { client, settle } = bridge;
    await settle(
      client.writeContract({
        address: bridge.messenger,
        abi: tokenMessengerAbi,
        functionName: "addRemoteTokenMessenger",
        args: [remote.domain, word(remote.messenger)],
      }),
    );
    await settle(
      client.writeContract({
        address: bridge.minter,
        abi: tokenMinterAbi,
        functionName: "linkTokenPair",
        args: [bridge.token, remote.domain, word(remote.token)],
      }),
    );
  }
}

export async function deployGateway(chain: TokenChain, operator: Address, feeRecipient: Address, delayBlocks: bigint) {
  const tokens = [chain.token];
  const wallet = await chain.deploy({
    abi: gatewayWalletAbi,
    bytecode: gatewayWalletBytecode,
    args: [chain.owner, tokens, chain.domain, delayBlocks, operator, feeRecipient],
  });
  const minter = await chain.deploy({
    abi: gatewayMinterAbi,
    bytecode: gatewayMinterBytecode,
    args: [chain.owner, tokens, chain.domain, operator],
  });
  // It burns, which only minters may, and mints nothing.
  await chain.allowMinter(wallet, 0n);
  await chain.allowMinter(minter, ENOUGH_TO_MINT);
  return { ...chain, wallet, minter };
}
