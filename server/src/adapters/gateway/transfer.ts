import { encodePacked, hexToBigInt, hexToNumber, keccak256, numberToHex, size, slice } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import type { BurnIntent, TransferSpec } from "../../ports/chain/unified-balance.ts";

/** Signed by the operator. */
export interface TransferAttestation {
  /** The last block of the destination chain in which it may be minted. */
  maxBlockHeight: bigint;
  spec: TransferSpec;
}

const SPEC_MAGIC = 0xca85def7;
const SPEC_VERSION = 1;
const INTENT_MAGIC = 0x070afbc2;
const ATTESTATION_MAGIC = 0xff6fb334;
const HOOK_DATA_OFFSET = 340;
const INTENT_HEADER = 72;
const ATTESTATION_HEADER = 40;

const TYPES = {
  TransferSpec: [
    { name: "version", type: "uint32" },
    { name: "sourceDomain", type: "uint32" },
    { name: "destinationDomain", type: "uint32" },
    { name: "sourceContract", type: "bytes32" },
    { name: "destinationContract", type: "bytes32" },
    { name: "sourceToken", type: "bytes32" },
    { name: "destinationToken", type: "bytes32" },
    { name: "sourceDepositor", type: "bytes32" },
    { name: "destinationRecipient", type: "bytes32" },
    { name: "sourceSigner", type: "bytes32" },
    { name: "destinationCaller", type: "bytes32" },
    { name: "value", type: "uint256" },
    { name: "salt", type: "bytes32" },
    { name: "hookData", type: "bytes" },
  ],
  BurnIntent: [
    { name: "maxBlockHeight", type: "uint256" },
    { name: "maxFee", type: "uint256" },
    { name: "spec", type: "TransferSpec" },
  ],
} as const;

/** The EIP-712 message of an intent. Its domain names neither chain nor contract: the terms do. */
export function burnIntentMessage({ maxBlockHeight, maxFee, spec }: BurnIntent) {
  return {
    domain: { name: "GatewayWallet", version: "1" },
    types: TYPES,
    primaryType: "BurnIntent",
    message: { maxBlockHeight, maxFee, spec: { version: SPEC_VERSION, ...spec } },
  } as const;
}

/** The id of a transfer, on both chains. */
export function hashTransferSpec(spec: TransferSpec): Hex {
  return keccak256(encodeSpec(spec));
}

export function encodeBurnIntent({ maxBlockHeight, maxFee, spec }: BurnIntent): Hex {
  const encoded = encodeSpec(spec);
  return encodePacked(
    ["uint32", "uint256", "uint256", "uint32", "bytes"],
    [INTENT_MAGIC, maxBlockHeight, maxFee, size(encoded), encoded],
  );
}

/** Throws on anything but one burn intent. */
export function decodeBurnIntent(intent: Hex): BurnIntent {
  const spec = decodePayload(intent, INTENT_MAGIC, INTENT_HEADER);
  return { maxBlockHeight: hexToBigInt(slice(intent, 4, 36)), maxFee: hexToBigInt(slice(intent, 36, 68)), spec };
}

export function encodeAttestation({ maxBlockHeight, spec }: TransferAttestation): Hex {
  const encoded = encodeSpec(spec);
  return encodePacked(
    ["uint32", "uint256", "uint32", "bytes"],
    [ATTESTATION_MAGIC, maxBlockHeight, size(encoded), encoded],
  );
}

/** Throws on anything but one attestation. */
export function decodeAttestation(attestation: Hex): TransferAttestation {
  const spec = decodePayload(attestation, ATTESTATION_MAGIC, ATTESTATION_HEADER);
  return { maxBlockHeight: hexToBigInt(slice(attestation, 4, 36)), spec };
}

function encodeSpec(spec: TransferSpec): Hex {
  const head = encodePacked(
    ["uint32", "uint32", "uint32", "uint32", "bytes32", "bytes32", "bytes32", "bytes32"],
    [
      SPEC_MAGIC,
      SPEC_VERSION,
      spec.sourceDomain,
      spec.destinationDomain,
      spec.sourceContract,
      spec.destinationContract,
      spec.sourceToken,
      spec.destinationToken,
    ],
  );
  return encodePacked(
    ["bytes", "bytes32", "bytes32", "bytes32", "bytes32", "uint256", "bytes32", "uint32", "bytes"],
    [
      head,
      spec.sourceDepositor,
      spec.destinationRecipient,
      spec.sourceSigner,
      spec.destinationCaller,
      spec.value,
      spec.salt,
      size(spec.hookData),
      spec.hookData,
    ],
  );
}

function decodePayload(payload: Hex, magic: number, header: number): TransferSpec {
  const length = size(payload);
  if (length < header + HOOK_DATA_OFFSET) throw new Error(`a payload of ${length} bytes holds no transfer`);
  requireNumber(payload, 0, magic);
  const declared = header + hexToNumber(slice(payload, header - 4, header));
  if (length !== declared) throw new Error(`a payload has ${length} bytes instead of ${declared}`);
  return decodeSpec(slice(payload, header));
}

function decodeSpec(bytes: Hex): TransferSpec {
  requireNumber(bytes, 0, SPEC_MAGIC);
  requireNumber(bytes, 4, SPEC_VERSION);
  const read = (offset: number): Hex => slice(bytes, offset, offset + 32);
  const number = (offset: number): number => hexToNumber(slice(bytes, offset, offset + 4));
  const length = HOOK_DATA_OFFSET + number(336);
  if (size(bytes) !== length) throw new Error(`the terms of a transfer have ${size(bytes)} bytes instead of ${length}`);
  return {
    sourceDomain: number(8),
    destinationDomain: number(12),
    sourceContract: read(16),
    destinationContract: read(48),
    sourceToken: read(80),
    destinationToken: read(112),
    sourceDepositor: read(144),
    destinationRecipient: read(176),
    sourceSigner: read(208),
    destinationCaller: read(240),
    value: hexToBigInt(read(272)),
    salt: read(304),
    hookData: length === HOOK_DATA_OFFSET ? "0x" : slice(bytes, HOOK_DATA_OFFSET),
  };
}

function requireNumber(bytes: Hex, offset: number, expected: number): void {
  const actual = slice(bytes, offset, offset + 4);
  if (hexToNumber(actual) !== expected) {
    throw new Error(`a transfer has ${actual} at ${offset} instead of ${numberToHex(expected, { size: 4 })}`);
  }
}
