import { formatDecimal, type Micro } from "../../domain/money.ts";
import { type TokenSymbol, tokenSymbols } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import type { Log } from "../../ports/log.ts";
import { type BookedAmount, type BoundChains, type Custody, findWalletOwner, type Wallets } from "../chain/index.ts";
import type { Stores } from "./context.ts";

/** A node behind a load balancer can lag behind the others. */
const LIVE_PATIENCE = 2;

export interface LedgerReconcilerOptions {
  chain: Chain;
  custody: Custody;
  wallets: Pick<Wallets, "list">;
  boundChains: BoundChains;
  log: Log;
  /** How many comparisons in a row must differ before money is stopped. */
  patience?: number;
}

export interface LedgerReconciler {
  /** Compares everything once. Rejects if the chain or the database is unavailable. */
  runOnce(): Promise<Readonly<Record<TokenSymbol, Micro>>>;
  /** The sum of the absolute differences of all wallets at the last comparison. */
  differences(): Readonly<Record<TokenSymbol, Micro>>;
}

type Holder = Pick<BookedAmount, "address" | "alsoAt">;

const sum = (amounts: readonly Micro[]): Micro => amounts.reduce((total, amount) => total + amount, 0n);

/** Compares each wallet's balance in the ledger with its balance on the chain, at the same block. */
export function createLedgerReconciler(options: LedgerReconcilerOptions): LedgerReconciler {
  const { chain, custody, wallets, boundChains, log } = options;
  const { key } = chain;
  const patience = options.patience ?? 1;
  let last: Record<TokenSymbol, Micro> = { USDC: 0n, EURC: 0n };
  let offBefore = new Map<string, number>();

  /** The balance on the chain minus the balance in the ledger. */
  async function differenceAt(token: TokenSymbol, { address, alsoAt }: Holder, atBlock: bigint): Promise<Micro> {
    const [onChain, booked] = await Promise.all([
      chain.balances(token, [address, ...alsoAt], atBlock),
      custody.read(key, token, atBlock),
    ]);
    return sum(onChain) - (booked.find((one) => one.address === address)?.amount ?? 0n);
  }

  async function compare(token: TokenSymbol, atBlock: bigint, offNow: Map<string, number>): Promise<Micro> {
    const booked = [...(await custody.read(key, token, atBlock))];
    const known = new Set(booked.map(({ address }) => address));
    for (const wallet of await wallets.list(key)) {
      if (findWalletOwner(wallet) === undefined || known.has(wallet.address)) continue;
      booked.push({ address: wallet.address, alsoAt: [], amount: 0n });
    }
    const addresses = booked.flatMap(({ address, alsoAt }) => [address, ...alsoAt]);
    const balances = await chain.balances(token, addresses, atBlock);
    const onChain = new Map(addresses.map((address, index) => [address, balances[index] ?? 0n]));
    let difference = 0n;
    for (const holder of booked) {
      const { address, alsoAt, amount } = holder;
      if (sum([address, ...alsoAt].map((one) => onChain.get(one) ?? 0n)) === amount) continue;
      // A node may answer for its latest block with the state of the next one while mining it. By now the block is an old one,
      // and its state is final.
      const off = await differenceAt(token, holder, atBlock);
      if (off === 0n) continue;
      difference += off < 0n ? -off : off;
      const fields = { network: key.environment, token, address, off: formatDecimal(off), atBlock: atBlock.toString() };
      log.error(fields, "the books and the chain disagree");
      const times = (offBefore.get(`${token} ${address}`) ?? 0) + 1;
      offNow.set(`${token} ${address}`, times);
      if (times < patience) continue;
      await boundChains.stop(key, `The books and the chain disagree about the ${token} of ${address}.`);
    }
    return difference;
  }

  return {
    async runOnce() {
      const state = await boundChains.get(key);
      if (state === undefined) return last;
      const { number } = state.indexed;
      const found = { ...last };
      const offNow = new Map<string, number>();
      for (const token of tokenSymbols) found[token] = await compare(token, number, offNow);
      offBefore = offNow;
      last = found;
      return last;
    },
    differences: () => last,
  };
}

/** Makes the reconciler of a chain that this process has opened. */
export function createReconciler(
  { chain, isLive }: Pick<OpenedChain, "chain" | "isLive">,
  { stores, log }: { stores: Pick<Stores, "custody" | "wallets" | "boundChains">; log: Log },
): LedgerReconciler {
  const { custody, wallets, boundChains } = stores;
  return createLedgerReconciler({ chain, custody, wallets, boundChains, log, patience: isLive ? LIVE_PATIENCE : 1 });
}
