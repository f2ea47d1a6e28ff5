import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import { ownMovements } from "../chain/index.ts";
import type { OwnedMovement } from "../ledger/index.ts";
import type { Stores } from "./context.ts";

const BLOCKS_AT_ONCE = 2_000n;

/**
 * Lists movements from our wallets in these blocks (inclusive) by transactions that are in no ledger: neither ours nor
 * accepted. After a restore from a backup these include our own later ones.
 */
export async function listUnknown(
  { chain, stores }: { chain: Chain; stores: Pick<Stores, "chainTransactions" | "ledger" | "wallets"> },
  { fromBlock, toBlock }: { fromBlock: bigint; toBlock: bigint },
): Promise<OwnedMovement[]> {
  const { key } = chain;
  const found: OwnedMovement[] = [];
  for (let from = fromBlock; from <= toBlock; from += BLOCKS_AT_ONCE) {
    const last = from + BLOCKS_AT_ONCE - 1n;
    const movements = await chain.movements(from, last < toBlock ? last : toBlock);
    const owned = await ownMovements(stores.wallets, chain, movements);
    const leaving = owned.filter((one) => one.from !== undefined && one.from.kind !== "escrow");
    const hashes = leaving.map(({ movement }): Hex => movement.transactionHash);
    const own = await stores.chainTransactions.knownHashes(key, hashes);
    const strangers = leaving.filter(({ movement }) => !own.has(movement.transactionHash));
    found.push(...(await stores.ledger.notPosted(key, strangers)));
  }
  return found;
}
