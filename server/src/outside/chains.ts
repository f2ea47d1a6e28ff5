import { type Config, ConfigError } from "../config/config.ts";
import type { Embedded } from "../embedded/start-embedded.ts";
import type { Chains } from "../kernel/contracts/by-chain.ts";
import { withPreparationLock } from "../platform/database/migrate.ts";
import type { OpenedChain } from "../ports/chain/opened-chain.ts";
import { gatherChains } from "./gather-chains.ts";
import { openLiveChain, readRelayerKey } from "./live-chain.ts";
import type { ChainParts } from "./open-chain.ts";
import { openSandboxChain } from "./sandbox-chain.ts";
import { sandboxFunder } from "./sandbox-keys.ts";

type Shared = Omit<ChainParts, "rpcUrl">;

/** Opens the chains of this deployment's money. Requires the preparation lock: the first time it deploys. */
export async function openChains(
  config: Config,
  embedded: Pick<Embedded, "chain" | "databaseUrl">,
  shared: Shared,
): Promise<Chains> {
  const { chain, databaseUrl } = embedded;
  const funderKey = sandboxFunder(shared.vault).privateKey;
  const home = {
    ...(chain === undefined ? {} : { sandbox: await openSandboxChain({ ...shared, rpcUrl: chain.rpcUrl, funderKey }) }),
    ...(config.networkMode === "production" ? { production: await openProduction(config, shared) } : {}),
  };
  return gatherChains(home, [], { log: shared.log, withLock: (work) => withPreparationLock(databaseUrl, work) });
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
