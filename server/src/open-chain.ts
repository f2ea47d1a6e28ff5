import { setTimeout as delay } from "node:timers/promises";
import { addressOf, createEvmChain, deployDevelopment, type LaterContracts } from "./adapters/evm/index.ts";
import { CHAIN_AWAY, Failure } from "./domain/errors.ts";
import type { Micro } from "./domain/money.ts";
import type { Hex } from "./domain/tokens.ts";
import { repeat } from "./kernel/repeat.ts";
import { createChainNetworks } from "./modules/chain/store-networks.ts";
import { createChainTransactions } from "./modules/chain/store-transactions.ts";
import { AGENT_KEY, registerAgent } from "./modules/reputation/register-agent.ts";
import { equipTenant } from "./modules/treasury/equip-tenant.ts";
import { createWallets } from "./modules/treasury/store-wallets.ts";
import {
  bindNetwork,
  type ChainParts,
  type OpenChain,
  openNetwork,
  openParts,
  storeContracts,
} from "./open-network.ts";
import type { Queryable } from "./platform/database/database.ts";
import type { ChainContracts } from "./ports/chain-networks.ts";
import type { ChainTransaction } from "./ports/chain-transactions.ts";
import type { Log } from "./ports/log.ts";
import type { Vault } from "./ports/vault.ts";

/** The part of the composition root that opens the development chain. */
export interface SandboxChainOptions extends ChainParts {
  /** Has native gas from the development chain's first block on: `sandboxFunder`. */
  funderKey: Hex;
  /** How long a chain that is away is waited for. */
  patienceMs?: number;
}

const NETWORK = "sandbox";
const SANDBOX_PATIENCE_MS = 20_000;
const SANDBOX_PAUSE_MS = 200;
const EQUIP_MS = 2_000;
const STOP_MS = 1_000;

/**
 * Who has native gas on the development chain from its first block on: a key that follows from the master key, as it is needed
 * before there is a database or a chain.
 */
export function sandboxFunder(vault: Pick<Vault, "deriveKey">): { address: Hex; privateKey: Hex } {
  const privateKey: Hex = `0x${vault.deriveKey("development chain funder")}`;
  return { address: addressOf(privateKey), privateKey };
}

/** A wallet for trying things out from outside, by a payment-gated call or a script: `quickstart.json` has its key. */
export function sandboxPayer(vault: Pick<Vault, "deriveKey">): { address: Hex; privateKey: Hex } {
  const privateKey: Hex = `0x${vault.deriveKey("development chain payer")}`;
  return { address: addressOf(privateKey), privateKey };
}

/** Who owns native gas on the development chain from its first block on. */
export function sandboxPrefund(vault: Pick<Vault, "deriveKey">): readonly Hex[] {
  return [sandboxFunder(vault).address, sandboxPayer(vault).address];
}

/**
 * Binds, and at the first time deploys; call it while holding the preparation lock. A development chain that is away is about to
 * be started again by whoever looks after it, and is waited for.
 */
