import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Kysely } from "kysely";
import {
  addressOf,
  ChainSetupError,
  createEvmChain,
  createEvmClient,
  createEvmSender,
  createPaymentOutcomes,
  createPaymentVerifier,
  createRpc,
  deployDevelopment,
  reach,
  readIdentity,
  refuseWellKnownKey,
} from "./adapters/evm/index.ts";
import { equipTenant } from "./areas/treasury/equip-tenant.ts";
import { ConfigError } from "./config.ts";
import { CHAIN_AWAY, Failure } from "./domain/errors.ts";
import type { Micro } from "./domain/money.ts";
import type { Hex } from "./domain/tokens.ts";
import type { ChainEndings } from "./jobs/finish-chain.ts";
import { createChainIndexer } from "./jobs/index-chain.ts";
import type { ChainTiming } from "./jobs/launch-chain.ts";
import { createLedgerReconciler } from "./jobs/reconcile-ledger.ts";
import { repeat } from "./jobs/repeat.ts";
import { createChainSubmitter } from "./jobs/submit-chain.ts";
import type { HttpClient } from "./outbound/http-client.ts";
import type { Chain } from "./ports/chain.ts";
import type { ChainContracts, ChainNetwork } from "./ports/chain-networks.ts";
import type { ChainTransaction } from "./ports/chain-transactions.ts";
import type { Clock } from "./ports/clock.ts";
import type { Environment } from "./ports/identity.ts";
import type { Log } from "./ports/log.ts";
import type { Stores } from "./ports/stores.ts";
import type { Vault } from "./ports/vault.ts";
import type { Wallet } from "./ports/wallets.ts";
import { createChainNetworks } from "./storage/chain-networks.ts";
import { createChainTransactions } from "./storage/chain-transactions.ts";
import type { Database, Queryable } from "./storage/database.ts";
import { isDatabaseAway } from "./storage/transient.ts";
import { createSigner, createWallets } from "./storage/wallets.ts";

/** The part of the composition root that opens a network: the development chain, or the live one. */
export interface ChainParts {
  db: Kysely<Database>;
  vault: Vault;
  clock: Clock;
  stores: Stores;
  http: HttpClient;
  log: Log;
  rpcUrl: string;
  /** Of one question to the node. */
  rpcTimeoutMs?: number;
  /** What else changes when a transaction of a purpose ends. */
  endings?: ChainEndings;
  timing?: Partial<ChainTiming>;
  /** For a chaos run only: `submit-chain.ts`. */
  signsAgainBlindly?: boolean;
}

export interface SandboxChainOptions extends ChainParts {
  /** Has native gas from the development chain's first block on: `sandboxFunder`. */
  funderKey: Hex;
  /** How long a chain that is away is waited for. */
  patienceMs?: number;
}

export interface LiveChainOptions extends ChainParts {
  contracts: ChainContracts;
  confirmations: number;
  relayerKey: Hex;
}

const RPC_TIMEOUT_MS = 5_000;
const SANDBOX_PATIENCE_MS = 20_000;
const SANDBOX_PAUSE_MS = 200;
const LIVE_POLL_MS = 1_000;
const SETTLED_BLOCKS = 100n;
const LIVE_OVERLAP_BLOCKS = 20;
const LIVE_PATIENCE = 2;
const LIVE_LAG_PATIENCE_MS = 5_000;
const LAG_PAUSE_MS = 200;
const SANDBOX_PAUSES = { indexMs: 500, reconcileMs: 3_000 };
const LIVE_PAUSES = { indexMs: 2_000, reconcileMs: 30_000 };
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
  const { client, networks, wallets, signer, chainTransactions } = parts;
  const state = await bindNetwork(parts, "sandbox", "the development chain");
  const relayer = await wallets.ensure("sandbox", "relayer");
  const relayerKey = await signer.privateKeyOf(relayer.id);
  const deployed = await deployDevelopment({
    client,
    relayerKey,
    funderKey: options.funderKey,
    paymentBatch: state.contracts?.paymentBatch,
  });
  if (state.contracts === undefined) await chainTransactions.raiseNonce(relayer.id, deployed.nextNonce);
  const { paymentBatch } = deployed.contracts;
  const contracts = { ...(state.contracts ?? deployed.contracts), paymentBatch };
  if (state.contracts?.paymentBatch !== paymentBatch) await networks.setContracts("sandbox", contracts);
  const chain = await createEvmChain({
    network: "sandbox",
    client,
    contracts,
    confirmations: 1,
    clock: options.clock,
  });
  return await openNetwork(parts, options, { chain, relayer, live: false });
}

