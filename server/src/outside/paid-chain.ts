import type { ByChain } from "../kernel/contracts/by-chain.ts";
import type { ByEnvironment } from "../kernel/contracts/parts.ts";
import type { OpenedChain } from "../ports/chain/opened-chain.ts";
import type { PaidChain } from "../surfaces/paid/price-tags.ts";

/** Single calls are paid on the home chain of each environment. */
export function listPaidChains(chains: Pick<ByChain<OpenedChain>, "home">): ByEnvironment<PaidChain> {
  const sandbox = chains.home("sandbox");
  const production = chains.home("production");
  return {
    ...(sandbox === undefined ? {} : { sandbox: toPaidChain(sandbox) }),
    ...(production === undefined ? {} : { production: toPaidChain(production) }),
  };
}

/** Payments go to the collection wallet of each chain. */
function toPaidChain({ chain, collection }: OpenedChain): PaidChain {
  const { address, name, version } = chain.tokens.USDC;
  return {
    network: `eip155:${chain.chainId}`,
    asset: address,
    payTo: collection.address,
    extra: { name, version },
  };
}