export async function openSandboxChain(options: SandboxChainOptions): Promise<OpenChain> {
  const deadline = performance.now() + (options.patienceMs ?? SANDBOX_PATIENCE_MS);
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

async function openSandboxOnce(options: SandboxChainOptions) {
  const parts = openParts(options, true);
  const { client, wallets, signer, chainTransactions, clock } = parts;
  const network = NETWORK;
  const { contracts: known } = await bindNetwork(parts, network, "the development chain");
  const relayer = await wallets.ensure(network, "relayer");
  const collection = await wallets.ensure(network, "collection");
  const { contracts: deployed, nextNonce } = await deployDevelopment({
    client,
    relayerKey: await signer.privateKeyOf(relayer.id),
    funderKey: options.funderKey,
    collection: collection.address,
    known: known ?? {},
  });
  if (known === undefined) await chainTransactions.raiseNonce(relayer.id, nextNonce);
  const contracts = mergeContracts(known, deployed);
  const chain = await createEvmChain({ network, client, contracts, confirmations: 1, clock });
  await storeContracts(parts, chain, contracts, known);
  return await openNetwork(parts, options, { chain, relayer, live: false });
}

/** What was deployed first stays where it is; what came later can have been deployed once more. */
function mergeContracts(known: ChainContracts | undefined, deployed: ChainContracts & Required<LaterContracts>) {
  const { escrowSince, ...before } = known ?? deployed;
  const { paymentBatch, escrow, agentRegistries } = deployed;
  const merged = { ...before, paymentBatch, escrow, agentRegistries };
  return before.escrow === escrow && escrowSince !== undefined ? { ...merged, escrowSince } : merged;
}

/** For what makes tenants: in its own transaction. Undefined: the development chain was never opened on this database. */
export async function equipSandboxTenant(
  transaction: Queryable,
  parts: Pick<ChainParts, "vault" | "clock">,
  tenantId: string,
  amount: Micro,
): Promise<ChainTransaction[] | undefined> {
  const ports = equipmentOn(transaction, parts);
  const state = await ports.networks.get(NETWORK);
  if (state === undefined) return undefined;
  const orders = await equipTenant(ports, tenantId, amount);
  // Else they come with the next start, which registers those that are missing.
  if (state.contracts?.agentRegistries !== undefined) orders.push(await registerAgent(ports, tenantId));
  return orders;
}

const equipmentOn = (db: Queryable, { vault, clock }: Pick<ChainParts, "vault" | "clock">) => ({
  networks: createChainNetworks(db, clock),
  wallets: createWallets({ db, vault, clock }),
  chainTransactions: createChainTransactions(db, clock),
});

const EQUIPPED_AT_ONCE = 50;

/**
 * All tenants that were made while the development chain was not there, by command for example: a call that makes the wallet first
 * leaves it without money. How many there were.
 */
export async function equipMissingTenants(
  { db, ...parts }: Pick<ChainParts, "db" | "vault" | "clock">,
  amount: Micro,
): Promise<number> {
  const { wallets } = equipmentOn(db, parts);
  for (let equipped = 0; ; ) {
    const missing = await wallets.tenantsWithout(NETWORK, EQUIPPED_AT_ONCE);
    for (const tenantId of missing) {
      const orders = await db.transaction().execute((trx) => equipSandboxTenant(trx, parts, tenantId, amount));
      if (orders === undefined) return equipped;
      equipped += 1;
    }
    if (missing.length < EQUIPPED_AT_ONCE) return equipped;
  }
}

/** Agents of the tenants whose wallet is older than the registries. How many there were. */
export async function registerMissingAgents({
  db,
  ...parts
}: Pick<ChainParts, "db" | "vault" | "clock">): Promise<number> {
  const ports = equipmentOn(db, parts);
  if ((await ports.networks.get(NETWORK))?.contracts?.agentRegistries === undefined) return 0;
  for (let registered = 0; ; ) {
    const missing = await ports.wallets.tenantsWithoutOrder(NETWORK, AGENT_KEY, EQUIPPED_AT_ONCE);
    for (const tenantId of missing) await registerAgent(ports, tenantId);
    registered += missing.length;
    if (missing.length < EQUIPPED_AT_ONCE) return registered;
  }
}

/** Everything that works on a network without a caller. What it returns ends it. */
export function startChainJobs(network: OpenChain, log: Log): () => Promise<unknown> {
  const { chain, submitter, indexer, reconciler, pauses } = network;
  submitter.start();
  const index = async () => {
    while (await indexer.runOnce());
  };
  const jobs = [
    repeat(`index-chain ${chain.network}`, pauses.indexMs, index, log),
    repeat(`reconcile-ledger ${chain.network}`, pauses.reconcileMs, () => reconciler.runOnce(), log),
  ];
  const stopped = () => Promise.all([submitter.stop(), ...jobs.map((stop) => stop())]);
  // A node that does not answer must not keep a stop waiting.
  return () => Promise.race([stopped(), delay(STOP_MS, undefined, { ref: false })]);
}

/** Beside the jobs of the development chain: what makes tenants need not know of it. */
export function startEquippingTenants(
  parts: Pick<ChainParts, "db" | "vault" | "clock" | "log">,
  network: Pick<OpenChain, "submitter">,
  amount: Micro,
): () => Promise<unknown> {
  const equip = async () => {
    if ((await equipMissingTenants(parts, amount)) > 0) network.submitter.wake();
  };
  return repeat("equip-tenants", EQUIP_MS, equip, parts.log);
}
