import type { PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import type { TokenMovement } from "../../../ports/chain/chain.ts";
import { microFromNative, NATIVE_COIN_LOG, nativeAmount, WEI_PER_MICRO } from "../native.ts";
import { readLogs, transferTopics } from "./movements.ts";

const whole = (wei: bigint): bigint => microFromNative(nativeAmount(wei));

/**
 * The change that a movement with dust makes to an owner's token balance, which is the native balance rounded down: dust from
 * several movements adds up to a whole unit with one of them. Computed from the balance before the movement, so that the result
 * is always the same.
 */
export async function changeWithDust(
  client: PublicClient,
  { blockNumber, logIndex, amount, dust = 0n, to }: TokenMovement,
  owner: Hex,
): Promise<bigint> {
  const padded: Hex = `0x${owner.slice(2).padStart(64, "0")}`;
  const [transfer] = transferTopics();
  const readCoinLogs = (topics: (Hex | null)[]) =>
    readLogs(client, { address: NATIVE_COIN_LOG, topics }, blockNumber, blockNumber);
  const [balance, received, sent] = await Promise.all([
    client.getBalance({ address: owner, blockNumber: blockNumber - 1n }),
    readCoinLogs([transfer, null, padded]),
    readCoinLogs([transfer, padded]),
  ]);
  const before = (logs: typeof received): bigint =>
    logs.filter((log) => (log.logIndex ?? 0) < logIndex).reduce((sum, log) => sum + BigInt(log.data), 0n);
  const had = balance + before(received) - before(sent);
  const moved = amount * WEI_PER_MICRO + dust;
  return to === owner ? whole(had + moved) - whole(had) : whole(had) - whole(had - moved);
}
