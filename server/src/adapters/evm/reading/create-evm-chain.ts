import { encodeFunctionData, type PublicClient, TransactionReceiptNotFoundError } from "viem";
import { findChainById } from "../../../domain/chains/named-chains.ts";
import { Failure } from "../../../domain/errors.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { faucetAbi } from "../../../generated/contracts/faucet.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import type { ChainContracts } from "../../../ports/chain/bound-chains.ts";
import { type Chain, type ChainBlock, type ChainReceipt, requireToken } from "../../../ports/chain/chain.ts";
import { nameEvmChain } from "../../../ports/chain/chain-key.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import { isRevert, reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { ARC_NATIVE_USDC } from "../native.ts";
import { ChainSetupError } from "../setup-error.ts";
import { openAgentRegistries } from "./agent-registries.ts";
import { checkPaymentBatch } from "./check-payment-batch.ts";
import { checkSplitter } from "./check-splitter.ts";
import { movementSources, readLogs, toMovements, transferTopics } from "./movements.ts";
import { changeWithDust } from "./native-movements.ts";
import { createBridgeReader } from "./read-bridge.ts";
import { createEscrowReader, openEscrow, probeEscrow } from "./read-escrow.ts";
import { createGatewayReader } from "./read-gateway.ts";
import { readPoolTerms } from "./read-swap-pool.ts";
import { readToken } from "./read-tokens.ts";

export interface EvmChainOptions {
  environment: Environment;
  client: PublicClient;
  contracts: ChainContracts;
  confirmations: number;
  clock: Clock;
  /** Its number in the bridge, as its contracts say; undefined: as the interface's table says. */
  domain?: number | undefined;
}

/** A question must be no longer than a contract's creation code may be: 48 kB. */
const BALANCES_AT_ONCE = 100;

/** Reads the chain's identity and verifies its tokens; throws ChainSetupError if the configuration does not match. */
export async function createEvmChain(options: EvmChainOptions): Promise<Chain> {
  const { environment, client, contracts, confirmations } = options;
  if (!Number.isSafeInteger(confirmations) || confirmations < 1) {
    throw new ChainSetupError(`Confirmations are at least 1, not ${confirmations}.`);
  }
  const { chainId, genesisHash } = await readIdentity(client);
  const tokens = await proveTokens(options, chainId);
  const blocks = blockReader(client, confirmations);
  const { headNumber } = blocks;
  const { escrow: address, escrowSince: since, agentRegistries } = contracts;
  const token = tokens.USDC.address;
  const nativeToken = token === ARC_NATIVE_USDC ? "USDC" : undefined;
  const escrows = { client, chainId, token, headNumber };
  return {
    key: { environment, chain: nameEvmChain(chainId) },
    environment,
    chainId,
    genesisHash,
    confirmations,
    tokens,
    nativeToken,
    splitter: contracts.splitter,
    faucet: contracts.faucet,
    paymentBatch: contracts.paymentBatch,
    escrow: address === undefined ? undefined : await openEscrow(escrows, { address, since }),
    escrowAt: (facts) => createEscrowReader(escrows, facts),
    async probeEscrow(named, roles) {
      try {
        return await probeEscrow(escrows, named, roles);
      } catch (error) {
        if (error instanceof ChainSetupError) throw new Failure("conflict", { detail: error.message });
        throw error;
      }
    },
    agentRegistries:
      agentRegistries === undefined
        ? undefined
        : await openAgentRegistries({ client, chainId, contracts: agentRegistries, headNumber }),
    crossChain: { domain: options.domain ?? findChainById(chainId)?.domain, ...contracts.crossChain },
    gateway: createGatewayReader({ client, token, headNumber }),
    bridge: createBridgeReader(client),
    head: blocks.head,
    block: blocks.block,
    ...moneyReader(options, { tokens, nativeToken }, headNumber),
    ...issuerReader(options, tokens),
    swapTerms: (pool) => reach(() => readPoolTerms(client, { tokens }, pool)),
  };
}

type Tokens = Chain["tokens"];

async function proveTokens({ client, contracts }: EvmChainOptions, chainId: number): Promise<Tokens> {
  const { USDC, EURC } = contracts.tokens;
  const [usdc, eurc] = await Promise.all([
    readToken(client, "USDC", USDC, chainId),
    EURC === undefined ? undefined : readToken(client, "EURC", EURC, chainId),
  ]);
  if (contracts.splitter !== undefined) await checkSplitter(client, contracts.splitter, chainId);
  if (contracts.paymentBatch !== undefined) {
    await checkPaymentBatch(client, contracts.paymentBatch, usdc.address, chainId);
  }
  return { USDC: usdc, ...(eurc === undefined ? {} : { EURC: eurc }) };
}

