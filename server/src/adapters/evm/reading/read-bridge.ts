import { decodeEventLog, encodeEventTopics, hexToBigInt, hexToNumber, type PublicClient, size, slice } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { messageTransmitterAbi } from "../../../generated/contracts/message-transmitter.ts";
import { tokenMessengerAbi } from "../../../generated/contracts/token-messenger.ts";
import type { BridgeReader, SentBurn } from "../../../ports/chain/bridge-reader.ts";
import { isRevert, reach } from "../client.ts";
import { lowerHex } from "../hex.ts";

/** Where the members of a burn stand in a message of CCTP v2. */
const DESTINATION_DOMAIN = 8;
const BODY = 148;
const RECIPIENT = BODY + 36;
const AMOUNT = BODY + 68;
const MAX_FEE = BODY + 132;
const SHORTEST = BODY + 228;

export function createBridgeReader(client: PublicClient): BridgeReader {
  return {
    sentBurns: (transmitter, transactionHash) =>
      reach(async () => {
        const { logs } = await client.getTransactionReceipt({ hash: transactionHash });
        const [sent] = encodeEventTopics({ abi: messageTransmitterAbi, eventName: "MessageSent" });
        return logs
          .filter(({ address, topics }) => lowerHex(address) === transmitter && topics[0] === sent)
          .map(({ data, topics }) => decodeEventLog({ abi: messageTransmitterAbi, data, topics }))
          .flatMap((event) => (event.eventName === "MessageSent" ? readBurn(lowerHex(event.args.message)) : []));
      }),

    isDelivered: (transmitter, nonce) =>
      reach(async () => {
        const question = {
          address: transmitter,
          abi: messageTransmitterAbi,
          functionName: "usedNonces",
          args: [nonce],
        } as const;
        return (await client.readContract(question)) !== 0n;
      }),

    leastFee: (messenger, amount) =>
      reach(async () => {
        try {
          return await client.readContract({
            address: messenger,
            abi: tokenMessengerAbi,
            functionName: "getMinFeeAmount",
            args: [amount],
          });
        } catch (error) {
          // Deployed contracts may lack it.
          if (isRevert(error)) return 0n;
          throw error;
        }
      }),
  };
}

/** None: the message moves no token. */
function readBurn(message: Hex): SentBurn[] {
  if (size(message) < SHORTEST) return [];
  const word = (offset: number): Hex => slice(message, offset, offset + 32);
  return [
    {
      message,
      destinationDomain: hexToNumber(slice(message, DESTINATION_DOMAIN, DESTINATION_DOMAIN + 4)),
      recipient: slice(word(RECIPIENT), 12),
      amount: hexToBigInt(word(AMOUNT)),
      maxFee: hexToBigInt(word(MAX_FEE)),
    },
  ];
}
