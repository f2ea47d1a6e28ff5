import { notServed } from "../../kernel/contracts/module.ts";
import { TransferWorker, transferEnding } from "../cross-chain/index.ts";
import { BRIDGED_SWAP_PURPOSE, swapAndBridgeKind } from "./bridged/swap-and-bridge-kind.ts";
import { defineModule } from "./context.ts";
import { swap } from "./swap-operation.ts";
import { swapAndBridge } from "./tools/swap-and-bridge.ts";
import { swapTokens } from "./tools/swap-tokens.ts";

declare module "../../kernel/contracts/call-plan.ts" {
  interface Holdings {
    /** The operator's pool, which pays in the other token at once. */
    readonly swap_pool: true;
  }
}

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "swaps.swapAndBridgeWorker": TransferWorker;
  }
}

export const swapsModule = defineModule({
  name: "swaps",
  tools: [swapTokens, swapAndBridge],
  chainOperations: [swap],
  chainEndings: { [BRIDGED_SWAP_PURPOSE]: transferEnding(swap) },
  parts: { swapAndBridgeWorker: (parts) => new TransferWorker(swapAndBridgeKind(parts), parts) },
  jobs: ({ swapAndBridgeWorker }) => [swapAndBridgeWorker.job],
  stop: ({ swapAndBridgeWorker }) => swapAndBridgeWorker.stop(),
  async facts({ chains }) {
    const production = chains.home("production");
    if (production === undefined || production.chain.crossChain.swapPool !== undefined) return [];
    return [notServed([swapTokens], "until CHAIN_SWAP_POOL is set")];
  },
});