function blockReader(client: PublicClient, confirmations: number) {
  async function headNumber(): Promise<bigint> {
    const latest = await reach(() => client.getBlockNumber());
    const deep = latest - BigInt(confirmations) + 1n;
    return deep < 0n ? 0n : deep;
  }

  async function block(number: bigint): ReturnType<Chain["block"]> {
    const found = await reach(() =>
      client.request({ method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] }),
    );
    if (found?.hash == null) return undefined;
    const at = Temporal.Instant.fromEpochMilliseconds(Number(found.timestamp) * 1000);
    return { number, hash: lowerHex(found.hash), at };
  }

  async function head(): Promise<ChainBlock> {
    const number = await headNumber();
    const found = await block(number);
    if (found !== undefined) return { number, hash: found.hash };
    return await reach(() => Promise.reject(new Error(`block ${number} was there and is gone`)));
  }

  return { headNumber, block, head };
}

/** Reads movements and balances. */
function moneyReader(
  { client, confirmations, contracts: { eurcSince } }: EvmChainOptions,
  { tokens, nativeToken }: Pick<Chain, "tokens" | "nativeToken">,
  headNumber: () => Promise<bigint>,
): Pick<Chain, "balances" | "movements" | "changeWithDust" | "receipt"> {
  const sources = movementSources(tokens, { nativeToken, eurcSince });
  return {
    async balances(symbol, owners, atBlock) {
      const token = tokens[symbol];
      if (token === undefined) return owners.map(() => 0n);
      const balances: bigint[] = [];
      for (let index = 0; index < owners.length; index += BALANCES_AT_ONCE) {
        const some = owners.slice(index, index + BALANCES_AT_ONCE);
        balances.push(...(await reach(() => readBalances(client, token.address, some, atBlock))));
      }
      return balances;
    },

    movements: (fromBlock, toBlock) =>
      reach(async () => {
        const filter = { address: sources.map(({ address }) => address), topics: transferTopics() };
        return toMovements(await readLogs(client, filter, fromBlock, toBlock), sources);
      }),

    changeWithDust: (movement, owner) => reach(() => changeWithDust(client, movement, owner)),

    async receipt(hash) {
      const receipt = await reach(() => readReceipt(client, hash));
      if (receipt === undefined) return undefined;
      if (confirmations > 1 && receipt.blockNumber > (await headNumber())) return undefined;
      const found: ChainReceipt = {
        hash: lowerHex(receipt.transactionHash),
        block: { number: receipt.blockNumber, hash: lowerHex(receipt.blockHash) },
        succeeded: receipt.status === "success",
        isEmpty: receipt.to !== null && lowerHex(receipt.to) === lowerHex(receipt.from),
        movements: toMovements(receipt.logs, sources),
      };
      return found;
    },
  };
}

/** Reads the rules of the tokens' issuer and the faucet. */
function issuerReader(
  { client, contracts, clock }: EvmChainOptions,
  tokens: Tokens,
): Pick<Chain, "isBlocked" | "faucetWaitSeconds"> {
  return {
    isBlocked: (token, address) =>
      reach(async () => {
        const to = tokens[token]?.address;
        if (to === undefined) return false;
        const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "isBlacklisted", args: [address] });
        try {
          const answer = await client.call({ to, data });
          // A token without a block list blocks nobody; it answers nothing or reverts.
          return answer.data !== undefined && BigInt(answer.data) === 1n;
        } catch (error) {
          if (isRevert(error)) return false;
          throw error;
        }
      }),

    faucetWaitSeconds: (token, to) =>
      reach(async () => {
        if (contracts.faucet === undefined) throw new Error("this network has no faucet that we may use");
        const availableAt = await client.readContract({
          address: contracts.faucet,
          abi: faucetAbi,
          functionName: "availableAt",
          args: [requireToken({ tokens }, token).address, to],
        });
        const now = Math.floor(clock.now().epochMilliseconds / 1000);
        return Math.max(0, Number(availableAt) - now);
      }),
  };
}

export async function readIdentity(client: PublicClient): Promise<{ chainId: number; genesisHash: Hex }> {
  return await reach(async () => {
    const [chainId, genesis] = await Promise.all([client.getChainId(), client.getBlock({ blockNumber: 0n })]);
    return { chainId, genesisHash: lowerHex(genesis.hash) };
  });
}

async function readBalances(
  client: PublicClient,
  token: Hex,
  owners: readonly Hex[],
  blockNumber: bigint,
): Promise<readonly bigint[]> {
  return await client.multicall({
    contracts: owners.map((owner) => ({
      address: token,
      abi: stablecoinAbi,
      functionName: "balanceOf" as const,
      args: [owner] as const,
    })),
    allowFailure: false,
    deployless: true,
    batchSize: 0,
    blockNumber,
  });
}

async function readReceipt(client: PublicClient, hash: Hex) {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}