/** The operator's key of the live relayer: 32 bytes in hexadecimal, with or without 0x. */
export function readRelayerKey(path: string): Hex {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(readText(path).trim()) ?? [];
  if (digits !== undefined) return `0x${digits.toLowerCase()}`;
  throw new ConfigError(`Not started: CHAIN_RELAYER_KEY_FILE (${path}) does not hold 32 bytes in hexadecimal.`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ConfigError(`Not started: CHAIN_RELAYER_KEY_FILE (${path}) cannot be read.`);
  }
}

/** Throws ConfigError, in one line, when the configuration is not true of the network or the database is another's. */
export async function openLiveChain(options: LiveChainOptions) {
  const parts = openParts(options, false);
  const { client, networks, wallets, chainTransactions } = parts;
  const { confirmations, clock, relayerKey } = options;
  const contracts = lowerContracts(options.contracts);
  const network = "production";
  return await explained(async () => {
    refuseWellKnownKey(relayerKey);
    const { genesisHash } = await readIdentity(client);
    if ((await networks.get("sandbox"))?.genesisHash === genesisHash) {
      throw new ConfigError(
        "Not started: CHAIN_RPC_URL is this deployment's development chain. Set it to the live one.",
      );
    }
    // Before anything is stored: a mistake in the configuration must not bind the database to another chain.
    const chain = await createEvmChain({ network, client, contracts, confirmations, clock });
    const state = await bindNetwork(parts, network, "the live chain (CHAIN_RPC_URL)", LIVE_LAG_PATIENCE_MS);
    const stored = state.contracts?.tokens;
    if (stored !== undefined && (stored.USDC !== contracts.tokens.USDC || stored.EURC !== contracts.tokens.EURC)) {
      throw new ConfigError(
        `Not started: this database's money is in the tokens ${stored.USDC} and ${stored.EURC}, not in what CHAIN_USDC and CHAIN_EURC say. Set them back, or use another database.`,
      );
    }
    await networks.setContracts(network, contracts);
    const relayer = await wallets.adopt(network, "relayer", relayerKey);
    if (addressOf(relayerKey) !== relayer.address) {
      throw new ConfigError(
        `Not started: CHAIN_RELAYER_KEY_FILE has another key than that of ${relayer.address}, which signed what this database has under way. Put that key back.`,
      );
    }
    const open = await openNetwork(parts, options, { chain, relayer, live: true });
    await chainTransactions.raiseNonce(relayer.id, await open.sender.relayerNonce());
    const { address } = relayer;
    options.log.info({ chainId: chain.chainId, relayer: address, gas: await open.sender.gasBalance() }, "live chain");
    return open;
  });
}

export type OpenChain = Awaited<ReturnType<typeof openNetwork>>;

/** For what makes tenants: in its own transaction. Undefined: the development chain was never opened on this database. */
export async function equipSandboxTenant(
  transaction: Queryable,
  parts: Pick<ChainParts, "vault" | "clock">,
  tenantId: string,
  amount: Micro,
): Promise<ChainTransaction[] | undefined> {
  const { clock } = parts;
  if ((await createChainNetworks(transaction, clock).get("sandbox")) === undefined) return undefined;
  const wallets = createWallets({ db: transaction, ...parts });
  return await equipTenant(
    { wallets, chainTransactions: createChainTransactions(transaction, clock) },
    tenantId,
    amount,
  );
}

const EQUIPPED_AT_ONCE = 50;

/**
 * All tenants that were made while the development chain was not there, by command for example: a call that makes the wallet first
 * leaves it without money. How many there were.
 */
export async function equipMissingTenants(
  { db, ...parts }: Pick<ChainParts, "db" | "vault" | "clock">,
  amount: Micro,
): Promise<number> {
  const wallets = createWallets({ db, ...parts });
  for (let equipped = 0; ; ) {
    const missing = await wallets.tenantsWithout("sandbox", EQUIPPED_AT_ONCE);
    for (const tenantId of missing) {
      const mints = await db.transaction().execute((trx) => equipSandboxTenant(trx, parts, tenantId, amount));
      if (mints === undefined) return equipped;
      equipped += 1;
    }
    if (missing.length < EQUIPPED_AT_ONCE) return equipped;
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
    if ((await equipMissingTenants(parts, amount)) > 0) network.submitter.kick();
  };
  return repeat("equip-tenants", EQUIP_MS, equip, parts.log);
}

type Parts = ReturnType<typeof openParts>;

