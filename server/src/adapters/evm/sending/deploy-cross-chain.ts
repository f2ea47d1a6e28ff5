import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type PublicClient, pad } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { ByToken, Hex } from "../../../domain/tokens.ts";
import { gatewayMinterAbi, gatewayMinterBytecode } from "../../../generated/contracts/gateway-minter.ts";
import { gatewayWalletAbi, gatewayWalletBytecode } from "../../../generated/contracts/gateway-wallet.ts";
import { messageTransmitterAbi, messageTransmitterBytecode } from "../../../generated/contracts/message-transmitter.ts";
import { signedBurnsAbi, signedBurnsBytecode } from "../../../generated/contracts/signed-burns.ts";
import { stablecoinAbi, stablecoinBytecode } from "../../../generated/contracts/stablecoin.ts";
import { swapPoolAbi, swapPoolBytecode } from "../../../generated/contracts/swap-pool.ts";
import { tokenMessengerAbi, tokenMessengerBytecode } from "../../../generated/contracts/token-messenger.ts";
import { tokenMinterAbi, tokenMinterBytecode } from "../../../generated/contracts/token-minter.ts";
import type { CrossChainContracts } from "../../../ports/chain/cross-chain-contracts.ts";
import { reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { nativeAmount, WEI_PER_NATIVE } from "../native.ts";
import { DEPLOY_GAS, openSending, type Step } from "./development-sending.ts";
import { LEAST_GAS } from "./fees.ts";

/** A chain to and from which money goes. */
interface RemoteChain {
  domain: number;
  usdc: Hex;
}

export interface CrossChainSetup {
  domain: number;
  /** The chain's tokens; undefined: they are deployed as well. */
  tokens?: Required<ByToken<Hex>>;
  remotes: readonly RemoteChain[];
  /** The addresses of the keys that attest messages to this chain, and how many of them must sign. */
  attesters: readonly Hex[];
  attesterThreshold: number;
  /** Attests mints of the Gateway on this chain, and attests and sends burns from it. */
  gatewaySigner: Hex;
  /** Mints test money, and quotes the swap pool's rates. */
  relayer: Hex;
  feeRecipient: Hex;
}

interface DeployCrossChainOptions {
  client: PublicClient;
  /** Used by these deployments alone, and the same on every chain: then the contracts have the same addresses everywhere. */
  deployerKey: Hex;
  /** Has native gas from the first block on. */
  funderKey: Hex;
  setup: CrossChainSetup;
  timeoutMilliseconds?: number;
}

const GAS_TO_GIVE = nativeAmount(1_000n * WEI_PER_NATIVE);
const ENOUGH_TO_MINT = 10n ** 18n;
const CALL_GAS = 150_000n;
const TIMEOUT_MILLISECONDS = 30_000;
const MESSAGE_VERSION = 1;
const LARGEST_BODY_BYTES = 8_192n;
const UNIT = 1_000_000n;
const LARGEST_BURN = 10_000_000n * UNIT;
const WITHDRAWAL_DELAY_BLOCKS = 20n;
const POOL = {
  inventory: 1_000_000n * UNIT,
  mostPerSwap: 50_000n * UNIT,
  leastInventory: 10_000n * UNIT,
  spreadBps: 10n,
  // US dollars for one euro, times 1e18: wide enough for years of rates.
  leastRate: 5n * 10n ** 17n,
  mostRate: 2n * 10n ** 18n,
} as const;

/**
 * Deploys the bridge, the Gateway and the swap pool, and on a further chain its tokens. Each step uses the nonce of its position in
 * the list: after a crash, the steps with used nonces are done and the rest follow. Run it in one process at a time.
 *
 * On a chain that has its tokens, their master minter must then appoint the minters (`listMinters`).
 */
export async function deployCrossChain(options: DeployCrossChainOptions): Promise<CrossChainContracts> {
  const { client, setup, timeoutMilliseconds = TIMEOUT_MILLISECONDS } = options;
  const deployer = privateKeyToAccount(options.deployerKey);
  const { contracts, deployed, steps } = plan(lowerHex(deployer.address), setup);
  const node = await openSending(client, performance.now() + timeoutMilliseconds);
  const funder = privateKeyToAccount(options.funderKey);
  const poor: Hex[] = [];
  for (const address of [lowerHex(deployer.address), setup.relayer, setup.gatewaySigner]) {
    if ((await node.readBalance(address)).wei < GAS_TO_GIVE.wei / 2n) poor.push(address);
  }
  const gifts = poor.map((to): Step => ({ name: `gas for ${to}`, to, data: "0x", gas: LEAST_GAS, value: GAS_TO_GIVE }));
  if (gifts.length > 0) await node.send(funder, await node.readNonce(funder.address), gifts);
  const nonce = await node.readNonce(deployer.address);
  if (nonce < steps.length) await node.send(deployer, nonce, steps.slice(nonce));
  const missing = await Promise.all(deployed.map(async (address) => !(await node.hasCode(address))));
  if (missing.includes(true))
    throw new Error("contracts of the bridge, the Gateway or the swap pool did not come to be");
  await requireLinks(client, contracts, setup);
  return contracts;
}

/** The calls with which the master minter of the tokens lets these contracts mint and burn. */
export function listMinters({ tokens, tokenMinter, gatewayWallet, gatewayMinter }: CrossChainContracts) {
  return [
    { token: tokens.USDC, minter: tokenMinter, allowance: ENOUGH_TO_MINT },
    { token: tokens.USDC, minter: gatewayMinter, allowance: ENOUGH_TO_MINT },
    // It burns, which only minters may, and mints nothing.
    { token: tokens.USDC, minter: gatewayWallet, allowance: 0n },
  ];
}

/** The first money of the swap pool, on a chain that has its tokens: their minter mints it. */
export const FIRST_INVENTORY = POOL.inventory;

/** Where the contracts are, or will be, by the address of the deployer. `tokens`: those that the chain has already. */
export function locateCrossChain(deployer: Hex, tokens?: Required<ByToken<Hex>>): CrossChainContracts {
  const addressAt = (nonce: bigint) => lowerHex(getContractAddress({ from: deployer, nonce }));
  return {
    tokens: tokens ?? { USDC: addressAt(0n), EURC: addressAt(1n) },
    transmitter: addressAt(2n),
    messenger: addressAt(3n),
    tokenMinter: addressAt(4n),
    signedBurns: addressAt(5n),
    gatewayWallet: addressAt(6n),
    gatewayMinter: addressAt(7n),
    swapPool: addressAt(8n),
  };
}

function plan(owner: Hex, setup: CrossChainSetup) {
  const contracts = locateCrossChain(owner, setup.tokens);
  const { tokens, ...others } = contracts;
  const deployed = [tokens.USDC, tokens.EURC, ...Object.values(others)];
  const steps = [
    ...deployTokens(owner, setup),
    ...deployBridge(owner, contracts, setup),
    ...deployGateway(owner, contracts, setup),
    deploy("swap pool", swapPoolAbi, swapPoolBytecode, [tokens.USDC, tokens.EURC, owner, setup.relayer]),
    ...configureBridge(contracts, setup),
    ...configurePool(contracts),
    ...(setup.tokens === undefined ? mintMoney(owner, contracts, setup) : []),
  ];
  return { contracts, deployed, steps };
}

const deploy = (name: string, abi: Abi, bytecode: Hex, args: readonly unknown[]): Step => ({
  name,
  to: undefined,
  data: encodeDeployData({ abi, bytecode, args }),
  gas: DEPLOY_GAS,
});

const call = (to: Hex, abi: Abi, functionName: string, args: readonly unknown[]): Step => ({
  name: `${functionName} of ${to}`,
  to,
  data: encodeFunctionData({ abi, functionName, args }),
  gas: CALL_GAS,
});

/** Where the tokens are there already, two steps without effect keep the later contracts at their addresses. */
function deployTokens(owner: Hex, { tokens }: CrossChainSetup): Step[] {
  if (tokens !== undefined) {
    const nothing = (name: string): Step => ({ name, to: owner, data: "0x", gas: LEAST_GAS });
    return [nothing("no USDC"), nothing("no EURC")];
  }
  const coin = (name: string, currency: string) =>
    deploy(name, stablecoinAbi, stablecoinBytecode, [name, name, currency, owner]);
  return [coin("USDC", "USD"), coin("EURC", "EUR")];
}

function deployBridge(owner: Hex, { transmitter, messenger }: CrossChainContracts, setup: CrossChainSetup): Step[] {
  const { domain, attesters, attesterThreshold, feeRecipient } = setup;
  const ofTransmitter = [domain, MESSAGE_VERSION, owner, attesters, BigInt(attesterThreshold), LARGEST_BODY_BYTES];
  const ofMessenger = [transmitter, MESSAGE_VERSION, owner, feeRecipient];
  return [
    deploy("message transmitter", messageTransmitterAbi, messageTransmitterBytecode, ofTransmitter),
    deploy("token messenger", tokenMessengerAbi, tokenMessengerBytecode, ofMessenger),
    deploy("token minter", tokenMinterAbi, tokenMinterBytecode, [owner]),
    deploy("signed burns", signedBurnsAbi, signedBurnsBytecode, [messenger]),
  ];
}

function deployGateway(owner: Hex, { tokens }: CrossChainContracts, setup: CrossChainSetup): Step[] {
  const { domain, gatewaySigner, feeRecipient } = setup;
  const supported = [tokens.USDC];
  const ofWallet = [owner, supported, domain, WITHDRAWAL_DELAY_BLOCKS, gatewaySigner, feeRecipient];
  return [
    deploy("gateway wallet", gatewayWalletAbi, gatewayWalletBytecode, ofWallet),
    deploy("gateway minter", gatewayMinterAbi, gatewayMinterBytecode, [owner, supported, domain, gatewaySigner]),
  ];
}

/** The contracts of other chains are at the same addresses, except their tokens. */
function configureBridge(
  { tokens, messenger, tokenMinter }: CrossChainContracts,
  { remotes }: CrossChainSetup,
): Step[] {
  const atMessenger = (name: string, args: readonly unknown[]) => call(messenger, tokenMessengerAbi, name, args);
  const atMinter = (name: string, args: readonly unknown[]) => call(tokenMinter, tokenMinterAbi, name, args);
  return [
    atMessenger("addLocalMinter", [tokenMinter]),
    atMinter("addLocalTokenMessenger", [messenger]),
    atMinter("setMaxBurnAmountPerMessage", [tokens.USDC, LARGEST_BURN]),
    ...remotes.flatMap(({ domain, usdc }) => [
      atMessenger("addRemoteTokenMessenger", [domain, pad(messenger, { size: 32 })]),
      atMinter("linkTokenPair", [tokens.USDC, domain, pad(usdc, { size: 32 })]),
    ]),
  ];
}

function configurePool({ tokens, swapPool }: CrossChainContracts): Step[] {
  const atPool = (name: string, args: readonly unknown[]) => call(swapPool, swapPoolAbi, name, args);
  return [
    atPool("setTerms", [POOL.spreadBps, POOL.leastRate, POOL.mostRate]),
    atPool("setLimits", [tokens.USDC, POOL.mostPerSwap, POOL.leastInventory]),
    atPool("setLimits", [tokens.EURC, POOL.mostPerSwap, POOL.leastInventory]),
  ];
}

function mintMoney(owner: Hex, contracts: CrossChainContracts, { relayer }: CrossChainSetup): Step[] {
  const { tokens, swapPool } = contracts;
  const atToken = (token: Hex, name: string, args: readonly unknown[]) => call(token, stablecoinAbi, name, args);
  const appoint = (token: Hex, minter: Hex, allowance: bigint) =>
    atToken(token, "configureMinter", [minter, allowance]);
  return [
    ...[tokens.USDC, tokens.EURC].flatMap((token) => [
      appoint(token, owner, POOL.inventory),
      appoint(token, relayer, ENOUGH_TO_MINT),
      atToken(token, "mint", [swapPool, POOL.inventory]),
    ]),
    ...listMinters(contracts).map(({ token, minter, allowance }) => appoint(token, minter, allowance)),
  ];
}

/** A step without effect would show only when the first money does not arrive. */
async function requireLinks(
  client: PublicClient,
  { messenger, tokenMinter, tokens }: CrossChainContracts,
  { remotes }: CrossChainSetup,
): Promise<void> {
  await Promise.all(
    remotes.map(async ({ domain, usdc }) => {
      const [local, remote] = await reach(() =>
        Promise.all([
          client.readContract({
            address: tokenMinter,
            abi: tokenMinterAbi,
            functionName: "getLocalToken",
            args: [domain, pad(usdc, { size: 32 })],
          }),
          client.readContract({
            address: messenger,
            abi: tokenMessengerAbi,
            functionName: "remoteTokenMessengers",
            args: [domain],
          }),
        ]),
      );
      if (lowerHex(local) === tokens.USDC && lowerHex(remote) === pad(messenger, { size: 32 })) return;
      throw new Error(`the bridge does not take money of domain ${domain}`);
    }),
  );
}
