import { type Config, ConfigError } from "../../config/config.ts";
import { namedChains } from "../../domain/chains/named-chains.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Embedded } from "../../embedded/start-embedded.ts";
import { type Chains, isSameChain } from "../../kernel/contracts/by-chain.ts";
import { withPreparationLock } from "../../platform/database/migrate.ts";
import type { AgentRegistryAddresses } from "../../ports/chain/agent-registries.ts";
import { nameEvmChain } from "../../ports/chain/chain-key.ts";
import type { CrossChainAddresses } from "../../ports/chain/cross-chain-contracts.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import { sandboxFunder } from "../sandbox-keys.ts";
import { type FileChain, joinCrossChain, readChainsFile } from "./chains-file.ts";
import { openFurtherSandboxChain, readFurtherTips } from "./further-sandbox-chain.ts";
import { type FurtherChain, gatherChains, openIfReachable } from "./gather-chains.ts";
import { readRelayerKey } from "./key-file.ts";
import { openLiveChain } from "./live-chain.ts";
import type { ChainParts } from "./open-chain.ts";
import { deployToHub, openSandboxChain } from "./sandbox-chain.ts";

type Shared = Omit<ChainParts, "rpcUrl">;

/** How CHAINS_FILE calls what the home chain has a variable for. */
const MEMBERS: Readonly<Record<string, string>> = {
  CHAIN_RPC_URL: "rpcUrl",
  CHAIN_USDC: "usdc",
  CHAIN_EURC: "eurc",
  CHAIN_SPLITTER: "splitter",
  CHAIN_PAYMENT_BATCH: "paymentBatch",
  CHAIN_ESCROW: "escrow",
  CHAIN_BRIDGE_TRANSMITTER: "bridge.transmitter",
  CHAIN_BRIDGE_MESSENGER: "bridge.messenger",
  CHAIN_SIGNED_BURNS: "bridge.signedBurns",
  CHAIN_GATEWAY_WALLET: "gateway.wallet",
  CHAIN_GATEWAY_MINTER: "gateway.minter",
  CHAIN_SWAP_POOL: "swapPool",
};

/** Opens the chains of this deployment's money. Requires the preparation lock: the first time it deploys. */
export async function openChains(
  config: Config,
  embedded: Pick<Embedded, "chain" | "databaseUrl">,
  shared: Shared,
): Promise<Chains> {
  const { chain, databaseUrl } = embedded;
  const { log } = shared;
  const funderKey = sandboxFunder(shared.vault).privateKey;
  const isProduction = config.networkMode === "production";
  // Read before anything is opened: a mistake in the file must not bind the database to a chain.
  const inFile = isProduction && config.chainsFile !== undefined ? readChainsFile(config.chainsFile) : [];
  const home = {
    ...(chain === undefined ? {} : { sandbox: await openSandboxChain({ ...shared, rpcUrl: chain.rpcUrl, funderKey }) }),
    ...(isProduction ? { production: await openProduction(config, shared) } : {}),
  };
  const further = inFile.map((one) => describeFurther(config, shared, one));
  const opened: OpenedChain[] = [];
  for (const one of further) {
    if (home.production !== undefined && isSameChain(home.production.chain.key, one.key)) {
      throw new ConfigError(`Not started: CHAINS_FILE names ${one.key.chain}, which CHAIN_RPC_URL has already.`);
    }
    const openedChain = await openIfReachable(one, log);
    if (openedChain !== undefined) opened.push(openedChain);
  }
  const withLock = <Result>(work: () => Promise<Result>) => withPreparationLock(databaseUrl, work);
  const gathered = { home, further, opened, log, withLock };
  const { sandbox } = home;
  if (chain === undefined || sandbox === undefined) return gatherChains(gathered);
  const options = { ...shared, rpcUrl: chain.rpcUrl, funderKey };
  return gatherChains({
    ...gathered,
    onDemand: describeOnDemand(options, sandbox),
    readTips: () => readFurtherTips(options),
    completeSandbox: () => deployToHub(options, sandbox),
  });
}

