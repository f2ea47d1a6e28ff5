import { concat, keccak256 } from "viem";
import { privateKeyToAddress, sign } from "viem/accounts";
import { encodeMessage, type TokenMessage } from "../../../server/src/adapters/cctp/message.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";

export const FAST = 1_000;
export const STANDARD = 2_000;

const BASIS_POINT_UNITS = 10n;
const UNITS_PER_WHOLE = 10_000n * BASIS_POINT_UNITS;

/** Rounded up, to a tenth of a basis point. */
export function computeFee(amount: bigint, basisPoints: number): bigint {
  const rate = BigInt(Math.round(basisPoints * Number(BASIS_POINT_UNITS)));
  return (amount * rate + UNITS_PER_WHOLE - 1n) / UNITS_PER_WHOLE;
}

/** Filled in by the attester; the rest of a message is as its chain showed it. */
export interface Filled {
  nonce: Hex;
  finality: typeof FAST | typeof STANDARD;
  fee: bigint;
  /** Zero: never. */
  expirationBlock: bigint;
}

export function fillMessage(message: TokenMessage, { nonce, finality, fee, expirationBlock }: Filled): Hex {
  return encodeMessage({
    ...message,
    nonce,
    finalityThresholdExecuted: finality,
    burn: { ...message.burn, feeExecuted: fee, expirationBlock },
  });
}

/** One signature of each key over the bare hash, in the order of the signers' addresses. */
export async function signMessage(message: Hex, keys: readonly Hex[]): Promise<Hex> {
  const sorted = keys
    .map((privateKey) => ({ privateKey, address: privateKeyToAddress(privateKey).toLowerCase() }))
    .toSorted((one, other) => (one.address < other.address ? -1 : 1));
  const hash = keccak256(message);
  return concat(await Promise.all(sorted.map(({ privateKey }) => sign({ hash, privateKey, to: "hex" }))));
}
