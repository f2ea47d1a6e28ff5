import type { Hex } from "../../../domain/tokens.ts";
import type { Chain } from "../../../ports/chain/chain.ts";

/** An operation stored under earlier contracts must not be signed for a contract that nobody vouches for. */
export function requireContract(
  { crossChain, chainId }: Pick<Chain, "crossChain" | "chainId">,
  which: "wallet" | "minter",
  wanted: Hex,
): Hex {
  const known = crossChain.gateway?.[which];
  if (known === wanted) return wanted;
  throw new Error(`the Gateway's ${which} contract on chain ${chainId} is ${known}, not ${wanted}`);
}
