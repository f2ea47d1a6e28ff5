import type { ChainEndings } from "../../src/kernel/contracts/chain-ending.ts";
import { startJob } from "../../src/kernel/contracts/job.ts";
import type { Aggregates, Stores } from "../../src/kernel/contracts/whole.ts";
import { createIndexer, createSubmitter } from "../../src/modules/chain/chain-machines.ts";
import type { ChainTiming } from "../../src/modules/chain/sending/launch-chain.ts";
import { registerNewAgent } from "../../src/modules/reputation/register-agent.ts";
import {
  equipMissingTenants,
  equipSandboxTenant as giveDevelopmentMoney,
} from "../../src/modules/treasury/equip-tenants.ts";
import { createReconciler } from "../../src/modules/treasury/reconcile-ledger.ts";
import { type LiveChainOptions, openLiveChain } from "../../src/outside/chain/live-chain.ts";
import { openSandboxChain, type SandboxChainOptions } from "../../src/outside/chain/sandbox-chain.ts";
import type { ChainOperations } from "../../src/ports/chain/chain-operation.ts";
import type { OpenedChain } from "../../src/ports/chain/opened-chain.ts";
import type { Log } from "../../src/ports/log.ts";

interface Machines {
  operations: ChainOperations;
  stores: Stores;
  log: Log;
  endings?: ChainEndings;
  timing?: Partial<ChainTiming>;
}

export type StartedSandboxOptions = SandboxChainOptions & Machines;
export type StartedChain = ReturnType<typeof withMachines>;

/** A chain with everything that works on it, each turn of which a test takes itself. */
function withMachines(openedChain: OpenedChain, { operations, stores, log, endings, timing }: Machines) {
  const own = { ...(endings === undefined ? {} : { endings }), ...(timing === undefined ? {} : { timing }) };
  return {
    ...openedChain,
    operations,
    facilitator: openedChain.verifier,
    boundChains: stores.boundChains,
    wallets: stores.wallets,
    submitter: createSubmitter(openedChain, { operations, stores, log, ...own }),
    indexer: createIndexer(openedChain, { operations, stores, log }),
    reconciler: createReconciler(openedChain, { stores, log }),
  };
}

export async function startSandboxChain(options: StartedSandboxOptions): Promise<StartedChain> {
  return withMachines(await openSandboxChain(options), options);
}

export async function startLiveChain(options: LiveChainOptions & Machines): Promise<StartedChain> {
  return withMachines(await openLiveChain(options), options);
}

/** Everything that works on it without a caller, as the service does it. What it returns ends it. */
export function startChainJobs(
  { submitter, indexer, reconciler }: StartedChain,
  log: Log,
  everyMilliseconds: number,
): () => Promise<unknown> {
  submitter.start();
  const index = async () => {
    while (await indexer.runOnce());
  };
  const often = { everyMilliseconds, stopWaitMilliseconds: 1_000 };
  const stops = [
    startJob({ ...often, name: "index-chain", run: index }, { log }),
    startJob({ ...often, name: "reconcile-ledger", run: () => reconciler.runOnce() }, { log }),
  ];
  return () => Promise.all([submitter.stop(), ...stops.map((stop) => stop())]);
}

export function startEquippingTenants(
  { stores, log }: { stores: Stores; log: Log },
  { submitter }: Pick<StartedChain, "submitter">,
  amount: bigint,
): () => Promise<void> {
  const run = async () => {
    if ((await equipMissingTenants(stores, equipWith(amount))) > 0) submitter.wake();
  };
  return startJob({ name: "equip-tenants", everyMilliseconds: 2_000, run }, { log });
}

/** The initial records of a tenant of the service, with this amount of each token. */
export async function equipSandboxTenant(aggregates: Aggregates, tenantId: string, amount: bigint): Promise<void> {
  await giveDevelopmentMoney(aggregates, tenantId, amount);
  await registerNewAgent(aggregates, tenantId);
}

export const equipWith = (amount: bigint) => (aggregates: Aggregates, tenantId: string) =>
  equipSandboxTenant(aggregates, tenantId, amount);
