import type { PublicClient } from "viem";
import {
  createEvmChain,
  createEvmClient,
  createRpc,
  reach,
  readPoolOwner,
  setPoolPaused,
} from "../adapters/evm/index.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { createStores } from "../contributions.ts";
import { CHAIN_AWAY, Failure } from "../domain/errors.ts";
import type { Micro } from "../domain/money.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "../domain/tokens.ts";
import { devnetAccess } from "../embedded/devnet-part.ts";
import type { Stores } from "../kernel/contracts/whole.ts";
import type { FurtherEscrow } from "../modules/chain/further-escrows.ts";
import { createBoundChains } from "../modules/chain/opening/store-bound-chains.ts";
import { allowEscrow, revokeEscrow } from "../modules/escrow/escrows/allow-escrow.ts";
import { appendAudit } from "../modules/identity/store-audit.ts";
import { selectTenant } from "../modules/identity/store-tenants.ts";
import type { Balance } from "../modules/ledger/ledger.ts";
import { acceptOutgoing } from "../modules/treasury/accept-outgoing.ts";
import { listUnknown } from "../modules/treasury/list-unknown.ts";
import { createLedgerReconciler } from "../modules/treasury/reconcile-ledger.ts";
import { readChainsFile } from "../outside/chain/chains-file.ts";
import { readKeyFile } from "../outside/chain/key-file.ts";
import { safeConfirmations } from "../outside/confirmations.ts";
import { sandboxCrossChainKeys, sandboxPrefund } from "../outside/sandbox-keys.ts";
import { createHttpClient } from "../platform/http-client/http-client.ts";
import type { BoundChain } from "../ports/chain/bound-chains.ts";
import type { Chain, TokenMovement } from "../ports/chain/chain.ts";
import { nameEvmChain } from "../ports/chain/chain-key.ts";
import type { PoolTerms } from "../ports/chain/swap-pool.ts";
import type { Wallet } from "../ports/chain/wallets.ts";
import type { Environment } from "../ports/identity.ts";
import { type CommandOptions, type OpenedDatabase, withDatabase } from "./open-database.ts";

const RPC_TIMEOUT_MILLISECONDS = 5_000;
const OPEN_AT_MOST = 1_000;
const ACTOR = "command";

export interface WalletStatus {
  kind: "relayer" | "collection";
  address: Hex;
  /** Undefined: the chain does not answer. */
  balances: Readonly<Record<TokenSymbol, Micro>> | undefined;
  /** The chain's native coin, with its 18 decimals. */
  gasWei: bigint | undefined;
}

export interface BooksStatus {
  environment: Environment;
  chainId: number;
  genesisHash: Hex;
  indexedBlock: bigint;
  /** Undefined: the chain does not answer. */
  headBlock: bigint | undefined;
  /** The difference between ledger and chain at the indexed block, over all wallets; undefined as above. */
  difference: Readonly<Record<TokenSymbol, Micro>> | undefined;
  stoppedBecause: string | undefined;
  treasuries: number;
  wallets: readonly WalletStatus[];
  open: { queued: number; signed: number; oldest: Temporal.Instant | undefined };
}

interface TreasuryStatus {
  tenantId: string;
  address: Hex;
  books: Readonly<Record<TokenSymbol, Balance>>;
}

export interface UnknownMovements {
  /** The last block that was searched. */
  toBlock: bigint;
  movements: readonly TokenMovement[];
}

export interface PoolStatus {
  address: Hex;
  owner: Hex;
  /** Whether it takes the rates of this service. */
  isOurQuoter: boolean;
  terms: PoolTerms;
  inventory: Readonly<Record<TokenSymbol, Micro>>;
}

/** An operator's view of a chain's money, and decisions about it. */
export interface Books {
  status(): Promise<BooksStatus>;
  /** A tenant's deposit address, and its balance in the ledger. */
  treasury(tenantId: string): Promise<TreasuryStatus>;
  /** Records what left wallets by this transaction, which is not ours; returns the movements. */
  accept(transactionHash: Hex): Promise<readonly { token: TokenSymbol; from: Hex; amount: Micro }[]>;
  /**
   * Movements out of wallets in these blocks by transactions that are in no ledger. `toBlock` undefined: up to the latest
   * confirmed block.
   */
  unknown(fromBlock: bigint, toBlock: bigint | undefined): Promise<UnknownMovements>;
  /** The escrows besides the network's own, oldest first. */
  escrows(): Promise<readonly FurtherEscrow[]>;
  allowEscrow(tenantId: string, address: Hex): Promise<"allowed" | "known">;
  /** False: it was revoked before. */
  revokeEscrow(tenantId: string, address: Hex): Promise<boolean>;
  /** The pool that exchanges USDC and EURC. */
  pool(): Promise<PoolStatus>;
  /** By the key of the pool's owner, which the sandbox has itself. `transactionHash` undefined: it was like that before. */
  setPoolPaused(
    isPaused: boolean,
    ownerKeyFile: string | undefined,
  ): Promise<{ pool: Hex; transactionHash: Hex | undefined }>;
  /** Allows money to move again. False: it was not stopped. */
  resume(): Promise<boolean>;
}

