import { encodeDeployData, encodeFunctionData, getContractAddress, type LocalAccount, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { ByToken, Hex } from "../../../domain/tokens.ts";
import { faucetAbi, faucetBytecode } from "../../../generated/contracts/faucet.ts";
import { settlementSplitterAbi, settlementSplitterBytecode } from "../../../generated/contracts/settlement-splitter.ts";
import { stablecoinAbi, stablecoinBytecode } from "../../../generated/contracts/stablecoin.ts";
import type { ChainContracts } from "../../../ports/chain/bound-chains.ts";
import { reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { nativeAmount, WEI_PER_NATIVE } from "../native.ts";
import { deployLater, type LaterContracts } from "./deploy-later.ts";
import { DEPLOY_GAS, openSending, type Sending, type Step } from "./development-sending.ts";
import { LEAST_GAS } from "./fees.ts";

export interface DeployOptions {
  client: PublicClient;
  /** Fresh: only this deployment has ever used it. It becomes owner and minter. */
  relayerKey: Hex;
  /** Has native gas from the first block on. */
  funderKey: Hex;
  /** The collection wallet. */
  collection: Hex;
  /** The contracts deployed earlier. */
  known: LaterContracts;
  timeoutMilliseconds?: number;
}

const RELAYER_GAS = nativeAmount(10_000n * WEI_PER_NATIVE);
const RELAYER_GAS_LEAST = nativeAmount(RELAYER_GAS.wei / 2n);
const ENOUGH_TO_MINT = 10n ** 18n;
const DRIP = { amount: 20_000_000n, dailyLimit: 1_000_000_000_000n, cooldownSeconds: 7_200n };
const CALL_GAS = 300_000n;
const TIMEOUT_MILLISECONDS = 30_000;

/**
 * Deploys the development contracts, owned by the relayer. Each step uses the nonce of its position in the list, and contracts'
 * addresses are derived from nonces: after a crash, the steps with used nonces are done and the rest follow. Run it in one
 * process at a time.
 */
export async function deployDevelopment(
  options: DeployOptions,
): Promise<{ contracts: ChainContracts & Required<LaterContracts>; nextNonce: number }> {
  const { client, timeoutMilliseconds = TIMEOUT_MILLISECONDS } = options;
  const deadline = performance.now() + timeoutMilliseconds;
  const relayer = privateKeyToAccount(options.relayerKey);
  const owner = lowerHex(relayer.address);
  const { contracts, steps } = plan(owner);
  const node = await openSending(client, deadline);
  const funder = privateKeyToAccount(options.funderKey);
  await fund(node, funder, owner);
  const nonce = await node.readNonce(relayer.address);
  if (nonce < steps.length) await node.send(relayer, nonce, steps.slice(nonce));
  await requireCode(client, node, contracts);
  const { collection, known } = options;
  const later = await deployLater({ client, node, funder, usdc: contracts.tokens.USDC, relayer, collection, known });
  return { contracts: { ...contracts, ...later }, nextNonce: steps.length };
}

type DevelopmentContracts = ChainContracts & { tokens: Required<ByToken<Hex>>; splitter: Hex; faucet: Hex };

function plan(owner: Hex): { contracts: DevelopmentContracts; steps: Step[] } {
  const addressAt = (nonce: bigint) => lowerHex(getContractAddress({ from: owner, nonce }));
  const [usdc, eurc, faucet, splitter] = [addressAt(0n), addressAt(1n), addressAt(2n), addressAt(3n)];
  const tokens = [usdc, eurc];
  const coin = (name: string, currency: string) =>
    encodeDeployData({ abi: stablecoinAbi, bytecode: stablecoinBytecode, args: [name, name, currency, owner] });
  const deploy = (name: string, data: Hex): Step => ({ name, to: undefined, data, gas: DEPLOY_GAS });
  const mayMint = (token: Hex, minter: Hex): Step => ({
    name: `minter ${minter} of ${token}`,
    to: token,
    data: encodeFunctionData({ abi: stablecoinAbi, functionName: "configureMinter", args: [minter, ENOUGH_TO_MINT] }),
    gas: CALL_GAS,
  });
  const offered = (token: Hex): Step => ({
    name: `drips of ${token}`,
    to: faucet,
    data: encodeFunctionData({
      abi: faucetAbi,
      functionName: "configureDrip",
      args: [token, DRIP.amount, DRIP.dailyLimit, DRIP.cooldownSeconds],
    }),
    gas: CALL_GAS,
  });
  return {
    contracts: { tokens: { USDC: usdc, EURC: eurc }, faucet, splitter },
    steps: [
      deploy("USDC", coin("USDC", "USD")),
      deploy("EURC", coin("EURC", "EUR")),
      deploy("faucet", encodeDeployData({ abi: faucetAbi, bytecode: faucetBytecode, args: [owner] })),
      deploy("splitter", encodeDeployData({ abi: settlementSplitterAbi, bytecode: settlementSplitterBytecode })),
      ...tokens.flatMap((token) => [mayMint(token, owner), mayMint(token, faucet)]),
      ...tokens.map(offered),
    ],
  };
}

async function fund(node: Sending, funder: LocalAccount, relayer: Hex): Promise<void> {
  const balance = await node.readBalance(relayer);
  if (balance.wei >= RELAYER_GAS_LEAST.wei) return;
  const transaction = {
    name: "gas for the relayer",
    to: relayer,
    data: "0x",
    gas: LEAST_GAS,
    value: RELAYER_GAS,
  } as const;
  await node.send(funder, await node.readNonce(funder.address), [transaction]);
}

/** A step without effect leaves no code, or tokens that nobody can mint. */
async function requireCode(
  client: PublicClient,
  node: Sending,
  contracts: ReturnType<typeof plan>["contracts"],
): Promise<void> {
  const { tokens, faucet, splitter } = contracts;
  for (const address of [tokens.USDC, tokens.EURC, faucet, splitter]) {
    if (!(await node.hasCode(address))) throw new Error(`no contract came to be at ${address}`);
  }
  for (const token of [tokens.USDC, tokens.EURC]) {
    const [amount, , , isOpen] = await reach(() =>
      client.readContract({ address: faucet, abi: faucetAbi, functionName: "drips", args: [token] }),
    );
    const canMint = await reach(() =>
      client.readContract({ address: token, abi: stablecoinAbi, functionName: "isMinter", args: [faucet] }),
    );
    if (amount === 0n || !isOpen || !canMint) throw new Error(`the faucet does not offer ${token}`);
  }
}
