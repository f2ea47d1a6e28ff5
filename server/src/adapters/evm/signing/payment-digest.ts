import { domainSeparator } from "viem";
import type { SignedPayment } from "../../../domain/payments.ts";
import type { ChainToken } from "../../../ports/chain/chain.ts";
import { keccak256 } from "./keccak.ts";

type Authorized = Pick<SignedPayment, "payer" | "payTo" | "amount" | "validAfter" | "validBefore" | "nonce">;

const TYPE_HASH = keccak256(
  Buffer.from(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
  ),
).toString("hex");

const word = (digits: string): string => digits.padStart(64, "0");
const numberWord = (value: bigint): string => word(value.toString(16));

/** The EIP-712 digest that a payer signs for this token; constant parts are computed once. */
export function createPaymentDigest(
  { name, version, address }: ChainToken,
  chainId: number,
): (payment: Authorized) => Uint8Array {
  const separator = domainSeparator({ domain: { name, version, chainId, verifyingContract: address } });
  const prefix = Buffer.from(`1901${separator.slice(2)}`, "hex");
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
    const struct = keccak256(Buffer.from(words.join(""), "hex"));
    return keccak256(Buffer.concat([prefix, struct]));
  };
}
