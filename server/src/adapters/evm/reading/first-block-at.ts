import type { PublicClient } from "viem";

/** The first block at or after this time in Unix seconds, or the head if there is none. */
export async function firstBlockAt(client: PublicClient, seconds: bigint, head: bigint): Promise<bigint> {
  let low = 0n;
  let high = head;
  while (low < high) {
    const middle = (low + high) / 2n;
    const { timestamp } = await client.getBlock({ blockNumber: middle });
    if (timestamp < seconds) low = middle + 1n;
    else high = middle;
  }
  return low;
}
