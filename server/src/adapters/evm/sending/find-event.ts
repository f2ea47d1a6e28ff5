import type { Log, PublicClient } from "viem";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { EventLog, OperationEvent } from "../../../ports/chain/chain-operation.ts";
import type { AuthorizationState } from "../../../ports/chain/chain-sender.ts";
import { reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { readLogs } from "../reading/movements.ts";
import { firstBlockSince } from "./find-outcome.ts";

/** Whether an event tells that an operation was carried out since it was stored, by whichever transaction. */
export async function findEvent(
  client: PublicClient,
  chain: Chain,
  event: OperationEvent,
  storedAt: Temporal.Instant,
): Promise<AuthorizationState> {
  const { address, topics, isIt = () => true, movementsOf } = event;
  return await reach(async () => {
    const { number } = await chain.head();
    const fromBlock = await firstBlockSince(client, storedAt, number);
    const filter = {
      address,
      topics: topics.map((topic) => (typeof topic === "object" && topic !== null ? [...topic] : topic)),
    };
    const logs = await readLogs(client, filter, fromBlock, number);
    const found = logs.find((log) => log.transactionHash !== null && isIt(toEventLog(log)));
    if (found === undefined || found.transactionHash === null) return { kind: "none" };
    const hash = lowerHex(found.transactionHash);
    const receipt = await chain.receipt(hash);
    if (receipt === undefined) throw new Error("an operation was carried out in no block");
    if (movementsOf === undefined) return { kind: "done", receipt };
    const { logs: all } = await client.getTransactionReceipt({ hash });
    const movements = movementsOf(receipt.movements, toEventLog(found), all.map(toEventLog));
    return { kind: "done", receipt: { ...receipt, movements } };
  });
}

const toEventLog = ({ address, topics, data, logIndex }: Log): EventLog => ({
  address,
  topics,
  data,
  logIndex: logIndex ?? 0,
});
