import { formatDecimal, type Micro } from "../../domain/money.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import type { Log } from "../../ports/log.ts";
import { type BoundChains, type Custody, ownerOf, type Wallets } from "../chain/index.ts";
import type { Stores } from "./context.ts";

/** Of several nodes behind one address, one can lag behind. */
const LIVE_PATIENCE = 2;

export interface LedgerReconcilerOptions {
  chain: Chain;
  custody: Custody;
  wallets: Pick<Wallets, "list">;
  boundChains: BoundChains;
  log: Log;
  /** So many comparisons in a row must find a wallet off before money is stopped. */
  patience?: number;
}

export interface LedgerReconciler {
  /** Compares everything once. Rejects when the chain or the database is away. */
  runOnce(): Promise<Readonly<Record<TokenSymbol, Micro>>>;
  /** By how much all wallets together were off when they were last compared, each wallet counted without its sign. */
  differences(): Readonly<Record<TokenSymbol, Micro>>;
}

/** Compares what the books say of each wallet with what the chain says of it, at the same block. */
export function createLedgerReconciler(options: LedgerReconcilerOptions): LedgerReconciler {
  const { chain, custody, wallets, boundChains, log } = options;
  const { environment } = chain;
  const patience = options.patience ?? 1;
  let last: Record<TokenSymbol, Micro> = { USDC: 0n, EURC: 0n };
  let offBefore = new Map<string, number>();

  /** What the chain has of it less what the books say. */
  async function differenceAt(token: TokenSymbol, address: Hex, atBlock: bigint): Promise<Micro> {
    const [[onChain = 0n], booked] = await Promise.all([
      chain.balances(token, [address], atBlock),
      custody.read(environment, token, atBlock),
    ]);
    return onChain - (booked.find((one) => one.address === address)?.amount ?? 0n);
  }

  async function compare(token: TokenSymbol, atBlock: bigint, offNow: Map<string, number>): Promise<Micro> {
    const booked = new Map((await custody.read(environment, token, atBlock)).map((one) => [one.address, one.amount]));
    for (const wallet of await wallets.list(environment)) {
      if (ownerOf(wallet) !== undefined && !booked.has(wallet.address)) booked.set(wallet.address, 0n);
    }
    const addresses = [...booked.keys()];
    const balances = await chain.balances(token, addresses, atBlock);
    let difference = 0n;
    for (const [index, address] of addresses.entries()) {
      if ((balances[index] ?? 0n) === (booked.get(address) ?? 0n)) continue;
      // A node can answer for its last block with what the next one, which it mines meanwhile, has changed. By now that block is an
      // old one, and what is true of it stays so.
      const off = await differenceAt(token, address, atBlock);
      if (off === 0n) continue;
      difference += off < 0n ? -off : off;
      const fields = { network: environment, token, address, off: formatDecimal(off), atBlock: atBlock.toString() };
      log.error(fields, "the books and the chain disagree");
      const times = (offBefore.get(`${token} ${address}`) ?? 0) + 1;
      offNow.set(`${token} ${address}`, times);
      if (times < patience) continue;
      await boundChains.stop(environment, `The books and the chain disagree about ${token} of ${address}.`);
    }
    return difference;
  }

  return {
    async runOnce() {
      const state = await boundChains.get(environment);
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

/** For a chain that this process has opened. */
export function createReconcilerOf(
  { chain, isLive }: Pick<OpenedChain, "chain" | "isLive">,
  { stores, log }: { stores: Pick<Stores, "custody" | "wallets" | "boundChains">; log: Log },
): LedgerReconciler {
  const { custody, wallets, boundChains } = stores;
  return createLedgerReconciler({ chain, custody, wallets, boundChains, log, patience: isLive ? LIVE_PATIENCE : 1 });
}
