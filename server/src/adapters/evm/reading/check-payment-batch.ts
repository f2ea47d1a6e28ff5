import { encodeFunctionData, type PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { paymentBatchAbi } from "../../../generated/contracts/payment-batch.ts";
import { chainUnavailable, refusalIn } from "../client.ts";
import { ChainSetupError } from "../setup-error.ts";

const NOBODY: Hex = "0x0000000000000000000000000000000000000001";
/** A fictitious payment under a nonce that is never used. */
const SAMPLE = {
  from: NOBODY,
  value: 0n,
  validAfter: 0n,
  validBefore: 2n ** 64n,
  nonce: `0x${"77".repeat(32)}`,
  signature: `0x${"11".repeat(65)}`,
} as const;
const GAS = 2_000_000n;

/** Throws ChainSetupError for a contract that stops after a failed item: one bad payment would block all others. */
export async function checkPaymentBatch(
  client: PublicClient,
  address: Hex,
  token: Hex,
  chainId: number,
): Promise<void> {
  const wrong = `The payment batch at ${address} on chain ${chainId} is not the service's contract for batches of payments: check CHAIN_PAYMENT_BATCH, or leave it out.`;
  const data = encodeFunctionData({
    abi: paymentBatchAbi,
    functionName: "settle",
    args: [token, NOBODY, [SAMPLE, SAMPLE]],
  });
  try {
    const answer = await client.call({ to: address, data, gas: GAS });
    // It answers that none was paid.
    if (answer.data?.length === 66 && BigInt(answer.data) === 0n) return;
  } catch (error) {
    if (refusalIn(error) === undefined) throw chainUnavailable(error);
  }
  throw new ChainSetupError(wrong);
}
