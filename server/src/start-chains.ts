import type { Config } from "./config/config.ts";
import type { Hex } from "./domain/tokens.ts";
import { repeat } from "./kernel/repeat.ts";
import type { Stores } from "./kernel/stores.ts";
import type { QuickstartChain } from "./modules/demo/first-run.ts";
import { releaseTrips } from "./modules/escrow/release-trips.ts";
import { mint } from "./modules/treasury/mint-operation.ts";
import { settleUsage } from "./modules/usage/settle-usage-job.ts";
import { sandboxPayer, startChainJobs, startEquippingTenants } from "./open-chain.ts";
import type { OpenChain } from "./open-network.ts";
import type { OpenChains } from "./open-ports.ts";
import type { OpenDatabase } from "./platform/database/database.ts";
import type { Clock } from "./ports/clock.ts";
import type { Log } from "./ports/log.ts";
import type { Vault } from "./ports/vault.ts";

const MILLISECONDS_PER_SECOND = 1_000;
const RELEASE_MILLISECONDS = 60_000;

export interface StartChainsOptions {
  config: Pick<Config, "sandboxBalanceUsdc" | "settleUsageSeconds">;
  db: OpenDatabase["db"];
  vault: Vault;
  clock: Clock;
  stores: Stores;
  log: Log;
}

/** What `quickstart.json` says of the development chain. */
export function describeChain(sandbox: OpenChain | undefined, rpcUrl: string | undefined): QuickstartChain | undefined {
  if (sandbox === undefined || rpcUrl === undefined) return undefined;
  const { chainId, tokens, escrow } = sandbox.chain;
  const network = `eip155:${chainId}`;
  return {
    rpcUrl,
    chainId,
    network,
    usdc: tokens.USDC.address,
    eurc: tokens.EURC.address,
    ...(escrow === undefined ? {} : { escrow: escrow.address }),
  };
}

/** For a metric: by how much the books and each chain disagree, in micro-units. */
export function differencesOf(chains: OpenChains): { network: string; token: string; micro: bigint }[] {
  return Object.entries(chains).flatMap(([network, chain]) =>
    Object.entries(chain.reconciler.differences()).map(([token, micro]) => ({ network, token, micro })),
  );
}

/** Starts what works on the networks without a caller, brings what a first start has ordered to its end, and returns how to stop. */
export async function startChains(
  chains: OpenChains,
  { config, db, vault, clock, stores, log }: StartChainsOptions,
): Promise<() => Promise<unknown>> {
  const stops: (() => Promise<unknown>)[] = [];
  for (const chain of [chains.sandbox, chains.production]) {
    if (chain === undefined) continue;
    // First up to a block at which the tokens are there.
    while (await chain.indexer.runOnce());
    stops.push(startChainJobs(chain, log));
    const release = () => releaseTrips({ ...{ stores, clock, log }, chain: chain.chain, submission: chain.submitter });
    stops.push(repeat("release-trips", RELEASE_MILLISECONDS, release, log));
  }
  const { sandbox, production } = chains;
  if (sandbox !== undefined) {
    stops.push(startEquippingTenants({ db, vault, clock, log }, sandbox, config.sandboxBalanceUsdc));
    await fundPayer(sandbox, stores, sandboxPayer(vault).address);
    await finishOpen(sandbox, stores);
  }
  if (production !== undefined) {
    const settle = () => settleUsage({ stores, submission: production.submitter, clock, log });
    stops.push(repeat("settle-usage", config.settleUsageSeconds * MILLISECONDS_PER_SECOND, settle, log));
  }
  return () => Promise.all(stops.map((stop) => stop()));
}

const PAYER_MICRO_USDC = 1_000_000_000n;

/** Once: what it spends is gone. */
async function fundPayer({ chain: { network } }: OpenChain, { chainTransactions }: Stores, to: Hex): Promise<void> {
  await chainTransactions.enqueue({
    network,
    idempotencyKey: "payer:USDC",
    tenantId: null,
    callId: null,
    purpose: "payer",
    operation: mint.of({ token: "USDC", to, amount: PAYER_MICRO_USDC }),
    result: undefined,
  });
}

const STARTING_WAIT_MILLISECONDS = 10_000;

/** The first tenant's money is there before the first call. What takes longer goes on behind a service that is ready. */
async function finishOpen({ chain, submitter }: OpenChain, { chainTransactions }: Stores): Promise<void> {
  const deadline = performance.now() + STARTING_WAIT_MILLISECONDS;
  submitter.wake();
  for (const { id } of await chainTransactions.listOpen(chain.network, 100)) {
    const left = deadline - performance.now();
    if (left <= 0) return;
    await submitter.waitForEnd(id, left);
  }
}
