import type { Network } from "../ports/network.ts";
import type { PaidNetwork } from "../surfaces/paid/price-tags.ts";

/** Payments go into the collection wallet of each network. */
export function paidNetworkOf({ chain, collection }: Network): PaidNetwork {
  const { address, name, version } = chain.tokens.USDC;
  return {
    network: `eip155:${chain.chainId}`,
    asset: address,
    payTo: collection.address,
    extra: { name, version },
  };
}
