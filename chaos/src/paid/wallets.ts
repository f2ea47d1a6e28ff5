import { randomBytes } from "node:crypto";
import { createPublicClient, createWalletClient, encodeFunctionData, erc20Abi, http, parseAbi } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { Quickstart } from "../deployment.ts";
import type { Terms } from "./buyer.ts";
import type { Authorization } from "./purchase.ts";

/** Wallets of buyers: keys of their own, which the service never sees, used with somebody else's library. */

const TIMEOUT_MILLISECONDS = 3_000;
const RECEIPT_MILLISECONDS = 3_000;
const POLL_MILLISECONDS = 50;
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
const authorizationAbi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

export const lower = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;
export const newWallet = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

type Paid = Pick<Terms, "amount" | "asset" | "payTo" | "network" | "maxTimeoutSeconds" | "extra">;

export async function authorize(account: PrivateKeyAccount, terms: Paid): Promise<Authorization> {
  const { amount, asset, payTo, network, maxTimeoutSeconds, extra } = terms;
  const unsigned = {
    payer: lower(account.address),
    nonce: lower(`0x${randomBytes(32).toString("hex")}`),
    amount,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + maxTimeoutSeconds),
  };
  const { payer: from, nonce, validAfter, validBefore } = unsigned;
  const signature = await account.signTypedData({
    domain: { ...extra, chainId: Number(network.split(":")[1]), verifyingContract: asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: { from, to: payTo, value: amount, validAfter, validBefore, nonce },
  });
  return { ...unsigned, signature };
}

export function paymentHeader({ raw, payTo }: Terms, authorization: Authorization): string {
  const { payer, nonce, amount, validAfter, validBefore, signature } = authorization;
  const signed = {
    from: payer,
    to: payTo,
    value: amount.toString(),
    nonce,
    validAfter: validAfter.toString(),
    validBefore: validBefore.toString(),
  };
  const payment = { x402Version: 2, accepted: raw, payload: { authorization: signed, signature } };
  return Buffer.from(JSON.stringify(payment)).toString("base64");
}

/** One wallet with gas that pays buyers, and broadcasts what they have signed. False: whether it arrived is not known. */
export interface Till {
  pay(to: Hex, amount: bigint): Promise<boolean>;
  broadcast(authorization: Authorization, to: Hex): Promise<boolean>;
}

export function createTill({ chain, payer }: Pick<Quickstart, "chain" | "payer">): Till {
  const asset = lower(chain.usdc);
  const transport = http(chain.rpcUrl, { timeout: TIMEOUT_MILLISECONDS, retryCount: 0 });
  const reader = createPublicClient({ transport, cacheTime: 0, pollingInterval: POLL_MILLISECONDS });
  const account = privateKeyToAccount(payer.privateKey);
  const writer = createWalletClient({ account, transport });
  let last: Promise<unknown> = Promise.resolve();

  /** One after another: the nonces of its wallet. */
  function submit(data: Hex): Promise<boolean> {
    const work = async (): Promise<boolean> => {
      try {
        const nonce = await reader.getTransactionCount({ address: account.address, blockTag: "pending" });
        const hash = await writer.sendTransaction({ chain: null, to: asset, data, nonce, gas: 300_000n });
        const { status } = await reader.waitForTransactionReceipt({ hash, timeout: RECEIPT_MILLISECONDS });
        return status === "success";
      } catch {
        return false;
      }
    };
    const mine = last.then(work);
    last = mine;
    return mine;
  }

  return {
    pay: (to, amount) => submit(encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })),

    broadcast: ({ payer: from, amount, validAfter, validBefore, nonce, signature }, to) =>
      submit(
        encodeFunctionData({
          abi: authorizationAbi,
          functionName: "transferWithAuthorization",
          args: [from, to, amount, validAfter, validBefore, nonce, signature],
        }),
      ),
  };
}
