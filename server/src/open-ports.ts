import { createDuffel, type Duffel } from "./adapters/duffel/index.ts";
import { createEcbRates } from "./adapters/ecb/index.ts";
import { createEmbeddedFx } from "./adapters/embedded-fx/index.ts";
import { createEmbeddedMaps } from "./adapters/embedded-maps/index.ts";
import { createClaimKeys } from "./adapters/evm/index.ts";
import { type Config, ConfigError } from "./config/config.ts";
import { chainEndings, chainOperations } from "./contributions.ts";
import type { Decorators } from "./decorate.ts";
import type { Embedded } from "./embedded/start-embedded.ts";
import type { Ports } from "./kernel/tool.ts";
import { openSandboxChain, sandboxFunder } from "./open-chain.ts";
import { openLiveChain, readRelayerKey } from "./open-live-chain.ts";
import type { ChainParts, OpenChain } from "./open-network.ts";
import type { Environment } from "./ports/identity.ts";
import type { Vault } from "./ports/vault.ts";

/** The networks that this deployment's money is on. */
export type OpenChains = Partial<Record<Environment, OpenChain>>;

/** Call it while holding the preparation lock: at the first time it deploys. */
export async function openChains(
  config: Config,
  embedded: Embedded,
  parts: Omit<ChainParts, "rpcUrl" | "endings" | "operations">,
): Promise<OpenChains> {
  const shared = { ...parts, operations: chainOperations, endings: chainEndings };
  const chains: OpenChains = {};
  if (embedded.chain !== undefined) {
    const { privateKey: funderKey } = sandboxFunder(parts.vault);
    const { rpcUrl } = embedded.chain;
    chains.sandbox = await openSandboxChain({ ...shared, rpcUrl, funderKey });
  }
  if (config.networkMode === "production") {
    const { chainRpcUrl, chainUsdc, chainEurc, chainSplitter, chainPaymentBatch, chainEscrow, chainRelayerKeyFile } =
      config;
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
        ...(chainPaymentBatch === undefined ? {} : { paymentBatch: chainPaymentBatch }),
        ...(chainEscrow === undefined ? {} : { escrow: chainEscrow }),
      },
      confirmations: config.chainConfirmations,
      relayerKey: readRelayerKey(chainRelayerKeyFile),
    });
  }
  return chains;
}

type Outside = Pick<Ports, "clock"> & Pick<ChainParts, "http" | "log">;

/** The suppliers that this deployment buys from; both speak the same wire. */
export function openSuppliers(
  config: Config,
  embedded: Embedded,
  { clock, http, log, decorate = {} }: Outside & { decorate?: Pick<Decorators, "supplier"> },
): Partial<Record<Environment, Duffel>> {
  const { supplier } = embedded;
  const suppliers: Partial<Record<Environment, Duffel>> = {};
  if (supplier !== undefined) {
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
    suppliers.sandbox = decorate.supplier?.(sandbox) ?? sandbox;
  }
  if (config.supplierUrl !== undefined && config.supplierToken !== undefined) {
    suppliers.production = createDuffel({
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
  }
  return suppliers;
}

/** What guests claim trips with, and where their links lead. */
export function openClaims(
  { linkOrigins }: Config,
  vault: Pick<Vault, "deriveKey">,
  appUrl: string,
): Pick<Ports, "claimKeys" | "claimLinks"> {
  const defaultOrigin = new URL(appUrl).origin;
  return { claimKeys: createClaimKeys(vault), claimLinks: { defaultOrigin, otherOrigins: linkOrigins } };
}

/** Two sets of ports, the sandbox's and the live ones; the kernel picks one by the key's environment. */
export function openPorts(
  config: Config,
  embedded: Embedded,
  chains: OpenChains,
  shared: Pick<Ports, "random" | "travelers" | "stores" | "mailer" | "claimKeys" | "claimLinks"> & Outside,
  suppliers: Partial<Record<Environment, Duffel>> = openSuppliers(config, embedded, shared),
): Partial<Record<Environment, Ports>> {
  const { clock, random, travelers, stores, mailer, claimKeys, claimLinks, http, log } = shared;
  const embeddedFx = createEmbeddedFx();
  const fx =
    config.fxRatesUrl === undefined
      ? embeddedFx
      : createEcbRates({ url: config.fxRatesUrl, http, fallback: embeddedFx, clock, log });
  const maps = createEmbeddedMaps({ clock });
  const common = { clock, random, travelers, stores, mailer, claimKeys, claimLinks, maps, fx };
  const ports: Partial<Record<Environment, Ports>> = {};
  for (const network of ["sandbox", "production"] as const) {
    const supplier = suppliers[network];
    const chain = chains[network];
    if (supplier === undefined || chain === undefined) continue;
    const { flights, flightServicing, stays, stayBookings } = supplier;
    const bought = { flights, flightServicing, stays, stayBookings };
    ports[network] = { ...common, ...bought, chain: chain.chain, submission: chain.submitter };
  }
  return ports;
}
