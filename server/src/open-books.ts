import type { PublicClient } from "viem";
import { createEvmChain, createEvmClient, createRpc, reach } from "./adapters/evm/index.ts";
import { type Config, ConfigError } from "./config/config.ts";
import { createStores } from "./contributions.ts";
import { CHAIN_AWAY, Failure } from "./domain/errors.ts";
import type { Micro } from "./domain/money.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "./domain/tokens.ts";
import { devnetAccess } from "./embedded/devnet-part.ts";
import { createChainNetworks } from "./modules/chain/store-networks.ts";
import { appendAudit } from "./modules/identity/store-audit.ts";
import { selectTenant } from "./modules/identity/store-tenants.ts";
import type { Balance } from "./modules/ledger/ledger.ts";
import { acceptOutgoing } from "./modules/treasury/accept-outgoing.ts";
import { createLedgerReconciler } from "./modules/treasury/reconcile-ledger.ts";
import { sandboxPrefund } from "./open-chain.ts";
import { type CommandOptions, type OpenedDatabase, withDatabase } from "./open-identity.ts";
import { createHttpClient } from "./platform/http-client/http-client.ts";
import type { Chain } from "./ports/chain.ts";
import type { ChainNetwork } from "./ports/chain-networks.ts";
import type { Environment } from "./ports/identity.ts";

const RPC_TIMEOUT_MS = 5_000;
const OPEN_AT_MOST = 1_000;
const ACTOR = "command";

export interface WalletStatus {
  kind: "relayer" | "collection";
  address: Hex;
  /** Undefined: the network does not answer. */
  balances: Readonly<Record<TokenSymbol, Micro>> | undefined;
  /** Of the network's own coin, with its 18 decimals. */
  gasWei: bigint | undefined;
}

export interface BooksStatus {
  network: Environment;
  chainId: number;
  genesisHash: Hex;
  indexedBlock: bigint;
  /** Undefined: the network does not answer. */
  headBlock: bigint | undefined;
  /** By how much books and chain disagree at the indexed block, all wallets together; undefined as above. */
  difference: Readonly<Record<TokenSymbol, Micro>> | undefined;
  stoppedBecause: string | undefined;
  treasuries: number;
  wallets: readonly WalletStatus[];
  open: { queued: number; signed: number; oldest: Temporal.Instant | undefined };
}

export interface TreasuryStatus {
  tenantId: string;
  address: Hex;
  books: Readonly<Record<TokenSymbol, Balance>>;
}

/** What an operator sees of a network's money, and decides about it. */
export interface Books {
  status(): Promise<BooksStatus>;
  /** Where a tenant is paid, and what the books say of it. */
  treasury(tenantId: string): Promise<TreasuryStatus>;
  /** Books what left wallets by this transaction, which is not ours; what it took. */
  accept(transactionHash: Hex): Promise<readonly { token: TokenSymbol; from: Hex; amount: Micro }[]>;
  /** Money may move again. False: it stood not still. */
  resume(): Promise<boolean>;
}

/** Opens a network's books for one piece of work, whether the service runs or not. */
export async function withBooks<Result>(
  config: Config,
  options: CommandOptions & {
    network: Environment;
    /** Of one question to the node. */
    rpcTimeoutMs?: number;
  },
  work: (books: Books) => Promise<Result>,
): Promise<Result> {
  const { dataDir } = config;
  const { rpcTimeoutMs = RPC_TIMEOUT_MS } = options;
  const wantsDevnet = options.network === "sandbox" && devnetAccess(dataDir) !== undefined;
  const devnetPrefund: (vault: OpenedDatabase["vault"]) => readonly string[] | undefined = (vault) =>
    wantsDevnet ? sandboxPrefund(vault) : undefined;
  return await withDatabase(config, { ...options, devnetPrefund }, async (opened) => {
    const http = createHttpClient();
    try {
      const rpcUrl = options.network === "sandbox" ? opened.embedded.chain?.rpcUrl : config.chainRpcUrl;
      const client =
        rpcUrl === undefined
          ? undefined
          : createEvmClient(createRpc({ url: rpcUrl, http, timeoutMs: rpcTimeoutMs, retries: 0 }));
      return await work(openBooks(config, opened, options.network, client));
    } finally {
      http.close();
    }
  });
}

