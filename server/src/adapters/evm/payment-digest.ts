import { domainSeparator, keccak256, stringToHex } from "viem";
import type { SignedPayment } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ChainToken } from "../../ports/chain.ts";

type Authorized = Pick<SignedPayment, "payer" | "payTo" | "amount" | "validAfter" | "validBefore" | "nonce">;

const TYPE_HASH = keccak256(
  stringToHex(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
  ),
).slice(2);

const word = (digits: string): string => digits.padStart(64, "0");
const numberWord = (value: bigint): string => word(value.toString(16));

/** What a payer signs for this token, by EIP-712; what is the same for every payment is computed once. */
export function createPaymentDigest(
  { name, version, address }: ChainToken,
  chainId: number,
): (payment: Authorized) => Uint8Array {
  const separator = domainSeparator({ domain: { name, version, chainId, verifyingContract: address } }).slice(2);
  return ({ payer, payTo, amount, validAfter, validBefore, nonce }) => {
    const words = [
      TYPE_HASH,
      word(payer.slice(2)),
      word(payTo.slice(2)),
      numberWord(amount),
      numberWord(validAfter),
      numberWord(validBefore),
      nonce.slice(2),
    ];
    const struct: Hex = keccak256(Buffer.from(words.join(""), "hex"));
    return keccak256(Buffer.from(`1901${separator}${struct.slice(2)}`, "hex"), "bytes");
  };
}
