import { encodeEventTopics, type PublicClient } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { signedCallsAbi } from "../../generated/contracts/signed-calls.ts";
import type { Chain } from "../../ports/chain.ts";
import type { AuthorizationState } from "../../ports/chain-sender.ts";
import type { ChainTransaction } from "../../ports/chain-transactions.ts";
import { idHash } from "./authorizations.ts";
import { reach } from "./client.ts";
import { firstBlockSince } from "./find-outcome.ts";
import { lowerHex } from "./hex.ts";
import { readLogs } from "./movements.ts";

/** Whether the call of a wallet of ours was forwarded: by a transaction of an earlier time, of which the books may know nothing. */
export async function findCall(
  client: PublicClient,
  chain: Chain,
  { id, createdAt }: Pick<ChainTransaction, "id" | "createdAt">,
  from: Hex,
): Promise<AuthorizationState> {
  const { agentRegistries } = chain;
  if (agentRegistries === undefined) return { kind: "none" };
  return await reach(async () => {
    const { number } = await chain.head();
    const fromBlock = await firstBlockSince(client, createdAt, number);
    const topics = encodeEventTopics({
      abi: signedCallsAbi,
      eventName: "CallExecuted",
      args: { from, nonce: idHash(id) },
    });
    const filter = { address: agentRegistries.contracts.forwarder, topics };
    const [log] = await readLogs(client, filter, fromBlock, number);
    if (log === undefined || log.transactionHash === null) return { kind: "none" };
    const receipt = await chain.receipt(lowerHex(log.transactionHash));
    if (receipt === undefined) throw new Error("a call was forwarded in no block");
    return { kind: "done", receipt };
  });
}
