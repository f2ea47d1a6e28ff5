import type { Micro } from "../../domain/money.ts";
import type { TokenSymbol } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";

/** Reads the amount that a confirmed swap paid to the wallet. */
export async function readReceived(
  chain: Pick<Chain, "receipt">,
  txHash: string,
  { toToken, from, pool }: { toToken: TokenSymbol; from: string; pool: string },
): Promise<Micro> {
  const receipt = await chain.receipt(`0x${txHash.slice(2)}`);
  const paid = receipt?.movements.find((one) => one.token === toToken && one.from === pool && one.to === from);
  if (paid === undefined) throw new Error(`${txHash} is no confirmed swap`);
  return paid.amount;
}
