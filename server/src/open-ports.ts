import { createDuffel } from "./adapters/duffel/index.ts";
import { createEcbRates } from "./adapters/ecb/index.ts";
import { createEmbeddedFx } from "./adapters/embedded-fx/index.ts";
import { createEmbeddedMaps } from "./adapters/embedded-maps/index.ts";
import { type Config, ConfigError } from "./config.ts";
import type { Embedded } from "./embedded/start-embedded.ts";
import { chainEndings } from "./jobs/chain-endings.ts";
import type { Ports } from "./kernel/tool.ts";
import {
  type ChainParts,
  type OpenChain,
  openLiveChain,
  openSandboxChain,
  readRelayerKey,
  sandboxFunder,
} from "./open-chain.ts";
import type { Environment } from "./ports/identity.ts";

/** The networks that this deployment's money is on. */
export type OpenChains = Partial<Record<Environment, OpenChain>>;

/** Call it while holding the preparation lock: at the first time it deploys. */
export async function openChains(
  config: Config,
  embedded: Embedded,
  parts: Omit<ChainParts, "rpcUrl" | "endings">,
): Promise<OpenChains> {
  const shared = { ...parts, endings: chainEndings };
  const chains: OpenChains = {};
  if (embedded.chain !== undefined) {
    const { privateKey: funderKey } = sandboxFunder(parts.vault);
    const signsAgainBlindly = config.breakGuard === "chain-look-up";
    const { rpcUrl } = embedded.chain;
    chains.sandbox = await openSandboxChain({ ...shared, rpcUrl, funderKey, signsAgainBlindly });
  }
  if (config.networkMode === "production") {
    const { chainRpcUrl, chainUsdc, chainEurc, chainSplitter, chainRelayerKeyFile } = config;
    if (
      chainRpcUrl === undefined ||
      chainUsdc === undefined ||
      chainEurc === undefined ||
      chainRelayerKeyFile === undefined
    ) {
      throw new ConfigError("Not started: the live chain is not configured.");
    }
    chains.production = await openLiveChain({
      ...shared,
      rpcUrl: chainRpcUrl,
      contracts: {
        tokens: { USDC: chainUsdc, EURC: chainEurc },
        ...(chainSplitter === undefined ? {} : { splitter: chainSplitter }),
      },
      confirmations: config.chainConfirmations,
      relayerKey: readRelayerKey(chainRelayerKeyFile),
    });
  }
  return chains;
}

/** Two sets of ports, the sandbox's and the live ones; the kernel picks one by the key's environment. */
export function openPorts(
  config: Config,
  embedded: Embedded,
  chains: OpenChains,
  shared: Pick<Ports, "clock" | "random" | "travelers" | "stores"> & Pick<ChainParts, "http" | "log">,
): Partial<Record<Environment, Ports>> {
  const { clock, random, travelers, stores, http, log } = shared;
  const embeddedFx = createEmbeddedFx();
  const fx =
    config.fxRatesUrl === undefined
      ? embeddedFx
      : createEcbRates({ url: config.fxRatesUrl, http, fallback: embeddedFx, clock, log });
  const common = { clock, random, travelers, stores, maps: createEmbeddedMaps({ clock }), fx };
  const moneyOf = (chain: OpenChain) => ({ chain: chain.chain, submission: chain.submitter });
  const { supplier } = embedded;
  const ports: Partial<Record<Environment, Ports>> = {};
  if (supplier !== undefined && chains.sandbox !== undefined) {
    const sandbox = createDuffel({
      baseUrl: supplier.url,
      token: supplier.token,
      sandbox: true,
      sourceLevel: "embedded",
      clock,
      log,
      http,
      timeouts: { searchMs: config.supplierSearchTimeoutMs, commitMs: config.sandboxCommitTimeoutMs },
      quietMilliseconds: config.sandboxQuietMs,
    });
    ports.sandbox = { ...common, ...sandbox, ...moneyOf(chains.sandbox) };
  }
  if (chains.production !== undefined && config.supplierUrl !== undefined && config.supplierToken !== undefined) {
    const live = createDuffel({
      baseUrl: config.supplierUrl,
      token: config.supplierToken,
      sandbox: false,
      sourceLevel: "live",
      clock,
      log,
      http,
      timeouts: { searchMs: config.supplierSearchTimeoutMs, commitMs: config.supplierCommitTimeoutMs },
      quietMilliseconds: config.supplierQuietMs,
    });
    ports.production = { ...common, ...live, ...moneyOf(chains.production) };
  }
  return ports;
}
