import type { OpenedChain } from "../ports/chain/opened-chain.ts";
import type { PaidChain } from "../surfaces/paid/price-tags.ts";

/** Payments go to the collection wallet of each chain. */
export function toPaidChain({ chain, collection }: OpenedChain): PaidChain {
  const { address, name, version } = chain.tokens.USDC;
  return {
    network: `eip155:${chain.chainId}`,
    asset: address,
    payTo: collection.address,
    extra: { name, version },
  };
}