/** The chain whose books are meant. */
export interface BooksPlace {
  environment: Environment;
  /** CAIP-2. Undefined: the environment's home chain. */
  chain?: string | undefined;
}

/** Opens a chain's ledger for one operation, whether or not the service runs. */
export async function withBooks<Result>(
  config: Config,
  options: CommandOptions &
    BooksPlace & {
      /** The time limit of one request to the node. */
      rpcTimeoutMilliseconds?: number;
    },
  work: (books: Books) => Promise<Result>,
): Promise<Result> {
  const { dataDir } = config;
  const { rpcTimeoutMilliseconds = RPC_TIMEOUT_MILLISECONDS } = options;
  const wantsDevnet = options.environment === "sandbox" && devnetAccess(dataDir) !== undefined;
  const devnetPrefund: (vault: OpenedDatabase["vault"]) => readonly string[] | undefined = (vault) =>
    wantsDevnet ? sandboxPrefund(vault) : undefined;
  return await withDatabase(config, { ...options, devnetPrefund }, async (opened) => {
    const http = createHttpClient();
    try {
      const node = findNode(config, opened, options);
      const timeoutMilliseconds = rpcTimeoutMilliseconds;
      const client =
        node === undefined
          ? undefined
          : createEvmClient(createRpc({ url: node.rpcUrl, http, timeoutMilliseconds, retries: 0 }));
      return await work(new StoredBooks(opened, options, client, node?.confirmations));
    } finally {
      http.close();
    }
  });
}

/** Undefined: none is configured or running. */
function findNode(
  { chainRpcUrl, chainConfirmations, chainsFile }: Config,
  { embedded }: OpenedDatabase,
  { environment, chain }: BooksPlace,
): { rpcUrl: string; confirmations: number | undefined } | undefined {
  if (chain !== undefined && environment === "production" && chainsFile !== undefined) {
    const further = readChainsFile(chainsFile).find(({ chainId }) => nameEvmChain(chainId) === chain);
    if (further !== undefined) return further;
  }
  const rpcUrl = environment === "sandbox" ? embedded.chain?.rpcUrl : chainRpcUrl;
  const confirmations = environment === "sandbox" ? 1 : chainConfirmations;
  return rpcUrl === undefined ? undefined : { rpcUrl, confirmations };
}

const noLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

class StoredBooks implements Books {
  readonly #opened: OpenedDatabase;
  readonly #environment: Environment;
  readonly #place: BooksPlace;
  /** Undefined: no node is configured or running. */
  readonly #client: PublicClient | undefined;
  /** Undefined: the safe number for the chain. */
  readonly #confirmations: number | undefined;
  readonly #stores: Stores;

  constructor(
    opened: OpenedDatabase,
    place: BooksPlace,
    client: PublicClient | undefined,
    confirmations: number | undefined,
  ) {
    this.#opened = opened;
    this.#environment = place.environment;
    this.#place = place;
    this.#client = client;
    this.#confirmations = confirmations;
    this.#stores = createStores(opened.db, opened.clock, opened.vault);
  }

