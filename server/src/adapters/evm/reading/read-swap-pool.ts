import type { PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { swapPoolAbi } from "../../../generated/contracts/swap-pool.ts";
import { type Chain, requireToken } from "../../../ports/chain/chain.ts";
import type { PoolTerms } from "../../../ports/chain/swap-pool.ts";
import { lowerHex } from "../hex.ts";

/** By one request to the node, at its latest block. */
export async function readPoolTerms(
  client: PublicClient,
  chain: Pick<Chain, "tokens">,
  address: Hex,
): Promise<PoolTerms> {
  const pool = { address, abi: swapPoolAbi } as const;
  const [usdc, eurc] = [requireToken(chain, "USDC").address, requireToken(chain, "EURC").address];
  const [isPaused, quoter, spreadBps, leastRate, mostRate, ...ofTokens] = await client.multicall({
    contracts: [
      { ...pool, functionName: "paused" },
      { ...pool, functionName: "quoter" },
      { ...pool, functionName: "spreadBps" },
      { ...pool, functionName: "leastRate" },
      { ...pool, functionName: "mostRate" },
      { ...pool, functionName: "limits", args: [usdc] },
      { ...pool, functionName: "availableInventory", args: [usdc] },
      { ...pool, functionName: "limits", args: [eurc] },
      { ...pool, functionName: "availableInventory", args: [eurc] },
    ],
    allowFailure: false,
    deployless: true,
    batchSize: 0,
  });
  const [[mostUsdc], availableUsdc, [mostEurc], availableEurc] = ofTokens;
  return {
    isPaused,
    quoter: lowerHex(quoter),
    spreadBps,
    leastRate,
    mostRate,
    tokens: {
      USDC: { mostPerSwap: mostUsdc, available: availableUsdc },
      EURC: { mostPerSwap: mostEurc, available: availableEurc },
    },
  };
}
