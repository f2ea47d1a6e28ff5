import { encodeEventTopics, type PublicClient } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { stablecoinAbi } from "../../generated/contracts/stablecoin.ts";
import type { Chain } from "../../ports/chain.ts";
import type { AuthorizationState } from "../../ports/chain-sender.ts";
import type { Authorization } from "./authorizations.ts";
import { reach } from "./client.ts";
import { lowerHex } from "./hex.ts";
import { readLogs } from "./movements.ts";

/** Clocks of validators and ours may differ by so much. */
const CLOCK_TOLERANCE_SECONDS = 3_600n;

/** What became of an authorization up to the latest block that counts, whoever used it. */
export async function findOutcome(
  client: PublicClient,
  chain: Chain,
  token: Hex,
  authorization: Authorization,
  signedAfter: Temporal.Instant,
): Promise<AuthorizationState> {
  return await reach(async () => {
    const head = await chain.head();
    const { from, nonce } = authorization;
    const isUsed = await client.readContract({
      address: token,
      abi: stablecoinAbi,
      functionName: "authorizationState",
      args: [from, nonce],
      blockNumber: head.number,
    });
    if (!isUsed) {
      const { timestamp } = await client.getBlock({ blockNumber: head.number });
      // The token asks for a time before this one, and time only grows.
      return timestamp >= authorization.validBefore ? { kind: "void" } : { kind: "open" };
    }
    const since = BigInt(Math.floor(signedAfter.epochMilliseconds / 1000)) - CLOCK_TOLERANCE_SECONDS;
    const fromBlock = await firstBlockAt(client, since, head.number);
    const [used] = encodeEventTopics({ abi: stablecoinAbi, eventName: "AuthorizationUsed" });
    const [canceled] = encodeEventTopics({ abi: stablecoinAbi, eventName: "AuthorizationCanceled" });
    const padded: Hex = `0x${from.slice(2).padStart(64, "0")}`;
    const filter = { address: token, topics: [[used, canceled], padded, nonce] };
    const [log] = await readLogs(client, filter, fromBlock, head.number);
    if (log === undefined || log.transactionHash === null) throw new Error("an authorization was used in no block");
    if (log.topics[0] === canceled) return { kind: "void" };
    const receipt = await chain.receipt(lowerHex(log.transactionHash));
    return receipt === undefined ? { kind: "open" } : { kind: "done", receipt };
  });
}

/** The first block of that time or later. */
async function firstBlockAt(client: PublicClient, seconds: bigint, head: bigint): Promise<bigint> {
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
