import { setTimeout as delay } from "node:timers/promises";
import {
  createEvmClient,
  createEvmSender,
  createPaymentOutcomes,
  createPaymentVerifier,
  createRpc,
  reach,
  readIdentity,
} from "./adapters/evm/index.ts";
import { ConfigError } from "./config/config.ts";
import type { Decorators } from "./decorate.ts";
import type { Micro } from "./domain/money.ts";
import { type TokenSymbol, tokenSymbols } from "./domain/tokens.ts";
import type { ChainEndings } from "./kernel/chain-ending.ts";
import type { Stores } from "./kernel/stores.ts";
import { ChainIndexer } from "./modules/chain/index-chain.ts";
import type { ChainTiming } from "./modules/chain/launch-chain.ts";
import { createChainNetworks } from "./modules/chain/store-networks.ts";
import { createChainTransactions } from "./modules/chain/store-transactions.ts";
import { createChainSubmitter } from "./modules/chain/submit-chain.ts";
import { adoptEscrow } from "./modules/escrow/store-adopt-escrow.ts";
import { createLedgerReconciler } from "./modules/treasury/reconcile-ledger.ts";
import { createSigner, createWallets } from "./modules/treasury/store-wallets.ts";
import type { OpenDatabase } from "./platform/database/database.ts";
import { isDatabaseAway } from "./platform/database/transient.ts";
import type { HttpClient } from "./platform/http-client/http-client.ts";
import type { Chain } from "./ports/chain.ts";
import type { ChainContracts, ChainNetwork } from "./ports/chain-networks.ts";
import type { ChainOperations } from "./ports/chain-operation.ts";
import type { Clock } from "./ports/clock.ts";
import type { Environment } from "./ports/identity.ts";
import type { Log } from "./ports/log.ts";
import type { Vault } from "./ports/vault.ts";
import type { Wallet } from "./ports/wallets.ts";

/** What both networks have in common, for the roots that open them. */
export interface ChainParts {
  db: OpenDatabase["db"];
  vault: Vault;
  clock: Clock;
  stores: Stores;
  http: HttpClient;
  log: Log;
  rpcUrl: string;
  /** Of one question to the node. */
  rpcTimeoutMs?: number;
  /** Every kind of chain operation. */
  operations: ChainOperations;
  /** What else changes when a transaction of a purpose ends. */
  endings?: ChainEndings;
  timing?: Partial<ChainTiming>;
  decorate?: Pick<Decorators, "chainSender">;
}

const RPC_TIMEOUT_MS = 5_000;
const LIVE_POLL_MS = 1_000;
const SETTLED_BLOCKS = 100n;
const LIVE_OVERLAP_BLOCKS = 20;
const LIVE_PATIENCE = 2;
const LAG_PAUSE_MS = 200;
const SANDBOX_PAUSES = { indexMs: 500, reconcileMs: 3_000 };
const LIVE_PAUSES = { indexMs: 2_000, reconcileMs: 30_000 };

export type OpenChain = Awaited<ReturnType<typeof openNetwork>>;

export type Parts = ReturnType<typeof openParts>;

/** `isBatched`: the node is the development chain's, which takes many questions at once. */
export function openParts(
  { db, vault, clock, http, rpcUrl, rpcTimeoutMs = RPC_TIMEOUT_MS }: ChainParts,
  isBatched: boolean,
) {
  return {
    db,
    clock,
    client: createEvmClient(createRpc({ url: rpcUrl, http, timeoutMs: rpcTimeoutMs, isBatched })),
    networks: createChainNetworks(db, clock),
    wallets: createWallets({ db, vault, clock }),
    signer: createSigner({ db, vault }),
    chainTransactions: createChainTransactions(db, clock),
  };
}

/** The chain that this database knows under that name, or the first one. */
export async function bindNetwork(
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

/** Where the network's contracts are from now on; of another escrow than before with what it has by then. */
export async function storeContracts(
  { db, networks, clock }: Pick<Parts, "db" | "networks" | "clock">,
  chain: Chain,
  contracts: ChainContracts,
  before: ChainContracts | undefined,
): Promise<void> {
  const { network, escrow } = chain;
  const current = escrow === undefined ? contracts : { ...contracts, escrowSince: Number(escrow.sinceBlock) };
  if (escrow?.address === before?.escrow) {
    await networks.setContracts(network, current);
    return;
  }
  const balances: Record<TokenSymbol, Micro> = { USDC: 0n, EURC: 0n };
  if (escrow !== undefined) {
    for (const token of tokenSymbols) {
      balances[token] = (await chain.balances(token, [escrow.address], escrow.sinceBlock))[0] ?? 0n;
    }
  }
  await adoptEscrow(db, clock, { network, contracts: current, balances });
}

export async function openNetwork(
  { client, networks, wallets, signer }: Parts,
  { operations, stores, log, endings, timing, decorate = {} }: ChainParts,
  { chain, relayer, live }: { chain: Chain; relayer: Wallet; live: boolean },
) {
  const { network } = chain;
  const collection = await wallets.ensure(network, "collection");
  const bareSender = await createEvmSender({
    client,
    chain,
    operations,
    signer,
    relayer,
    walletIdOf: async (address) => (await wallets.findByAddress(network, [address])).get(address)?.id,
    feeRecipient: collection.address,
    live,
  });
  const sender = decorate.chainSender?.(bareSender) ?? bareSender;
  const shared = { chain, operations, sender, stores, wallets, networks, log, isTransient: isDatabaseAway };
  return {
    chain,
    operations,
    sender,
    networks,
    wallets,
    collection,
    facilitator: createPaymentVerifier({ client, chain }),
    outcomes: createPaymentOutcomes(client, chain),
    submitter: createChainSubmitter({
      ...shared,
      ...(endings === undefined ? {} : { endings }),
      timing: { ...(live ? { pollMs: LIVE_POLL_MS } : {}), ...timing },
    }),
    indexer: new ChainIndexer({ ...shared, overlapBlocks: live ? LIVE_OVERLAP_BLOCKS : 0 }),
    reconciler: createLedgerReconciler({ ...shared, ledger: stores.ledger, patience: live ? LIVE_PATIENCE : 1 }),
    pauses: live ? LIVE_PAUSES : SANDBOX_PAUSES,
  };
}
