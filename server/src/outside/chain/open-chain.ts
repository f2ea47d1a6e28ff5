import { setTimeout as delay } from "node:timers/promises";
import {
  createEvmClient,
  createEvmSender,
  createPaymentOutcomes,
  createPaymentVerifier,
  createRpc,
  reach,
  readIdentity,
} from "../../adapters/evm/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Micro } from "../../domain/money.ts";
import { type TokenSymbol, tokenSymbols } from "../../domain/tokens.ts";
import { createBoundChains } from "../../modules/chain/opening/store-bound-chains.ts";
import { createChainTransactions } from "../../modules/chain/sending/store-transactions.ts";
import { createFurtherEscrows } from "../../modules/chain/store-further-escrows.ts";
import { createSigner, createWallets } from "../../modules/chain/store-wallets.ts";
import { adoptEscrow } from "../../modules/escrow/records/store-adopt-escrow.ts";
import { adoptEurc } from "../../modules/treasury/store-adopt-eurc.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { BoundChain, ChainContracts } from "../../ports/chain/bound-chains.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { ChainOperations } from "../../ports/chain/chain-operation.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import type { Wallet } from "../../ports/chain/wallets.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { Vault } from "../../ports/vault.ts";

/** The common parts for opening a chain. */
export interface ChainParts {
  db: OpenDatabase["db"];
  vault: Vault;
  clock: Clock;
  http: HttpClient;
  log: Log;
  rpcUrl: string;
  /** The time limit of one request to the node. */
  rpcTimeoutMilliseconds?: number;
  /** Every kind of chain operation. */
  operations: ChainOperations;
}

const RPC_TIMEOUT_MILLISECONDS = 5_000;
const SETTLED_BLOCKS = 100n;
const LAG_PAUSE_MILLISECONDS = 200;

export type ChainClient = ReturnType<typeof createChainClient>;

/** `isBatched`: the node is the development chain's, which accepts batch requests. */
export function createChainClient(
  { db, vault, clock, http, rpcUrl, rpcTimeoutMilliseconds = RPC_TIMEOUT_MILLISECONDS }: ChainParts,
  isBatched: boolean,
) {
  return {
    db,
    clock,
    client: createEvmClient(createRpc({ url: rpcUrl, http, timeoutMilliseconds: rpcTimeoutMilliseconds, isBatched })),
    boundChains: createBoundChains(db, clock),
    wallets: createWallets({ db, vault, clock }),
    signer: createSigner({ db, vault }),
    chainTransactions: createChainTransactions(db, clock),
  };
}

/** Each data directory has its own development chain. */
const SEVERAL_HOSTS =
  " If another host uses this database, share DATA_DIR with it, or, in production, set EMBEDDED_SANDBOX=off.";

interface BindOptions {
  environment: Environment;
  /** Whether it is the chain that the environment uses where none is named. */
  isHome: boolean;
  /** Its name in messages to the operator. */
  what: string;
  lagPatienceMilliseconds?: number;
}

/** The chain that this database has under that name, or the first one. */
export async function bindChain(
  { client, boundChains }: ChainClient,
  { environment, isHome, what, lagPatienceMilliseconds = 0 }: BindOptions,
): Promise<BoundChain> {
  const identity = await readIdentity(client);
  const block = (number: bigint) => reach(() => client.getBlock({ blockNumber: number }));
  const head = await reach(() => client.getBlockNumber());
  // No one has paid into a wallet that does not exist yet, and blocks this old are final.
  const first = await block(head > SETTLED_BLOCKS ? head - SETTLED_BLOCKS : 0n);
  const state = await boundChains.bind(environment, {
    ...identity,
    head: { number: first.number, hash: first.hash },
    isHome,
  });
  const refuse = (why: string): ConfigError =>
    new ConfigError(
      `Not started: ${what} ${why}. Money in the ledger would not be covered: bring back the chain that belongs to this database, or use another database.${environment === "sandbox" ? SEVERAL_HOSTS : ""}`,
    );
  if (state.chainId !== identity.chainId) {
    throw refuse(`has chain id ${identity.chainId}, and this database belongs to ${state.chainId}`);
  }
  if (state.genesisHash !== identity.genesisHash) throw refuse("has another genesis than the one of this database");
  let indexed = head < state.indexed.number ? undefined : await block(state.indexed.number);
  // A node behind a load balancer may lag behind the one asked before a restart.
  const deadline = performance.now() + lagPatienceMilliseconds;
  while (indexed === undefined && performance.now() < deadline) {
    await delay(LAG_PAUSE_MILLISECONDS);
    const isThere = (await reach(() => client.getBlockNumber())) >= state.indexed.number;
    if (isThere) indexed = await block(state.indexed.number);
  }
  if (indexed?.hash !== state.indexed.hash) {
    throw refuse(`lacks block ${state.indexed.number}, whose movements are in the ledger`);
  }
  return state;
}

/** Stores the chain's current contracts, and the existing balances of a changed escrow or an added token. */
export async function storeContracts(
  { db, boundChains, wallets, clock }: Pick<ChainClient, "db" | "boundChains" | "wallets" | "clock">,
  chain: Chain,
  contracts: ChainContracts,
  before: ChainContracts | undefined,
): Promise<void> {
  const { key, escrow } = chain;
  if (before !== undefined && contracts.eurcSince !== undefined && before.eurcSince === undefined) {
    const addresses = (await wallets.list(key)).map(({ address }) => address);
    // The balance of another escrow is recorded with it, below.
    if (escrow !== undefined && escrow.address === before.escrow) addresses.push(escrow.address);
    addresses.push(...(await createFurtherEscrows(db, clock).list(key)).map(({ address }) => address));
    const balances = await chain.balances("EURC", addresses, BigInt(contracts.eurcSince));
    const found = new Map(addresses.map((address, index) => [address, balances[index] ?? 0n]));
    await adoptEurc(db, clock, { chain: key, before, contracts, balances: found });
  }
  const current = escrow === undefined ? contracts : { ...contracts, escrowSince: Number(escrow.sinceBlock) };
  if (escrow?.address === before?.escrow) {
    await boundChains.setContracts(key, current);
    return;
  }
  const balances: Record<TokenSymbol, Micro> = { USDC: 0n, EURC: 0n };
  if (escrow !== undefined) {
    for (const token of tokenSymbols) {
      balances[token] = (await chain.balances(token, [escrow.address], escrow.sinceBlock))[0] ?? 0n;
    }
  }
  await adoptEscrow(db, clock, { chain: key, contracts: current, balances });
}

/** Makes the open chain with its reads and its sender. */
export async function openChain(
  { client, wallets, signer }: ChainClient,
  { operations }: Pick<ChainParts, "operations">,
  { chain, relayer, isLive }: { chain: Chain; relayer: Wallet; isLive: boolean },
): Promise<OpenedChain> {
  const { key } = chain;
  const collection = await wallets.ensure(key, "collection");
  const sender = await createEvmSender({
    client,
    chain,
    operations,
    signer,
    relayer,
    findWalletId: async (address) => (await wallets.findByAddress(key, [address])).get(address)?.id,
    feeRecipient: collection.address,
    live: isLive,
  });
  const verifier = createPaymentVerifier({ client, chain });
  return { chain, sender, collection, verifier, outcomes: createPaymentOutcomes(client, chain), isLive };
}