/** Only development chains, whatever their names: a sandbox key reaches no other node. */
function describeOnDemand(
  options: ChainParts & { funderKey: Hex },
  { chain: { key, tokens } }: OpenedChain,
): readonly FurtherChain[] {
  return namedChains.flatMap((known) => {
    const chain = nameEvmChain(known.chainId);
    if (chain === key.chain) return [];
    const open = () => openFurtherSandboxChain({ ...options, known, hubUsdc: tokens.USDC.address });
    return [{ key: { environment: "sandbox", chain }, open }];
  });
}

function describeFurther(config: Config, shared: Shared, inFile: FileChain): FurtherChain {
  const { name, chainId, rpcUrl, contracts, confirmations } = inFile;
  return {
    key: { environment: "production", chain: nameEvmChain(chainId) },
    async open() {
      try {
        const relayerKey = readConfiguredKey(config);
        return await openLiveChain({ ...shared, rpcUrl, contracts, confirmations, relayerKey, further: { chainId } });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        const said = error.message.replace(/^Not started: /, "");
        const why = said.replaceAll(/\bCHAIN_[A-Z_]+\b/g, (variable) => MEMBERS[variable] ?? variable);
        throw new ConfigError(`Not started: CHAINS_FILE, ${name}: ${why}`);
      }
    },
  };
}

function readConfiguredKey({ chainRelayerKeyFile }: Config): ReturnType<typeof readRelayerKey> {
  if (chainRelayerKeyFile !== undefined) return readRelayerKey(chainRelayerKeyFile);
  throw new ConfigError("Not started: the live chain is not configured.");
}

function pickAgentRegistries(config: Config): AgentRegistryAddresses | undefined {
  const { chainAgentIdentity: identity, chainAgentReputation: reputation, chainWalletCalls: forwarder } = config;
  const { chainAgentValidation: validation } = config;
  if (identity === undefined || reputation === undefined || forwarder === undefined) return undefined;
  return { forwarder, identity, reputation, ...(validation === undefined ? {} : { validation }) };
}

async function openProduction(config: Config, shared: Shared): Promise<OpenedChain> {
  const { chainRpcUrl, chainUsdc, chainEurc, chainSplitter, chainPaymentBatch, chainEscrow } = config;
  const agentRegistries = pickAgentRegistries(config);
  if (chainRpcUrl === undefined || chainUsdc === undefined) {
    throw new ConfigError("Not started: the live chain is not configured.");
  }
  const crossChain = readCrossChain(config);
  return await openLiveChain({
    ...shared,
    rpcUrl: chainRpcUrl,
    contracts: {
      tokens: { USDC: chainUsdc, ...(chainEurc === undefined ? {} : { EURC: chainEurc }) },
      ...(chainSplitter === undefined ? {} : { splitter: chainSplitter }),
      ...(chainPaymentBatch === undefined ? {} : { paymentBatch: chainPaymentBatch }),
      ...(chainEscrow === undefined ? {} : { escrow: chainEscrow }),
      ...(agentRegistries === undefined ? {} : { agentRegistries }),
      ...(crossChain === undefined ? {} : { crossChain }),
    },
    confirmations: config.chainConfirmations,
    relayerKey: readConfiguredKey(config),
  });
}

/** The contracts for other chains on the home chain. */
function readCrossChain(config: Config): CrossChainAddresses | undefined {
  const {
    chainBridgeTransmitter: transmitter,
    chainBridgeMessenger: messenger,
    chainSignedBurns: signedBurns,
  } = config;
  const { chainGatewayWallet: wallet, chainGatewayMinter: minter, chainSwapPool: swapPool } = config;
  if (
    (transmitter === undefined) !== (messenger === undefined) ||
    (transmitter === undefined && signedBurns !== undefined)
  ) {
    throw new ConfigError(
      "Not started: the bridge needs CHAIN_BRIDGE_TRANSMITTER and CHAIN_BRIDGE_MESSENGER, and only beside them CHAIN_SIGNED_BURNS.",
    );
  }
  if ((wallet === undefined) !== (minter === undefined)) {
    throw new ConfigError("Not started: the Gateway needs CHAIN_GATEWAY_WALLET and CHAIN_GATEWAY_MINTER.");
  }
  const burns = signedBurns === undefined ? {} : { signedBurns };
  return joinCrossChain({
    bridge: transmitter === undefined || messenger === undefined ? undefined : { transmitter, messenger, ...burns },
    gateway: wallet === undefined || minter === undefined ? undefined : { wallet, minter },
    swapPool,
  });
}
