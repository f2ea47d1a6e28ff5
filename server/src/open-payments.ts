import type { OpenChain } from "./open-chain.ts";
import type { OpenChains } from "./open-ports.ts";
import type { PaidNetwork } from "./surfaces/paid/price-tags.ts";

/** The part of the composition root that takes payments for single calls. */

/** Where they go: into the collection wallet of each network. */
export function paidNetworksOf({ sandbox, production }: OpenChains): {
  sandbox?: PaidNetwork;
  production?: PaidNetwork;
} {
  return {
    ...(sandbox === undefined ? {} : { sandbox: paidNetworkOf(sandbox) }),
    ...(production === undefined ? {} : { production: paidNetworkOf(production) }),
  };
}

function paidNetworkOf({ chain, collection }: OpenChain): PaidNetwork {
  const { address, name, version } = chain.tokens.USDC;
  return {
    network: `eip155:${chain.chainId}`,
    asset: address,
    payTo: collection.address,
    extra: { name, version },
  };
}