  async status(): Promise<BooksStatus> {
    const state = await this.#requireBoundChain();
    const chain = await this.#openChain(state);
    const head = await chain?.head();
    const all = await this.#stores.wallets.list(state);
    const own = all.filter(({ kind }) => kind !== "treasury");
    const open = await this.#stores.chainTransactions.listOpen(state, OPEN_AT_MOST);
    return {
      environment: this.#environment,
      chainId: state.chainId,
      genesisHash: state.genesisHash,
      indexedBlock: state.indexed.number,
      headBlock: head?.number,
      difference: chain === undefined ? undefined : await this.#differenceOn(chain),
      stoppedBecause: state.stoppedBecause,
      treasuries: all.length - own.length,
      wallets: await Promise.all(own.map((wallet) => this.#walletStatus(wallet, chain, head?.number))),
      open: {
        queued: open.filter((transaction) => transaction.state === "queued").length,
        signed: open.filter((transaction) => transaction.state === "signed").length,
        oldest: open[0]?.createdAt,
      },
    };
  }

  async treasury(tenantId: string): Promise<TreasuryStatus> {
    const { environment, chain } = await this.#requireBoundChain();
    await this.#requireTenant(tenantId);
    const { wallets, ledger } = this.#stores;
    // Creates the wallet on first use, like a tool.
    const { address } = await wallets.ensure({ environment, chain }, "treasury", tenantId);
    const read = (token: TokenSymbol) => ledger.balance({ tenantId, environment, chain, token });
    return { tenantId, address, books: { USDC: await read("USDC"), EURC: await read("EURC") } };
  }

  async accept(transactionHash: Hex): ReturnType<Books["accept"]> {
    const environment = this.#environment;
    const { db, clock } = this.#opened;
    const chain = await this.#requireChain();
    const accepted = await acceptOutgoing({ chain, stores: this.#stores }, transactionHash);
    const moved = accepted.map(({ movement: { token, from, amount } }) => ({ token, from, amount }));
    const details = { network: environment, movements: moved.length };
    await appendAudit(
      db,
      { environment, actor: ACTOR, action: "chain.accept", subjectId: transactionHash, details },
      clock,
    );
    return moved;
  }

  async unknown(fromBlock: bigint, toBlock: bigint | undefined): Promise<UnknownMovements> {
    const chain = await this.#requireChain();
    const head = (await chain.head()).number;
    const last = toBlock === undefined || toBlock > head ? head : toBlock;
    const found = await listUnknown({ chain, stores: this.#stores }, { fromBlock, toBlock: last });
    return { toBlock: last, movements: found.map(({ movement }) => movement) };
  }

  async escrows(): Promise<readonly FurtherEscrow[]> {
    return await this.#stores.furtherEscrows.list(await this.#requireBoundChain());
  }

  async allowEscrow(tenantId: string, address: Hex): Promise<"allowed" | "known"> {
    await this.#requireTenant(tenantId);
    const { isHome, chain } = await this.#requireBoundChain();
    if (!isHome) {
      throw new ConfigError(
        `Trips are kept on the ${this.#environment} environment's home chain, so no tool could use an escrow on ${chain}. Deploy the contract on the home chain and omit --chain.`,
      );
    }
    return await allowEscrow({ chain: await this.#requireChain(), stores: this.#stores }, { tenantId, address });
  }

  async revokeEscrow(tenantId: string, address: Hex): Promise<boolean> {
    const key = await this.#requireBoundChain();
    return await revokeEscrow(this.#stores, key, { tenantId, address });
  }

  async pool(): Promise<PoolStatus> {
    const { chain, client, pool } = await this.#requirePool();
    const [owner, terms, { number }, wallets] = await Promise.all([
      readPoolOwner({ client, pool }),
      chain.swapTerms(pool),
      chain.head(),
      this.#stores.wallets.list(chain.key),
    ]);
    const relayer = wallets.find(({ kind }) => kind === "relayer");
    const inventory = await balancesOn(chain, pool, number);
    return { address: pool, owner, isOurQuoter: terms.quoter === relayer?.address, terms, inventory };
  }

  async setPoolPaused(isPaused: boolean, ownerKeyFile: string | undefined): ReturnType<Books["setPoolPaused"]> {
    const { chain, client, pool } = await this.#requirePool();
    const ownerKey = await this.#readOwnerKey(pool, ownerKeyFile, () => readPoolOwner({ client, pool }));
    const transactionHash = await setPoolPaused({ client, chainId: chain.chainId, pool }, { ownerKey, isPaused });
    if (transactionHash !== undefined) {
      const { db, clock } = this.#opened;
      const { environment, chain: name } = chain.key;
      const details = { network: environment, chain: name, transactionHash };
      const action = isPaused ? "pool.pause" : "pool.resume";
      await appendAudit(db, { environment, actor: ACTOR, action, subjectId: pool, details }, clock);
    }
    return { pool, transactionHash };
  }

  async #requirePool(): Promise<{ chain: Chain; client: PublicClient; pool: Hex }> {
    const chain = await this.#requireChain();
    const client = this.#client;
    const pool = chain.crossChain.swapPool;
    if (client !== undefined && pool !== undefined) return { chain, client, pool };
    throw new ConfigError(
      this.#environment === "sandbox"
        ? "This network has no swap pool yet: the first swap creates it."
        : "This network has no swap pool: set CHAIN_SWAP_POOL, or swapPool in CHAINS_FILE, and start the service.",
    );
  }

  async #readOwnerKey(pool: Hex, file: string | undefined, findOwner: () => Promise<Hex>): Promise<Hex> {
    if (file !== undefined) return readKeyFile(file, "--owner-key-file");
    if (this.#environment === "sandbox") return sandboxCrossChainKeys(this.#opened.vault).deployer;
    throw new ConfigError(
      `The pool ${pool} belongs to ${await findOwner()}: pass the file with its key as --owner-key-file, or have its owner call setPaused.`,
    );
  }

  async #requireTenant(tenantId: string): Promise<void> {
    if ((await selectTenant(this.#opened.db, tenantId)) !== undefined) return;
    throw new ConfigError(`There is no tenant ${tenantId}. List them: npm run tenant -- list`);
  }

  async resume(): Promise<boolean> {
    const bound = await this.#requireBoundChain();
    const { db, clock } = this.#opened;
    return await db.transaction().execute(async (transaction) => {
      if (!(await createBoundChains(transaction, clock).resume(bound))) return false;
      const { environment, isHome, chain, stoppedBecause } = bound;
      const details = { network: environment, stoppedBecause, ...(isHome ? {} : { chain }) };
      const change = { action: "chain.resume", subjectId: environment, details };
      await appendAudit(transaction, { environment, actor: ACTOR, ...change }, clock);
      return true;
    });
  }

  async #requireBoundChain(): Promise<BoundChain> {
    const environment = this.#environment;
    const { chain } = this.#place;
    const { boundChains } = this.#stores;
    const state = await (chain === undefined
      ? boundChains.findHome(environment)
      : boundChains.get({ environment, chain }));
    if (state !== undefined) return state;
    if (chain !== undefined) throw new ConfigError(`This deployment has no chain ${chain} in ${environment}.`);
    throw new ConfigError(
      `This deployment has no ${environment} network yet: the first start of the service creates it.`,
    );
  }

  async #requireChain(): Promise<Chain> {
    const chain = await this.#openChain(await this.#requireBoundChain());
    if (chain === undefined) throw new ConfigError("The network is not answering. Try again later.");
    return chain;
  }

  /** Undefined: it does not answer. */
  async #openChain({ contracts, chainId, genesisHash }: BoundChain): Promise<Chain | undefined> {
    const environment = this.#environment;
    const client = this.#client;
    if (client === undefined || contracts === undefined) return undefined;
    try {
      const confirmations = this.#confirmations ?? safeConfirmations(chainId);
      const chain = await createEvmChain({ environment, client, contracts, confirmations, clock: this.#opened.clock });
      if (chain.chainId === chainId && chain.genesisHash === genesisHash) return chain;
    } catch (error) {
      if (error instanceof Failure && error.code === CHAIN_AWAY) return undefined;
      throw error;
    }
    throw new ConfigError(
      "The network that answers is not the one in this database's books. Check CHAIN_RPC_URL or CHAINS_FILE.",
    );
  }

  /** Compares without changing anything. */
  async #differenceOn(chain: Chain): Promise<Readonly<Record<TokenSymbol, Micro>>> {
    const { custody, wallets } = this.#stores;
    const boundChains = { ...this.#stores.boundChains, stop: async () => false };
    return await createLedgerReconciler({ chain, custody, wallets, boundChains, log: noLog }).runOnce();
  }

  async #walletStatus(
    { kind, address }: Wallet,
    chain: Chain | undefined,
    atBlock: bigint | undefined,
  ): Promise<WalletStatus> {
    const client = this.#client;
    const isThere = chain !== undefined && atBlock !== undefined;
    const balances = isThere ? await balancesOn(chain, address, atBlock) : undefined;
    const gasWei = isThere && client !== undefined ? await reach(() => client.getBalance({ address })) : undefined;
    return { kind: kind === "collection" ? "collection" : "relayer", address, balances, gasWei };
  }
}

async function balancesOn(chain: Chain, address: Hex, atBlock: bigint): Promise<Record<TokenSymbol, Micro>> {
  const balances: Record<TokenSymbol, Micro> = { USDC: 0n, EURC: 0n };
  for (const token of tokenSymbols) balances[token] = (await chain.balances(token, [address], atBlock))[0] ?? 0n;
  return balances;
}
