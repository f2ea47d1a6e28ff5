import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain.ts";

/** Whether it is a contract that the service uses: none of them gives back what is sent to it. */
export function isNetworkContract({ tokens, splitter, faucet, paymentBatch }: Chain, address: Hex): boolean {
  return [tokens.USDC.address, tokens.EURC.address, splitter, faucet, paymentBatch].includes(address);
}
