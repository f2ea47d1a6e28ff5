import { createPublicClient, erc20Abi, http, parseAbiItem } from "viem";
import { type Hex, type TokenSymbol, tokenSymbols } from "../../../server/src/domain/tokens.ts";
import type { Quickstart } from "../deployment.ts";

/** A `Transfer` event as the chain has it. */
export interface Transfer {
  token: TokenSymbol;
  from: Hex;
  to: Hex;
  amount: bigint;
  hash: Hex;
  logIndex: number;
  block: bigint;
}

export interface Tip {
  number: bigint;
  hash: Hex;
}

export interface ChainFacts {
  tip: Tip;
  /** All there are, from the first block on, in their order. */
  transfers: readonly Transfer[];
  /** By token and address, at the tip. */
  balances: ReadonlyMap<string, bigint>;
}

/** The chain past the service: its JSON-RPC, read with somebody else's library. */
export interface ChainView {
  tip(): Promise<Tip>;
  transfers(): Promise<readonly Transfer[]>;
  read(addresses: readonly Hex[]): Promise<ChainFacts>;
  /** Undefined: there is no such block. */
  findHash(block: bigint): Promise<Hex | undefined>;
  isMined(hash: Hex): Promise<boolean>;
}

const TRANSFER = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
const TIMEOUT_MILLISECONDS = 60_000;

export const balanceKey = (token: TokenSymbol, address: Hex): string => `${token} ${address}`;

export const lower = (hex: string): Hex => `0x${hex.slice(2).toLowerCase()}`;

export function createChainView({ rpcUrl, usdc, eurc }: Quickstart["chain"]): ChainView {
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: TIMEOUT_MILLISECONDS, retryCount: 0 }),
    cacheTime: 0,
  });
  const addressBySymbol: Readonly<Record<TokenSymbol, Hex>> = { USDC: lower(usdc), EURC: lower(eurc) };

  async function tip(): Promise<Tip> {
    const { number, hash } = await client.getBlock({ blockTag: "latest" });
    return { number, hash };
  }

  async function transfersUpTo(toBlock: bigint): Promise<Transfer[]> {
    const logs = await client.getLogs({
      address: tokenSymbols.map((token) => addressBySymbol[token]),
      event: TRANSFER,
      fromBlock: 0n,
      toBlock,
      strict: true,
    });
    return logs.map(({ address, args, transactionHash, logIndex, blockNumber }) => ({
      token: lower(address) === addressBySymbol.USDC ? "USDC" : "EURC",
      from: lower(args.from),
      to: lower(args.to),
      amount: args.value,
      hash: transactionHash,
      logIndex,
      block: blockNumber,
    }));
  }

  return {
    tip,
    transfers: async () => await transfersUpTo((await tip()).number),

    async read(addresses) {
      const head = await tip();
      const balances = new Map<string, bigint>();
      for (const token of tokenSymbols) {
        for (const address of addresses) {
          const balance = await client.readContract({
            address: addressBySymbol[token],
            abi: erc20Abi,
            functionName: "balanceOf",
            args: [address],
            blockNumber: head.number,
          });
          balances.set(balanceKey(token, address), balance);
        }
      }
      return { tip: head, transfers: await transfersUpTo(head.number), balances };
    },

    async findHash(block) {
      const found = await client.getBlock({ blockNumber: block }).catch(() => undefined);
      return found?.hash;
    },

    async isMined(hash) {
      const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined);
      return receipt !== undefined;
    },
  };
}
