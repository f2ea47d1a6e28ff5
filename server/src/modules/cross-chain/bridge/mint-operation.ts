import { encodeEventTopics, encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredAddress, StoredBytes, StoredHash, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { messageTransmitterAbi } from "../../../generated/contracts/message-transmitter.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import type { OperationSite } from "../../../ports/chain/chain-operation.ts";

const GAS = 400_000n;
/** It may have failed for want of gas. */
const MOST_TIMES_GAS = 5;

/** Delivers an attested message, which mints what was burned elsewhere. Anybody may do that: the first one wins. */
export const mintBurned = defineChainOperation({
  kind: "bridge_mint",
  input: z.strictObject({
    token: StoredToken,
    recipient: StoredAddress,
    received: StoredInteger,
    message: StoredBytes,
    attestation: StoredBytes,
    nonce: StoredHash,
    attempt: z.int().min(1),
  }),
  encode({ input: { message, attestation }, site }) {
    const data = encodeFunctionData({
      abi: messageTransmitterAbi,
      functionName: "receiveMessage",
      args: [message, attestation],
    });
    return { to: requireTransmitter(site), data };
  },
  gasCeiling: ({ input: { attempt } }) => ({ gas: GAS * BigInt(Math.min(attempt, MOST_TIMES_GAS)), bound: "least" }),
  outcome: {
    isMovedBy: ({ recipient, received }, { to, amount }) => to === recipient && amount === received,
    event({ input: { nonce }, site }) {
      const topics = encodeEventTopics({ abi: messageTransmitterAbi, eventName: "MessageReceived", args: { nonce } });
      return { address: requireTransmitter(site), topics: topics.map((topic) => topic ?? null) };
    },
  },
});

function requireTransmitter({ chain: { crossChain, chainId } }: OperationSite): Hex {
  const address = crossChain.bridge?.transmitter;
  if (address === undefined) throw new Error(`chain ${chainId} has no bridge`);
  return address;
}
