import { randomBytes } from "node:crypto";
import { signRecoverable } from "tiny-secp256k1";
import { hashTypedData, hexToBytes } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { z } from "zod";

const Digits = z.templateLiteral(["0x", z.string().regex(/^[0-9a-fA-F]+$/)]);
const Terms = z.looseObject({
  scheme: z.literal("exact"),
  network: z.string(),
  amount: z.string(),
  asset: Digits,
  payTo: Digits,
  extra: z.object({ name: z.string(), version: z.string() }),
});
const Required = z.object({ accepts: z.tuple([Terms], Terms) });

/** One entry of `accepts`, as the server sent it: a client repeats it with its payment. */
export type Terms = z.infer<typeof Terms>;

/** The server's terms for an unpaid request. */
export async function readTerms(url: string, body: string): Promise<Terms> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  await response.arrayBuffer();
  const header = response.headers.get("payment-required");
  if (response.status !== 402 || header === null) throw new Error(`${url} answered ${response.status} without terms.`);
  return Required.parse(JSON.parse(Buffer.from(header, "base64").toString("utf8"))).accepts[0];
}

const VALID_SECONDS = 3_600;
const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** Signs the header of one payment; in WebAssembly, so that thousands are ready before a slice. */
export function signPaymentHeader(privateKey: `0x${string}`, terms: Terms): string {
  const { network, asset, payTo, amount, extra } = terms;
  const authorization = {
    from: privateKeyToAddress(privateKey),
    to: payTo,
    value: amount,
    validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + VALID_SECONDS),
    nonce: Digits.parse(`0x${randomBytes(32).toString("hex")}`),
  };
  const digest = hashTypedData({
    domain: { ...extra, chainId: Number(network.split(":")[1]), verifyingContract: asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: 0n,
      validBefore: BigInt(authorization.validBefore),
    },
  });
  const { signature: short, recoveryId } = signRecoverable(hexToBytes(digest), hexToBytes(privateKey));
  const signature = `0x${Buffer.from(short).toString("hex")}${(27 + recoveryId).toString(16)}`;
  const payment = { x402Version: 2, accepted: terms, payload: { authorization, signature } };
  return Buffer.from(JSON.stringify(payment)).toString("base64");
}
