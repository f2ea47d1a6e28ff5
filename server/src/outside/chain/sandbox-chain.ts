import { setTimeout as delay } from "node:timers/promises";
import { createEvmChain, deployDevelopment, type LaterContracts } from "../../adapters/evm/index.ts";
import { CHAIN_AWAY, Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ChainContracts } from "../../ports/chain/bound-chains.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import { bindChain, type ChainParts, createChainClient, openChain, storeContracts } from "./open-chain.ts";
import { createSandboxCrossChain, listRelayerDuties, locateAtHub, toAddresses } from "./sandbox-cross-chain.ts";

export interface SandboxChainOptions extends ChainParts {
  /** Holds native gas from the development chain's first block on: `sandboxFunder` of sandbox-keys.ts. */
  funderKey: Hex;
  /** Default: true. */
  isHome?: boolean;
  /** How long to wait for an unavailable chain. */
  patienceMilliseconds?: number;
}

const ENVIRONMENT = "sandbox";
const SANDBOX_PATIENCE_MS = 20_000;
const SANDBOX_PAUSE_MS = 200;

/**
 * Binds the chain and the first time deploys to it; requires the preparation lock. An unavailable development chain is being
 * restarted by its supervisor, so it is waited for.
 */
export async function openSandboxChain(options: SandboxChainOptions): Promise<OpenedChain> {
  const deadline = performance.now() + (options.patienceMilliseconds ?? SANDBOX_PATIENCE_MS);
  for (;;) {
    try {
      return await openSandboxOnce(options);
    } catch (error) {
      const isAway = error instanceof Failure && error.code === CHAIN_AWAY;
      if (!isAway || performance.now() > deadline) throw error;
      await delay(SANDBOX_PAUSE_MS);
    }
  }
}

async function openSandboxOnce(options: SandboxChainOptions): Promise<OpenedChain> {
  const parts = createChainClient(options, true);
  const { client, wallets, signer, chainTransactions, clock } = parts;
  const environment = ENVIRONMENT;
  const { isHome = true } = options;
  const bound = await bindChain(parts, { environment, isHome, what: "the development chain" });
  const { contracts: known } = bound;
  const relayer = await wallets.ensure(bound, "relayer");
  const collection = await wallets.ensure(bound, "collection");
  const { contracts: deployed, nextNonce } = await deployDevelopment({
    client,
    relayerKey: await signer.readPrivateKey(relayer.id),
    funderKey: options.funderKey,
    collection: collection.address,
    known: known ?? {},
  });
  if (known === undefined) await chainTransactions.raiseNonce(relayer.id, nextNonce);
  const contracts = mergeContracts(known, deployed);
  const located = isHome ? locateAtHub(options.vault, bound.chainId, contracts.tokens) : undefined;
  const withAddresses = located === undefined ? contracts : { ...contracts, crossChain: toAddresses(located) };
  const chain = await createEvmChain({ environment, client, contracts: withAddresses, confirmations: 1, clock });
  await storeContracts(parts, chain, withAddresses, known);
  const opened = await openChain(parts, options, { chain, relayer, isLive: false });
  return located === undefined ? opened : { ...opened, development: listRelayerDuties(located) };
}

/** Deploys the contracts for other chains to the home chain; requires the preparation lock. It goes on where it was cut off. */
export async function deployToHub(
  options: SandboxChainOptions,
  { chain: { key, tokens } }: OpenedChain,
): Promise<void> {
  const { client, wallets } = createChainClient(options, true);
  const { USDC, EURC } = tokens;
  if (EURC === undefined) return;
  const { address: relayer } = await wallets.ensure(key, "relayer");
  const { address: collection } = await wallets.ensure(key, "collection");
  const site = { client, funderKey: options.funderKey, relayer, collection };
  await createSandboxCrossChain(options.vault).deployToHub(site, { USDC: USDC.address, EURC: EURC.address });
}

/** First deployments stay where they are; contracts added later may have been deployed again. */
function mergeContracts(known: ChainContracts | undefined, deployed: ChainContracts & Required<LaterContracts>) {
  const { escrowSince, ...before } = known ?? deployed;
  const { paymentBatch, escrow, agentRegistries } = deployed;
  const merged = { ...before, paymentBatch, escrow, agentRegistries };
  return before.escrow === escrow && escrowSince !== undefined ? { ...merged, escrowSince } : merged;
}
