import { setTimeout as delay } from "node:timers/promises";
import { encodeDeployData, encodeFunctionData, getContractAddress, type LocalAccount, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../domain/tokens.ts";
import { faucetAbi, faucetBytecode } from "../../generated/contracts/faucet.ts";
import { paymentBatchAbi, paymentBatchBytecode } from "../../generated/contracts/payment-batch.ts";
import { settlementSplitterAbi, settlementSplitterBytecode } from "../../generated/contracts/settlement-splitter.ts";
import { stablecoinAbi, stablecoinBytecode } from "../../generated/contracts/stablecoin.ts";
import type { ChainContracts } from "../../ports/chain-networks.ts";
import { broadcast } from "./broadcast.ts";
import { reach } from "./client.ts";
import { createFeeReader, LEAST_GAS } from "./fees.ts";
import { lowerHex } from "./hex.ts";
import { type NativeAmount, nativeAmount, WEI_PER_NATIVE } from "./native.ts";

export interface DeployOptions {
  client: PublicClient;
  /** Fresh: nothing but this deployment has ever used it. It becomes owner and minter. */
  relayerKey: Hex;
  /** Has native gas from the first block on. */
  funderKey: Hex;
  /** Where the batch of payments is; undefined, or without code there: not deployed yet. */
  paymentBatch: Hex | undefined;
  timeoutMs?: number;
}

interface Step {
  name: string;
  /** Undefined: a contract is made. */
  to: Hex | undefined;
  data: Hex;
  gas: bigint;
}

const RELAYER_GAS = nativeAmount(10_000n * WEI_PER_NATIVE);
const RELAYER_GAS_LEAST = nativeAmount(RELAYER_GAS.wei / 2n);
const ENOUGH_TO_MINT = 10n ** 18n;
const DRIP = { amount: 20_000_000n, dailyLimit: 1_000_000_000_000n, cooldownSeconds: 7_200n };
const DEPLOY_GAS = 5_000_000n;
const CALL_GAS = 300_000n;
const TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/**
 * Puts the development contracts on the chain, with the relayer as their owner. Every step has the nonce of its place in the
 * list, and contracts' addresses follow from nonces: after a crash in the middle, the steps whose nonce is used are done and the
 * rest follows. Run it in one process at a time.
 */
export async function deployDevelopment(
  options: DeployOptions,
): Promise<{ contracts: ChainContracts & { paymentBatch: Hex }; nextNonce: number }> {
  const { client, timeoutMs = TIMEOUT_MS } = options;
  const deadline = performance.now() + timeoutMs;
  const relayer = privateKeyToAccount(options.relayerKey);
  const { contracts, steps } = plan(lowerHex(relayer.address));
  const node = await openSending(client, deadline);
  const funder = privateKeyToAccount(options.funderKey);
  await fund(node, funder, lowerHex(relayer.address));
  for (let nonce = await node.nonceOf(relayer.address); nonce < steps.length; nonce += 1) {
    const step = steps[nonce];
    if (step === undefined) break;
    await node.send(relayer, nonce, { ...step, value: nativeAmount(0n) });
  }
  await requireCode(client, contracts);
  const paymentBatch = await deployPaymentBatch(node, funder, options.paymentBatch);
  return { contracts: { ...contracts, paymentBatch }, nextNonce: steps.length };
}

/**
 * It came later than the contracts above, whose addresses follow from the relayer's first nonces, and it belongs to nobody: the
 * funder deploys it, also on a chain that was there before. After a crash between this and storing its address it is deployed again.
 */
async function deployPaymentBatch(node: Sending, funder: LocalAccount, known: Hex | undefined): Promise<Hex> {
  if (known !== undefined && (await node.hasCode(known))) return known;
  const data = encodeDeployData({ abi: paymentBatchAbi, bytecode: paymentBatchBytecode });
  const nonce = await node.nonceOf(funder.address);
  const transaction = { name: "payment batch", to: undefined, data, gas: DEPLOY_GAS, value: nativeAmount(0n) };
  await node.send(funder, nonce, transaction);
  const address = lowerHex(getContractAddress({ from: funder.address, nonce: BigInt(nonce) }));
  if (!(await node.hasCode(address))) throw new Error(`no contract came to be at ${address}`);
  return address;
}

function plan(owner: Hex): { contracts: ChainContracts & { splitter: Hex; faucet: Hex }; steps: Step[] } {
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

interface Sending {
  nonceOf(address: Hex): Promise<number>;
  balanceOf(address: Hex): Promise<NativeAmount>;
  hasCode(address: Hex): Promise<boolean>;
  /** Resolves when a transaction with that nonce is in a block, and throws when this one is there without effect. */
  send(
    account: LocalAccount,
    nonce: number,
    transaction: Omit<Step, "to"> & { to: Hex | undefined; value: NativeAmount },
  ): Promise<void>;
}

async function openSending(client: PublicClient, deadline: number): Promise<Sending> {
  const chainId = await reach(() => client.getChainId());
  const readFees = createFeeReader(client);
  const nonceOf: Sending["nonceOf"] = (address) => reach(() => client.getTransactionCount({ address }));
  return {
    nonceOf,
    balanceOf: async (address) => nativeAmount(await reach(() => client.getBalance({ address }))),
    hasCode: (address) => hasCode(client, address),
    async send(account, nonce, { name, to, data, gas, value }) {
      const fees = await readFees();
      const raw = await account.signTransaction({
        type: "eip1559",
        chainId,
        nonce,
        ...(to === undefined ? {} : { to }),
        data,
        gas,
        value: value.wei,
        maxFeePerGas: fees.maxFeePerGas.wei * 2n,
        maxPriorityFeePerGas: fees.maxPriorityFeePerGas.wei,
      });
      const answer = await broadcast(client, raw);
      // Underpriced: the same step waits there already, sent before a crash.
      if (answer.kind === "refused") throw new Error(`the development chain refuses ${name}: ${answer.reason}`);
      if (answer.kind === "unfunded") throw new Error(`there is no gas for ${name} on the development chain`);
      while ((await nonceOf(account.address)) <= nonce) {
        if (performance.now() > deadline) throw new Error(`the development chain does not take up ${name}`);
        await delay(POLL_MS);
      }
    },
  };
}

async function fund(node: Sending, funder: LocalAccount, relayer: Hex): Promise<void> {
  const balance = await node.balanceOf(relayer);
  if (balance.wei >= RELAYER_GAS_LEAST.wei) return;
  const transaction = {
    name: "gas for the relayer",
    to: relayer,
    data: "0x",
    gas: LEAST_GAS,
    value: RELAYER_GAS,
  } as const;
  await node.send(funder, await node.nonceOf(funder.address), transaction);
}

async function hasCode(client: PublicClient, address: Hex): Promise<boolean> {
  const code = await reach(() => client.getCode({ address }));
  return code !== undefined && code !== "0x";
}

/** A step that had no effect leaves no code, or tokens that nobody can mint. */
async function requireCode(client: PublicClient, contracts: ReturnType<typeof plan>["contracts"]): Promise<void> {
  const { tokens, faucet, splitter } = contracts;
  for (const address of [tokens.USDC, tokens.EURC, faucet, splitter]) {
    if (!(await hasCode(client, address))) throw new Error(`no contract came to be at ${address}`);
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
