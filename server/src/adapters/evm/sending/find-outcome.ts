import { encodeEventTopics, type PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import type { Chain, ChainReceipt } from "../../../ports/chain/chain.ts";
import type { TokenAuthorization } from "../../../ports/chain/chain-operation.ts";
import type { AuthorizationState } from "../../../ports/chain/chain-sender.ts";
import type { PaymentOutcomes } from "../../../ports/facilitator.ts";
import { reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { firstBlockAt } from "../reading/first-block-at.ts";
import { readLogs } from "../reading/movements.ts";

type PlainAuthorization = Pick<TokenAuthorization, "from" | "to" | "value" | "validBefore" | "nonce">;

/** How much clocks of validators may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 3_600n;

/** The outcome of an authorization up to the latest confirmed block, whoever used it. */
export async function findOutcome(
  client: PublicClient,
  chain: Chain,
  token: Hex,
  authorization: PlainAuthorization,
  signedAfter: Temporal.Instant,
): Promise<AuthorizationState> {
  return await reach(async () => {
    const head = await chain.head();
    const { from, nonce } = authorization;
    const isUsedAt = (blockNumber: bigint) =>
      client.readContract({
        address: token,
        abi: stablecoinAbi,
        functionName: "authorizationState",
        args: [from, nonce],
        blockNumber,
      });
    if (!(await isUsedAt(head.number))) {
      const { timestamp } = await client.getBlock({ blockNumber: head.number });
      // The token requires an earlier time, and time only increases.
      return timestamp >= authorization.validBefore ? { kind: "void" } : { kind: "open" };
    }
    const fromBlock = await firstBlockSince(client, signedAfter, head.number);
    const [used] = encodeEventTopics({ abi: stablecoinAbi, eventName: "AuthorizationUsed" });
    const [canceled] = encodeEventTopics({ abi: stablecoinAbi, eventName: "AuthorizationCanceled" });
    const padded: Hex = `0x${from.slice(2).padStart(64, "0")}`;
    const filter = { address: token, topics: [[used, canceled], padded, nonce] };
    const [log] = await readLogs(client, filter, fromBlock, head.number);
    if (log === undefined || log.transactionHash === null) {
      // Used long before it was shown here, it paid for something else.
      if (fromBlock > 0n && (await isUsedAt(fromBlock - 1n))) return { kind: "void" };
      throw new Error("an authorization was used in no block");
    }
    if (log.topics[0] === canceled) return { kind: "void" };
    const receipt = await chain.receipt(lowerHex(log.transactionHash));
    if (receipt === undefined) return { kind: "open" };
    return isWhatMoved(authorization, chain.tokens, token, receipt, log.logIndex)
      ? { kind: "done", receipt }
      : { kind: "void" };
  });
}

/**
 * Whether the movement belongs to this nonce: its payer may have signed the same nonce for somebody else too. The token logs
 * the nonce and then the movement, and a transaction can have many of both, even of the same payer and amount.
 */
function isWhatMoved(
  { from, to, value }: PlainAuthorization,
  tokens: Chain["tokens"],
  token: Hex,
  { movements }: ChainReceipt,
  usedAt: number | null,
): boolean {
  const moved = movements
    .filter((movement) => tokens[movement.token]?.address === token && movement.from === from)
    .toSorted((one, other) => one.logIndex - other.logIndex)
    .find(({ logIndex }) => usedAt !== null && logIndex > usedAt);
  return moved !== undefined && moved.to === to && moved.amount === value;
}

/** Asks a chain for the outcomes of payers' authorizations. */
export function createPaymentOutcomes(client: PublicClient, chain: Chain): PaymentOutcomes {
  return {
    async findOutcome({ asset, payer, payTo, amount, validBefore, nonce }, signedAfter) {
      const authorization = { from: payer, to: payTo, value: amount, validBefore, nonce };
      return await findOutcome(client, chain, asset, authorization, signedAfter);
    },
  };
}

/** The first block at or after this time. */
export async function firstBlockSince(client: PublicClient, since: Temporal.Instant, head: bigint): Promise<bigint> {
  const seconds = BigInt(Math.floor(since.epochMilliseconds / 1000)) - CLOCK_TOLERANCE_SECONDS;
  return await firstBlockAt(client, seconds, head);
}
