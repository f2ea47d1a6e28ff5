import type { Hex } from "../../../domain/tokens.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";

/** The answer of the call whose operation succeeded. */
export function buildConfirmedResult(
  { result }: Pick<ChainTransaction, "result">,
  chainId: number,
  txHash: Hex | undefined,
): Record<string, unknown> {
  return { ...result, txHash, chainId, status: "confirmed" };
}
