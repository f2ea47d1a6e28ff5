import { notServed } from "../../kernel/contracts/module.ts";
import { defineModule } from "./context.ts";
import { swap } from "./swap-operation.ts";
import { swapTokens } from "./tools/swap-tokens.ts";

declare module "../../kernel/contracts/call-plan.ts" {
  interface Holdings {
    /** The operator's pool, which pays in the other token at once. */
    readonly swap_pool: true;
  }
}

export const swapsModule = defineModule({
  name: "swaps",
  tools: [swapTokens],
  chainOperations: [swap],
  async facts({ chains }) {
    const production = chains.home("production");
    if (production === undefined || production.chain.crossChain.swapPool !== undefined) return [];
    return [notServed([swapTokens], "until CHAIN_SWAP_POOL is set")];
  },
});