/** `together`: the node is the development chain's, which takes many questions at once. */
function openParts({ db, vault, clock, http, rpcUrl, rpcTimeoutMs = RPC_TIMEOUT_MS }: ChainParts, together: boolean) {
  return {
    client: createEvmClient(createRpc({ url: rpcUrl, http, timeoutMs: rpcTimeoutMs, together })),
    networks: createChainNetworks(db, clock),
    wallets: createWallets({ db, vault, clock }),
    signer: createSigner({ db, vault }),
    chainTransactions: createChainTransactions(db, clock),
  };
}

/** The chain that this database knows under that name, or the first one. */
async function bindNetwork(
  { client, networks }: Parts,
  network: Environment,
  what: string,
  lagPatienceMs = 0,
): Promise<ChainNetwork> {
  const identity = await readIdentity(client);
  const block = (number: bigint) => reach(() => client.getBlock({ blockNumber: number }));
  const head = await reach(() => client.getBlockNumber());
  // Nobody has paid into a wallet that is not made yet; so far back, no block is dropped any more.
  const first = await block(head > SETTLED_BLOCKS ? head - SETTLED_BLOCKS : 0n);
  const state = await networks.bind(network, { ...identity, head: { number: first.number, hash: first.hash } });
  const refuse = (why: string): ConfigError =>
    new ConfigError(
      `Not started: ${what} ${why}. Money in the books would be without cover: bring back the chain that belongs to this database, or use another database.`,
    );
  if (state.chainId !== identity.chainId) {
    throw refuse(`has chain id ${identity.chainId}, and this database belongs to ${state.chainId}`);
  }
  if (state.genesisHash !== identity.genesisHash) throw refuse("has another genesis than the one of this database");
  let indexed = head < state.indexed.number ? undefined : await block(state.indexed.number);
  // Of several nodes behind one address, one may lag behind the one that was asked before a restart.
  const deadline = performance.now() + lagPatienceMs;
  while (indexed === undefined && performance.now() < deadline) {
    await delay(LAG_PAUSE_MS);
    const isThere = (await reach(() => client.getBlockNumber())) >= state.indexed.number;
    if (isThere) indexed = await block(state.indexed.number);
  }
  if (indexed?.hash !== state.indexed.hash) {
    throw refuse(`lacks block ${state.indexed.number}, whose movements are in the books`);
  }
  return state;
}

async function openNetwork(
  { client, networks, wallets, signer }: Parts,
  { stores, log, endings, timing, signsAgainBlindly = false }: ChainParts,
  { chain, relayer, live }: { chain: Chain; relayer: Wallet; live: boolean },
) {
  const { network } = chain;
  const collection = await wallets.ensure(network, "collection");
  const sender = await createEvmSender({
    client,
    chain,
    signer,
    relayer,
    walletIdOf: async (address) => (await wallets.findByAddress(network, [address])).get(address)?.id,
    feeRecipient: collection.address,
    live,
  });
  const shared = { chain, sender, stores, wallets, networks, log, isTransient: isDatabaseAway };
  return {
    chain,
    sender,
    networks,
    wallets,
    collection,
    facilitator: createPaymentVerifier({ client, chain }),
    outcomes: createPaymentOutcomes(client, chain),
    submitter: createChainSubmitter({
      ...shared,
      ...(endings === undefined ? {} : { endings }),
      signsAgainBlindly,
      timing: { ...(live ? { pollMs: LIVE_POLL_MS } : {}), ...timing },
    }),
    indexer: createChainIndexer({ ...shared, overlapBlocks: live ? LIVE_OVERLAP_BLOCKS : 0 }),
    reconciler: createLedgerReconciler({ ...shared, ledger: stores.ledger, patience: live ? LIVE_PATIENCE : 1 }),
    pauses: live ? LIVE_PAUSES : SANDBOX_PAUSES,
  };
}

function lowerContracts({ tokens, splitter, faucet, paymentBatch }: ChainContracts): ChainContracts {
  const lower = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`;
  return {
    tokens: { USDC: lower(tokens.USDC), EURC: lower(tokens.EURC) },
    ...(splitter === undefined ? {} : { splitter: lower(splitter) }),
    ...(faucet === undefined ? {} : { faucet: lower(faucet) }),
    ...(paymentBatch === undefined ? {} : { paymentBatch: lower(paymentBatch) }),
  };
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChainSetupError) throw new ConfigError(`Not started: ${error.message}`);
    if (error instanceof Failure && error.code === CHAIN_AWAY) {
      throw new ConfigError("Not started: the live chain does not answer. Check CHAIN_RPC_URL and start again.");
    }
    throw error;
  }
}
