import { encodeEventTopics, type Log, type PublicClient, type RpcLog } from "viem";
import type { ByToken, Hex, TokenSymbol } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { HttpFailure } from "../../../platform/http-client/http-failure.ts";
import type { ChainToken, TokenMovement } from "../../../ports/chain/chain.ts";
import { refusalIn } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { NATIVE_COIN_LOG, WEI_PER_MICRO } from "../native.ts";
import { isBusy } from "../rpc.ts";

/** The range that most nodes accept; others refuse it and are asked for less. */
const LARGEST_RANGE = 2_000n;

export interface LogFilter {
  address: Hex | Hex[];
  topics: (Hex | Hex[] | null)[];
}

export const transferTopics = (): [Hex] => {
  const [topic] = encodeEventTopics({ abi: stablecoinAbi, eventName: "Transfer" });
  return [topic];
};

/** Reads the logs of these blocks in order, in ranges that the node accepts. */
export async function readLogs(
  client: PublicClient,
  filter: LogFilter,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<Log[]> {
  const found: Log[] = [];
  for (let from = fromBlock; from <= toBlock; from += LARGEST_RANGE) {
    const to = from + LARGEST_RANGE - 1n;
    found.push(...(await readRange(client, filter, from, to < toBlock ? to : toBlock)));
  }
  return found;
}

async function readRange(client: PublicClient, filter: LogFilter, from: bigint, to: bigint): Promise<Log[]> {
  try {
    const raw = await client.request({
      method: "eth_getLogs",
      params: [{ ...filter, fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }],
    });
    return raw.map(toLog);
  } catch (error) {
    if (from === to || !isTooMuch(error)) throw error;
    const middle = (from + to) / 2n;
    return [...(await readRange(client, filter, from, middle)), ...(await readRange(client, filter, middle + 1n, to))];
  }
}

/** Nodes word their limits differently; any refusal is retried in halves, down to one block. */
function isTooMuch(error: unknown): boolean {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return !isBusy(refusal);
  return causes(error).some((cause) => cause instanceof HttpFailure && cause.problem === "too_large");
}

function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) found.push(cause);
  return found;
}

function toLog(log: RpcLog): Log {
  return {
    ...log,
    blockNumber: log.blockNumber === null ? null : BigInt(log.blockNumber),
    blockTimestamp:
      log.blockTimestamp === undefined || log.blockTimestamp === null ? undefined : BigInt(log.blockTimestamp),
    logIndex: log.logIndex === null ? null : Number(log.logIndex),
    transactionIndex: log.transactionIndex === null ? null : Number(log.transactionIndex),
  };
}

const [TRANSFER] = transferTopics();
/** The event's signature, from and to; the amount is in its data. */
const TRANSFER_TOPICS = 3;
const AMOUNT = /^0x[0-9a-f]{64}$/i;
const addressIn = (topic: Hex): Hex => lowerHex(`0x${topic.slice(-40)}`);

/** Where movements of a token are logged, and how many of the log's units make one of the token's. */
export interface MovementSource {
  token: TokenSymbol;
  address: Hex;
  unit: bigint;
  /** Movements up to this block are part of the ledger's opening balance. Undefined: the ledger has all movements. */
  since: bigint | undefined;
}

/**
 * If gas is paid in a token, all its movements are logged at a system address, including those that the token contract does not
 * log.
 */
export function movementSources(
  tokens: ByToken<ChainToken>,
  { nativeToken, eurcSince }: { nativeToken: TokenSymbol | undefined; eurcSince: number | undefined },
): readonly MovementSource[] {
  return Object.values(tokens).map(({ symbol: token, address }) => {
    const since = token === "EURC" && eurcSince !== undefined ? BigInt(eurcSince) : undefined;
    const isNative = token === nativeToken;
    return isNative
      ? { token, since, address: NATIVE_COIN_LOG, unit: WEI_PER_MICRO }
      : { token, since, address, unit: 1n };
  });
}

/**
 * The `Transfer` events of our tokens among these logs. Decoded by hand: the library hashes the event's signature again for
 * each log.
 */
export function toMovements(logs: readonly Log[], sources: readonly MovementSource[]): TokenMovement[] {
  const sourceAt = new Map<string, MovementSource>(sources.map((source) => [source.address, source]));
  return logs.flatMap(({ address, topics, data, blockNumber, logIndex, transactionHash }) => {
    const [name, from, to] = topics;
    const source = sourceAt.get(lowerHex(address));
    if (name !== TRANSFER || from === undefined || to === undefined || topics.length !== TRANSFER_TOPICS) return [];
    if (source === undefined || !AMOUNT.test(data)) return [];
    if (blockNumber === null || logIndex === null || transactionHash === null) return [];
    const { token, unit, since } = source;
    if (since !== undefined && blockNumber <= since) return [];
    const place = { transactionHash: lowerHex(transactionHash), logIndex, blockNumber };
    const moved = BigInt(data);
    const dust = moved % unit;
    return [
      {
        token,
        from: addressIn(from),
        to: addressIn(to),
        amount: moved / unit,
        ...(dust === 0n ? {} : { dust }),
        ...place,
      },
    ];
  });
}
