import { defineJob } from "../../kernel/contracts/job.ts";
import { type ByEnvironment, listEnvironments, mapEnvironments } from "../../kernel/contracts/parts.ts";
import { createIndexer, createSubmitter } from "./chain-machines.ts";
import { defineModule } from "./context.ts";
import type { ChainIndexer } from "./following/index-chain.ts";
import * as chain from "./migrations/0005-chain.ts";
import * as chainRequests from "./migrations/0007-chain-requests.ts";
import * as chains from "./migrations/0113-chains.ts";
import { createBoundChains } from "./opening/store-bound-chains.ts";
import { createChainTransactions } from "./sending/store-transactions.ts";
import type { ChainSubmitter } from "./sending/submit-chain.ts";
import { createCustody } from "./store-custody.ts";
import { createWallets } from "./store-wallets.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "chain.submitters": ByEnvironment<ChainSubmitter>;
    readonly "chain.indexers": ByEnvironment<ChainIndexer>;
  }
}

const INDEX_MILLISECONDS = 1_000;
const LIVE_INDEX_MILLISECONDS = 2_000;
/** A node that does not answer must not delay a stop. */
const STOP_WAIT_MILLISECONDS = 1_000;

export const chainModule = defineModule({
  name: "chain",
  stores: ({ db, clock, vault }) => ({
    boundChains: createBoundChains(db, clock),
    chainTransactions: createChainTransactions(db, clock),
    custody: createCustody(db),
    wallets: createWallets({ db, vault, clock }),
  }),
  workTables: [
    {
      table: "chain_transaction",
      kind: "chain_transaction",
      since: "created_at",
      open: [{ column: "state", in: ["queued", "signed"] }],
    },
  ],
  personRecords: () => ({
    tables: { notSearched: { chain_transaction: "what was signed for a public chain, which names nobody" } },
  }),
  migrations: { "0005-chain": chain, "0007-chain-requests": chainRequests, "0113-chains": chains },
  // Partial, as few transactions are ever sent again.
  indexes: {
    chain_transaction_earlier: "on chain_transaction using gin (earlier_hashes) where earlier_hashes <> '{}'",
  },
  parts: {
    submitters: ({ chains, chainOperations: operations, stores, chainEndings: endings, log }) =>
      mapEnvironments(chains, (openedChain) => createSubmitter(openedChain, { operations, stores, log, endings })),
    indexers: ({ chains, chainOperations: operations, stores, log }) =>
      mapEnvironments(chains, (openedChain) => createIndexer(openedChain, { operations, stores, log })),
  },
  ports({ submitters }, environment) {
    const submission = submitters[environment];
    if (submission === undefined) throw new Error(`The ${environment} environment is switched off.`);
    return { submission };
  },
  async start({ indexers, submitters }) {
    // Reads up to a block with the tokens first.
    for (const indexer of Object.values(indexers)) while (await indexer.runOnce());
    for (const submitter of Object.values(submitters)) submitter.start();
  },
  jobs: ({ chains, indexers }) =>
    listEnvironments(indexers).map(([environment, indexer]) =>
      defineJob({
        name: `index-chain ${environment}`,
        everyMilliseconds: chains[environment]?.isLive ? LIVE_INDEX_MILLISECONDS : INDEX_MILLISECONDS,
        stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
        async run() {
          while (await indexer.runOnce());
        },
      }),
    ),
  stop: ({ submitters }) => Promise.all(Object.values(submitters).map((submitter) => submitter.stop())),
});
