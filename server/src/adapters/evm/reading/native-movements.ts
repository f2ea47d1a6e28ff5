import type { PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import type { TokenMovement } from "../../../ports/chain/chain.ts";
import { microFromNative, NATIVE_COIN_LOG, nativeAmount, WEI_PER_MICRO } from "../native.ts";
import { readLogs, transferTopics } from "./movements.ts";

const whole = (wei: bigint): bigint => microFromNative(nativeAmount(wei));

/**
 * By how much a movement with dust changes an owner's balance of the token, which is what it has of the native coin, rounded down:
 * dust that has come in parts becomes whole with one of them. Worked out from what the owner had before the movement, so that it is
 * the same whoever asks, and whenever.
 */
export async function changeWithDust(
  client: PublicClient,
  { blockNumber, logIndex, amount, dust = 0n, to }: TokenMovement,
  owner: Hex,
): Promise<bigint> {
  const padded: Hex = `0x${owner.slice(2).padStart(64, "0")}`;
  const [transfer] = transferTopics();
  const logsOf = (topics: (Hex | null)[]) =>
    readLogs(client, { address: NATIVE_COIN_LOG, topics }, blockNumber, blockNumber);
  const [balance, received, sent] = await Promise.all([
    client.getBalance({ address: owner, blockNumber: blockNumber - 1n }),
    logsOf([transfer, null, padded]),
    logsOf([transfer, padded]),
  ]);
  const before = (logs: typeof received): bigint =>
    logs.filter((log) => (log.logIndex ?? 0) < logIndex).reduce((sum, log) => sum + BigInt(log.data), 0n);
  const had = balance + before(received) - before(sent);
  const moved = amount * WEI_PER_MICRO + dust;
  return to === owner ? whole(had + moved) - whole(had) : whole(had) - whole(had - moved);
}
