import { encodePacked, hexToBigInt, hexToNumber, size, slice } from "viem";
import type { Hex } from "../../domain/tokens.ts";

/** The burn that a CCTP v2 message reports. Accounts and tokens are padded to 32 bytes; amounts are in the token's units. */
interface BurnMessage {
  version: number;
  burnToken: Hex;
  mintRecipient: Hex;
  amount: bigint;
  messageSender: Hex;
  maxFee: bigint;
  /** Zero until the message is attested. */
  feeExecuted: bigint;
  /** A block of the destination chain. Zero until the message is attested, and for good if it never expires. */
  expirationBlock: bigint;
  hookData: Hex;
}

/** A CCTP v2 message that moves a token. */
export interface TokenMessage {
  version: number;
  sourceDomain: number;
  destinationDomain: number;
  /** 32 bytes, zero until the message is attested. */
  nonce: Hex;
  sender: Hex;
  recipient: Hex;
  /** Zero: anybody may deliver it. */
  destinationCaller: Hex;
  minFinalityThreshold: number;
  /** Zero until the message is attested. */
  finalityThresholdExecuted: number;
  burn: BurnMessage;
}

const BODY_OFFSET = 148;
const HOOK_DATA_OFFSET = 228;

/** Throws on bytes that are too short to hold a burn. */
export function decodeMessage(message: Hex): TokenMessage {
  const length = size(message);
  if (length < BODY_OFFSET + HOOK_DATA_OFFSET) throw new Error(`a message of ${length} bytes burns nothing`);
  const read = (offset: number, bytes: number): Hex => slice(message, offset, offset + bytes);
  const number = (offset: number): number => hexToNumber(read(offset, 4));
  return {
    version: number(0),
    sourceDomain: number(4),
    destinationDomain: number(8),
    nonce: read(12, 32),
    sender: read(44, 32),
    recipient: read(76, 32),
    destinationCaller: read(108, 32),
    minFinalityThreshold: number(140),
    finalityThresholdExecuted: number(144),
    burn: {
      version: number(BODY_OFFSET),
      burnToken: read(BODY_OFFSET + 4, 32),
      mintRecipient: read(BODY_OFFSET + 36, 32),
      amount: hexToBigInt(read(BODY_OFFSET + 68, 32)),
      messageSender: read(BODY_OFFSET + 100, 32),
      maxFee: hexToBigInt(read(BODY_OFFSET + 132, 32)),
      feeExecuted: hexToBigInt(read(BODY_OFFSET + 164, 32)),
      expirationBlock: hexToBigInt(read(BODY_OFFSET + 196, 32)),
      hookData: length === BODY_OFFSET + HOOK_DATA_OFFSET ? "0x" : slice(message, BODY_OFFSET + HOOK_DATA_OFFSET),
    },
  };
}

export function encodeMessage(message: TokenMessage): Hex {
  return encodePacked(
    ["uint32", "uint32", "uint32", "bytes32", "bytes32", "bytes32", "bytes32", "uint32", "uint32", "bytes"],
    [
      message.version,
      message.sourceDomain,
      message.destinationDomain,
      message.nonce,
      message.sender,
      message.recipient,
      message.destinationCaller,
      message.minFinalityThreshold,
      message.finalityThresholdExecuted,
      encodeBurn(message.burn),
    ],
  );
}

function encodeBurn(burn: BurnMessage): Hex {
  return encodePacked(
    ["uint32", "bytes32", "bytes32", "uint256", "bytes32", "uint256", "uint256", "uint256", "bytes"],
    [
      burn.version,
      burn.burnToken,
      burn.mintRecipient,
      burn.amount,
      burn.messageSender,
      burn.maxFee,
      burn.feeExecuted,
      burn.expirationBlock,
      burn.hookData,
    ],
  );
}
