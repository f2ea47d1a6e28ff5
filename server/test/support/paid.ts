import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PaymentRequiredV2Schema } from "@x402/core/schemas";
import type { PaymentRequired as StandardPaymentRequired } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { type Address, createPublicClient, erc20Abi, type Hex, http, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import type { TestService } from "./service.ts";

const hex = z.string().regex(/^0x[0-9a-fA-F]*$/);
const isHex = (value: string): value is Hex => hex.safeParse(value).success;
const Hexadecimal = z.string().refine(isHex);

const Quickstart = z.object({
  chain: z.object({ rpcUrl: z.string(), chainId: z.number(), network: z.string(), usdc: Hexadecimal }),
  payer: z.object({ address: Hexadecimal, privateKey: Hexadecimal }),
});

const Requirements = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: z.string(),
  asset: Hexadecimal,
  payTo: Hexadecimal,
  maxTimeoutSeconds: z.number(),
  extra: z.object({ name: z.string(), version: z.string() }),
});
type Requirements = z.infer<typeof Requirements>;

const PaymentRequired = z.object({
  x402Version: z.literal(2),
  error: z.string(),
  resource: z.object({ url: z.string() }),
  accepts: z.tuple([Requirements]),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
export type PaymentRequired = z.infer<typeof PaymentRequired>;

/** Terms as the protocol library understands them. */
const Terms = z.custom<StandardPaymentRequired>((value) => PaymentRequiredV2Schema.safeParse(value).success);

export interface PaidAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

/** Deviations of the signed payment from the terms. */
export interface Forged {
  accepted?: Partial<Record<keyof Requirements, unknown>>;
  authorization?: Partial<Record<"from" | "to" | "value" | "validAfter" | "validBefore" | "nonce", unknown>>;
  domain?: { name?: string; version?: string; chainId?: number; verifyingContract?: Address };
  x402Version?: unknown;
}

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

export const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
export const decode = (header: string | null): unknown =>
  JSON.parse(Buffer.from(header ?? "", "base64").toString("utf8"));

/** Every word that section 9 of the specification of x402, version 2, has. */
export const SPECIFIED_REASONS = [
  "insufficient_funds",
  "invalid_exact_evm_payload_authorization_valid_after",
  "invalid_exact_evm_payload_authorization_valid_before",
  "invalid_exact_evm_payload_authorization_value_mismatch",
  "invalid_exact_evm_payload_signature",
  "invalid_exact_evm_payload_recipient_mismatch",
  "invalid_network",
  "invalid_payload",
  "invalid_payment_requirements",
  "invalid_scheme",
  "unsupported_scheme",
  "invalid_x402_version",
  "invalid_transaction_state",
  "unexpected_verify_error",
  "unexpected_settle_error",
];

/**
 * Somebody with a wallet and no account: the official client, and a hand that signs what no client would. `privateKey`: of another
 * wallet than the one that the development chain gives money to.
 */
export function createBuyer(service: Pick<TestService, "dataDir" | "edgeUrl">, privateKey?: Hex) {
  const { chain, payer } = Quickstart.parse(JSON.parse(readFileSync(join(service.dataDir, "quickstart.json"), "utf8")));
  const account = privateKeyToAccount(privateKey ?? payer.privateKey);
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const wallet = new x402Client()
    .setSpendControls({
      allowedAssets: [{ network: "eip155:5042002", asset: chain.usdc, maxAmountPerPayment: "100000" }],
    })
    .register("eip155:*", new ExactEvmScheme(account));
  const buyingFetch = wrapFetchWithPayment(fetch, wallet);

  const toolUrl = (tool: string): string => `${service.edgeUrl}/tools/${tool}`;
  const request = (args: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof args === "string" ? args : JSON.stringify(args),
  });
  const read = async (response: Response): Promise<PaidAnswer> => {
    const text = await response.text();
    const body: unknown = text === "" ? {} : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, body: Object(body) };
  };

  const post = async (tool: string, args: unknown, headers: Readonly<Record<string, string>> = {}) =>
    read(await fetch(toolUrl(tool), request(args, headers)));

  async function readTerms(tool: string, headers: Readonly<Record<string, string>> = {}): Promise<PaymentRequired> {
    const answer = await post(tool, {}, headers);
    return PaymentRequired.parse(decode(answer.headers.get("payment-required")));
  }

  async function sign(tool: string, forged: Forged = {}, headers: Readonly<Record<string, string>> = {}) {
    const { resource, accepts } = await readTerms(tool, headers);
    const [terms] = accepts;
    const now = Math.floor(Date.now() / 1000);
    const message = {
      from: account.address,
      to: terms.payTo,
      value: terms.amount,
      validAfter: "0",
      validBefore: String(now + terms.maxTimeoutSeconds),
      nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
      ...forged.authorization,
    };
    const signature = await account
      .signTypedData({
        domain: { ...terms.extra, chainId: chain.chainId, verifyingContract: terms.asset, ...forged.domain },
        types,
        primaryType: "TransferWithAuthorization",
        message: {
          from: Hexadecimal.parse(message.from),
          to: Hexadecimal.parse(message.to),
          value: BigInt(String(message.value)),
          validAfter: BigInt(String(message.validAfter)),
          validBefore: BigInt(String(message.validBefore)),
          nonce: Hexadecimal.parse(message.nonce),
        },
      })
      // A message that cannot be signed is sent with an unrelated signature.
      .catch(() => account.signMessage({ message: "nothing of the kind" }));
    return encode({
      x402Version: 2,
      ...(forged.x402Version === undefined ? {} : { x402Version: forged.x402Version }),
      resource,
      accepted: { ...terms, ...forged.accepted },
      payload: { authorization: message, signature },
    });
  }

  return {
    chain,
    address: account.address,
    toolUrl,
    post,
    readTerms,
    /** PAYMENT-SIGNATURE for a tool, by our own hand. */
    sign,
    /** Signed by hand and sent once. */
    async pay(tool: string, args: unknown, forged: Forged = {}, headers: Readonly<Record<string, string>> = {}) {
      return post(tool, args, { ...headers, "payment-signature": await sign(tool, forged, headers) });
    },
    /** As the official client buys it. */
    buy: async (tool: string, args: unknown, headers: Readonly<Record<string, string>> = {}) =>
      read(await buyingFetch(toolUrl(tool), request(args, headers))),
    /** Signs terms as the official client does, for another transport than HTTP. */
    createPayment: (terms: unknown) => wallet.createPaymentPayload(Terms.parse(terms)),
    readBalance: (owner: Hex) =>
      client.readContract({ address: chain.usdc, abi: erc20Abi, functionName: "balanceOf", args: [owner] }),
  };
}

export type Buyer = ReturnType<typeof createBuyer>;
