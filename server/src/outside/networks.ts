import { type Config, ConfigError } from "../config/config.ts";
import type { Embedded } from "../embedded/start-embedded.ts";
import type { ByEnvironment } from "../kernel/parts.ts";
import type { Network } from "../ports/network.ts";
import { openLiveNetwork, readRelayerKey } from "./live-network.ts";
import type { NetworkParts } from "./network.ts";
import { sandboxFunder } from "./sandbox-keys.ts";
import { openSandboxNetwork } from "./sandbox-network.ts";

type Shared = Omit<NetworkParts, "rpcUrl">;

/** The networks that this deployment's money is on. Call it while holding the preparation lock: at the first time it deploys. */
export async function openNetworks(
  config: Config,
  embedded: Pick<Embedded, "chain">,
  shared: Shared,
): Promise<ByEnvironment<Network>> {
  const { chain } = embedded;
  const funderKey = sandboxFunder(shared.vault).privateKey;
  return {
    ...(chain === undefined
      ? {}
      : { sandbox: await openSandboxNetwork({ ...shared, rpcUrl: chain.rpcUrl, funderKey }) }),
    ...(config.networkMode === "production" ? { production: await openProduction(config, shared) } : {}),
  };
}

async function openProduction(config: Config, shared: Shared): Promise<Network> {
  const { chainRpcUrl, chainUsdc, chainEurc, chainSplitter, chainPaymentBatch, chainEscrow, chainRelayerKeyFile } =
    config;
  if (chainRpcUrl === undefined || chainUsdc === undefined || chainRelayerKeyFile === undefined) {
    throw new ConfigError("Not started: the live chain is not configured.");
  }
  return await openLiveNetwork({
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
