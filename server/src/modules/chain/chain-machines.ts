import type { ChainEndings } from "../../kernel/contracts/chain-ending.ts";
import type { News } from "../../platform/database/news.ts";
import { isDatabaseAway } from "../../platform/database/transient.ts";
import type { ChainOperations } from "../../ports/chain/chain-operation.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import type { Log } from "../../ports/log.ts";
import type { Stores } from "./context.ts";
import { ChainIndexer } from "./following/index-chain.ts";
import type { ChainTiming } from "./sending/launch-chain.ts";
import { type ChainSubmitter, createChainSubmitter } from "./sending/submit-chain.ts";

interface SubmitterParts {
  operations: ChainOperations;
  stores: Stores;
  log: Log;
  endings?: ChainEndings;
  timing?: Partial<ChainTiming>;
  news?: Pick<News, "on" | "isTold">;
}

const LIVE_POLL_MILLISECONDS = 1_000;
const LIVE_OVERLAP_BLOCKS = 20;

/** Submits this chain's transactions and follows them to their end. */
export function createSubmitter(
  { chain, sender, isLive }: OpenedChain,
  { operations, stores, log, endings, timing, news }: SubmitterParts,
): ChainSubmitter {
  return createChainSubmitter({
    chain,
    operations,
    sender,
    stores,
    log,
    isTransient: isDatabaseAway,
    wallets: stores.wallets,
    ...(endings === undefined ? {} : { endings }),
    ...(news === undefined ? {} : { news }),
    timing: { ...(isLive ? { pollMilliseconds: LIVE_POLL_MILLISECONDS } : {}), ...timing },
  });
}

/** Reads this chain's movements into the books. */
export function createIndexer(
  { chain, sender, isLive }: OpenedChain,
  { operations, stores, log }: Pick<SubmitterParts, "operations" | "stores" | "log">,
): ChainIndexer {
  return new ChainIndexer({
    chain,
    operations,
    sender,
    stores,
    log,
    isTransient: isDatabaseAway,
    wallets: stores.wallets,
    boundChains: stores.boundChains,
    overlapBlocks: isLive ? LIVE_OVERLAP_BLOCKS : 0,
  });
}
