import { encodeEventTopics, type PublicClient, parseEventLogs, TransactionReceiptNotFoundError } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { identityRegistryAbi } from "../../../generated/contracts/identity-registry.ts";
import { validationRegistryAbi } from "../../../generated/contracts/validation-registry.ts";
import type { AgentRegistryAddresses, ValidationOnChain } from "../../../ports/chain/agent-registries.ts";
import { isRevert } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { firstBlockAt } from "./first-block-at.ts";
import { readLogs } from "./movements.ts";

/** The agent that `owner` registered in this transaction. */
export async function findRegisteredAgent(
  client: PublicClient,
  identity: Hex,
  { owner, hash }: { owner: Hex; hash: Hex },
): Promise<bigint | undefined> {
  try {
    const { logs } = await client.getTransactionReceipt({ hash });
    return parseEventLogs({ abi: identityRegistryAbi, eventName: "Registered", logs }).find(
      ({ address, args }) => lowerHex(address) === identity && lowerHex(args.owner) === owner,
    )?.args.agentId;
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

interface StatusOptions {
  client: PublicClient;
  contracts: AgentRegistryAddresses;
  /** The latest confirmed block. */
  headNumber(): Promise<bigint>;
}

/**
 * Reads a validation. Whether it is answered cannot be read if the answer is zero without a tag: then the event of the block
 * that changed it last tells.
 */
export async function readValidationStatus(
  { client, contracts, headNumber }: StatusOptions,
  requestHash: Hex,
): Promise<ValidationOnChain | undefined> {
  const { validation: address } = contracts;
  if (address === undefined) return undefined;
  const head = await headNumber();
  const status = await readStatus(client, { address, requestHash, head });
  if (status === undefined) return undefined;
  const [validatorAddress, agentId, response, , tag, lastUpdate] = status;
  const isAnswered =
    response > 0 || tag !== "" || (await wasAnsweredAt(client, { address, requestHash, head, at: lastUpdate }));
  return { validator: lowerHex(validatorAddress), agentId, response: isAnswered ? response : undefined, tag };
}

async function readStatus(
  client: PublicClient,
  { address, requestHash, head }: { address: Hex; requestHash: Hex; head: bigint },
) {
  try {
    return await client.readContract({
      address,
      abi: validationRegistryAbi,
      functionName: "getValidationStatus",
      args: [requestHash],
      blockNumber: head,
    });
  } catch (error) {
    if (isRevert(error)) return undefined;
    throw error;
  }
}

/** Whether an answer was given in the blocks of this second, which the registry stores of the last change. */
async function wasAnsweredAt(
  client: PublicClient,
  { address, requestHash, head, at }: { address: Hex; requestHash: Hex; head: bigint; at: bigint },
): Promise<boolean> {
  const from = await firstBlockAt(client, at, head);
  const after = await firstBlockAt(client, at + 1n, head);
  const [response = null] = encodeEventTopics({ abi: validationRegistryAbi, eventName: "ValidationResponse" });
  const logs = await readLogs(client, { address, topics: [response, null, null, requestHash] }, from, after);
  return logs.length > 0;
}
