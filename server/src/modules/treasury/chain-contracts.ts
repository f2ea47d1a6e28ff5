import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { Stores } from "./context.ts";

/** Whether it is a contract of the service, or an escrow of one of its tenants: none of them returns tokens sent to it. */
export async function isServiceContract(
  { chain, stores }: { chain: Chain; stores: Pick<Stores, "furtherEscrows"> },
  address: Hex,
): Promise<boolean> {
  return isChainContract(chain, address) || (await stores.furtherEscrows.isKnown(chain.key, address));
}

function isChainContract(chain: Chain, address: Hex): boolean {
  const { tokens, splitter, faucet, paymentBatch, escrow, agentRegistries } = chain;
  const { bridge, gateway, swapPool } = chain.crossChain;
  return [
    ...Object.values(tokens).map((token) => token.address),
    ...[splitter, faucet, paymentBatch, escrow?.address, swapPool],
    ...[agentRegistries?.contracts, bridge, gateway].flatMap((contracts) => Object.values(contracts ?? {})),
  ].includes(address);
}
