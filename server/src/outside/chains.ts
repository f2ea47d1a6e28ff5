import { type Config, ConfigError } from "../config/config.ts";
import type { Embedded } from "../embedded/start-embedded.ts";
import type { ByEnvironment } from "../kernel/contracts/parts.ts";
import type { OpenedChain } from "../ports/chain/opened-chain.ts";
import { openLiveChain, readRelayerKey } from "./live-chain.ts";
import type { ChainParts } from "./open-chain.ts";
import { openSandboxChain } from "./sandbox-chain.ts";
import { sandboxFunder } from "./sandbox-keys.ts";

type Shared = Omit<ChainParts, "rpcUrl">;

/** Opens the chains of this deployment's money. Requires the preparation lock: the first time it deploys. */
export async function openChains(
  config: Config,
  embedded: Pick<Embedded, "chain">,
  shared: Shared,
): Promise<ByEnvironment<OpenedChain>> {
  const { chain } = embedded;
  const funderKey = sandboxFunder(shared.vault).privateKey;
  return {
    ...(chain === undefined ? {} : { sandbox: await openSandboxChain({ ...shared, rpcUrl: chain.rpcUrl, funderKey }) }),
    ...(config.networkMode === "production" ? { production: await openProduction(config, shared) } : {}),
  };
}

async function openProduction(config: Config, shared: Shared): Promise<OpenedChain> {
  const { chainRpcUrl, chainUsdc, chainEurc, chainSplitter, chainPaymentBatch, chainEscrow, chainRelayerKeyFile } =
    config;
  if (chainRpcUrl === undefined || chainUsdc === undefined || chainRelayerKeyFile === undefined) {
    throw new ConfigError("Not started: the live chain is not configured.");
  }
  return await openLiveChain({
    ...shared,
    rpcUrl: chainRpcUrl,
    contracts: {
      tokens: { USDC: chainUsdc, ...(chainEurc === undefined ? {} : { EURC: chainEurc }) },
      ...(chainSplitter === undefined ? {} : { splitter: chainSplitter }),
      ...(chainPaymentBatch === undefined ? {} : { paymentBatch: chainPaymentBatch }),
      ...(chainEscrow === undefined ? {} : { escrow: chainEscrow }),
    },
    confirmations: config.chainConfirmations,
    relayerKey: readRelayerKey(chainRelayerKeyFile),
  });
}