function openBooks(
  config: Config,
  { db, vault, clock }: OpenedDatabase,
  network: Environment,
  client: PublicClient | undefined,
): Books {
  const stores = createStores(db, clock, vault);

  async function requireNetwork(): Promise<ChainNetwork> {
    const state = await stores.chainNetworks.get(network);
    if (state !== undefined) return state;
    throw new ConfigError(`This deployment has no ${network} network yet: it comes with the service's first start.`);
  }

  /** Undefined: it does not answer. */
  async function openChain({ contracts, chainId, genesisHash }: ChainNetwork): Promise<Chain | undefined> {
    if (client === undefined || contracts === undefined) return undefined;
    try {
      const confirmations = network === "production" ? config.chainConfirmations : 1;
      const chain = await createEvmChain({ network, client, contracts, confirmations, clock });
      if (chain.chainId === chainId && chain.genesisHash === genesisHash) return chain;
    } catch (error) {
      if (error instanceof Failure && error.code === CHAIN_AWAY) return undefined;
      throw error;
    }
    throw new ConfigError("The network that answers is not the one of this database's books. Check CHAIN_RPC_URL.");
  }

  /** Looks and changes nothing. */
  async function differenceOn(chain: Chain): Promise<Readonly<Record<TokenSymbol, Micro>>> {
    const { ledger, wallets, chainNetworks } = stores;
    const networks = { ...chainNetworks, stop: async () => false };
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    return await createLedgerReconciler({ chain, ledger, wallets, networks, log }).runOnce();
  }

  async function balancesOn(chain: Chain, address: Hex, atBlock: bigint) {
    const balances: Record<TokenSymbol, Micro> = { USDC: 0n, EURC: 0n };
    for (const token of tokenSymbols) balances[token] = (await chain.balances(token, [address], atBlock))[0] ?? 0n;
    return balances;
  }

  return {
    async status() {
      const state = await requireNetwork();
      const chain = await openChain(state);
      const head = await chain?.head();
      const all = await stores.wallets.list(network);
      const wallets: WalletStatus[] = [];
      for (const { kind, address } of all) {
        if (kind === "treasury") continue;
        const balances = chain && head ? await balancesOn(chain, address, head.number) : undefined;
        const gasWei = chain && client ? await reach(() => client.getBalance({ address })) : undefined;
        wallets.push({ kind, address, balances, gasWei });
      }
      const open = await stores.chainTransactions.listOpen(network, OPEN_AT_MOST);
      return {
        network,
        chainId: state.chainId,
        genesisHash: state.genesisHash,
        indexedBlock: state.indexed.number,
        headBlock: head?.number,
        difference: chain === undefined ? undefined : await differenceOn(chain),
        stoppedBecause: state.stoppedBecause,
        treasuries: all.filter(({ kind }) => kind === "treasury").length,
        wallets,
        open: {
          queued: open.filter((transaction) => transaction.state === "queued").length,
          signed: open.filter((transaction) => transaction.state === "signed").length,
          oldest: open[0]?.createdAt,
        },
      };
    },

    async treasury(tenantId) {
      await requireNetwork();
      if ((await selectTenant(db, tenantId)) === undefined) {
        throw new ConfigError(`There is no tenant ${tenantId}. List them: npm run tenant -- list`);
      }
      // The wallet is made when it is asked for first, here as in a tool.
      const { address } = await stores.wallets.ensure(network, "treasury", tenantId);
      const read = (token: TokenSymbol) => stores.ledger.balance({ tenantId, network, token });
      return { tenantId, address, books: { USDC: await read("USDC"), EURC: await read("EURC") } };
    },

    async accept(transactionHash) {
      const chain = await openChain(await requireNetwork());
      if (chain === undefined) throw new ConfigError("The network does not answer. Try again when it does.");
      const accepted = await acceptOutgoing({ chain, stores }, transactionHash);
      const moved = accepted.map(({ movement: { token, from, amount } }) => ({ token, from, amount }));
      const details = { network, movements: moved.length };
      await appendAudit(db, { actor: ACTOR, action: "chain.accept", subjectId: transactionHash, details }, clock);
      return moved;
    },

    async resume() {
      const { stoppedBecause } = await requireNetwork();
      return await db.transaction().execute(async (transaction) => {
        if (!(await createChainNetworks(transaction, clock).resume(network))) return false;
        const details = { network, stoppedBecause };
        await appendAudit(transaction, { actor: ACTOR, action: "chain.resume", subjectId: network, details }, clock);
        return true;
      });
    },
  };
}
