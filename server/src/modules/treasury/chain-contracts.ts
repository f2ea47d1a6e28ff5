import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";

/** Whether it is a contract of the service: none of them returns tokens sent to it. */
export function isChainContract(chain: Chain, address: Hex): boolean {
  const { tokens, splitter, faucet, paymentBatch, escrow, agentRegistries } = chain;
  const { bridge, gateway, swapPool } = chain.crossChain;
  return [
    ...Object.values(tokens).map((token) => token.address),
    ...[splitter, faucet, paymentBatch, escrow?.address, swapPool],
    ...[agentRegistries?.contracts, bridge, gateway].flatMap((contracts) => Object.values(contracts ?? {})),
  ].includes(address);
}
