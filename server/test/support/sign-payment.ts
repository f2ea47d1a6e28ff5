import { randomBytes } from "node:crypto";
import type { PrivateKeyAccount } from "viem";
import type { PaymentTerms, SignedPayment } from "../../src/domain/payments.ts";
import type { Hex } from "../../src/domain/tokens.ts";

const lower = (hex: string): Hex => `0x${hex.slice(2).toLowerCase()}`;

/** Members of the authorization besides the terms; each may be spoiled. */
export type PaymentChange = Partial<Omit<SignedPayment, "signature" | "payer">>;

/** An EIP-3009 authorization of the payer's own wallet, signed with somebody else's library. */
export async function signPayment(
  account: PrivateKeyAccount,
  terms: PaymentTerms,
  change: PaymentChange = {},
): Promise<SignedPayment> {
  const { network, asset, payTo, amount, maxTimeoutSeconds, extra } = terms;
  const unsigned = {
    network,
    asset,
    payTo,
    amount,
    payer: lower(account.address),
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + maxTimeoutSeconds),
    nonce: lower(`0x${randomBytes(32).toString("hex")}`),
    ...change,
  };
  const signature = await account.signTypedData({
    domain: {
      name: extra.name,
      version: extra.version,
      chainId: Number(unsigned.network.split(":")[1]),
      verifyingContract: unsigned.asset,
    },
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "TransferWithAuthorization",
    message: {
      from: unsigned.payer,
      to: unsigned.payTo,
      value: unsigned.amount,
      validAfter: unsigned.validAfter,
      validBefore: unsigned.validBefore,
      nonce: unsigned.nonce,
    },
  });
  return { ...unsigned, signature };
}
