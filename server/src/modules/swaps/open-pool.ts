import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { ChainSubmission } from "../../ports/chain/chain-transactions.ts";
import type { PoolTerms } from "../../ports/chain/swap-pool.ts";
import type { UsableChains } from "../chain/index.ts";
import type { Stores } from "./context.ts";

export interface Pool {
  chain: Chain;
  submission: ChainSubmission;
  address: Hex;
  /** As they are now. */
  terms: PoolTerms;
}

export interface PoolPorts {
  chain: Chain;
  usableChains: UsableChains;
  stores: Pick<Stores, "wallets">;
}

/** The pool of the home chain. Throws Failure `chain_not_available` if there is none that takes this service's rates. */
export async function openPool({ chain: home, usableChains, stores }: PoolPorts): Promise<Pool> {
  const { chain, submission } = await usableChains.open(home.key.chain);
  const address = chain.crossChain.swapPool;
  if (address === undefined || chain.tokens.EURC === undefined) throw lacksPool("This network has no swap pool.");
  const [terms, relayer] = await Promise.all([chain.swapTerms(address), stores.wallets.ensure(chain.key, "relayer")]);
  if (terms.quoter !== relayer.address) {
    throw lacksPool(
      "The swap pool of this network does not accept this service's rates: its owner uses another quoter.",
    );
  }
  return { chain, submission, address, terms };
}

function lacksPool(why: string): Failure {
  return new Failure("chain_not_available", { detail: `${why} Nothing was done. Use a sandbox key.` });
}
