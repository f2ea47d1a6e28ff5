import { type ByChain, listChains, mapChains, nameChain } from "../../kernel/contracts/by-chain.ts";
import { defineJob, type Job } from "../../kernel/contracts/job.ts";
import { createIndexer, createSubmitter } from "./chain-machines.ts";
import { findChainMemory } from "./chain-memory.ts";
import { defineModule, type Parts } from "./context.ts";
import { appointMinter } from "./development/appoint-minter.ts";
import { mint } from "./development/mint-operation.ts";
import type { ChainIndexer } from "./following/index-chain.ts";
import { fundsGauges, type MeasuredFunds, measureFunds } from "./measure-funds.ts";
import * as chain from "./migrations/0005-chain.ts";
import * as chainRequests from "./migrations/0007-chain-requests.ts";
import * as chains from "./migrations/0113-chains.ts";
import * as furtherEscrows from "./migrations/0128-further-escrows.ts";
import * as stoppedChainsAreCompared from "./migrations/0199-stopped-chains-are-compared.ts";
import { ChainOpener } from "./opening/chain-opener.ts";
import { createBoundChains } from "./opening/store-bound-chains.ts";
import { createChainTransactions, openTransactions, openTransactionsBeside } from "./sending/store-transactions.ts";
import type { ChainSubmitter } from "./sending/submit-chain.ts";
import { createCustody } from "./store-custody.ts";
import { createFurtherEscrows } from "./store-further-escrows.ts";
import { createWallets } from "./store-wallets.ts";
import { createUsableChains } from "./usable-chains.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "chain.submitters": ByChain<ChainSubmitter>;
    readonly "chain.indexers": ByChain<ChainIndexer>;
    readonly "chain.chainOpener": ChainOpener;
    readonly "chain.chainFunds": MeasuredFunds;
  }
}

const INDEX_MILLISECONDS = 1_000;
const LIVE_INDEX_MILLISECONDS = 2_000;
const OPEN_MILLISECONDS = 5_000;
const UNREAD_MILLISECONDS = 5_000;
/** A node that does not answer must not delay a stop. */
const STOP_WAIT_MILLISECONDS = 1_000;
/** The watch over all queues wakes it. */
const WOKEN_TIMING = { idleMilliseconds: 60_000 };

export const chainModule = defineModule({
  name: "chain",
  stores: ({ db, clock, vault, database }) => {
    const memory = findChainMemory(database);
    return {
      boundChains: createBoundChains(db, clock, memory),
      chainTransactions: createChainTransactions(db, clock),
      custody: createCustody(db),
      furtherEscrows: createFurtherEscrows(db, clock, memory),
      wallets: createWallets({ db, vault, clock, memory }),
    };
  },
  workTables: [
    {
      table: "chain_transaction",
      kind: "chain_transaction",
      since: "created_at",
      open: [{ column: "state", in: ["queued", "signed"] }],
    },
  ],
  chainOperations: [mint, appointMinter],
  personRecords: () => ({
    tables: { notSearched: { chain_transaction: "what was signed for a public chain, which names nobody" } },
  }),
  migrations: {
    "0005-chain": chain,
    "0007-chain-requests": chainRequests,
    "0113-chains": chains,
    "0128-further-escrows": furtherEscrows,
    "0199-stopped-chains-are-compared": stoppedChainsAreCompared,
  },
  // Partial, as few transactions are ever sent again.
  indexes: {
    chain_transaction_earlier: "on chain_transaction using gin (earlier_hashes) where earlier_hashes <> '{}'",
  },
  parts: {
    submitters: ({ chains, chainOperations: operations, stores, chainEndings: endings, log, news }) =>
      mapChains(chains, (openedChain) =>
        createSubmitter(openedChain, { operations, stores, log, endings, news, timing: WOKEN_TIMING }),
      ),
    indexers: ({ chains, chainOperations: operations, stores, log }) =>
      mapChains(chains, (openedChain) => createIndexer(openedChain, { operations, stores, log })),
    chainOpener: ({ chains, submitters, indexers, stores, clock, processId, log }) =>
      new ChainOpener({ chains, submitters, indexers, stores, clock, processId, log }),
    chainFunds: measureFunds,
  },
  ports({ chains, stores, submitters, chainOpener }, environment) {
    const submission = submitters.home(environment);
    if (submission === undefined) throw new Error(`The ${environment} environment is switched off.`);
    return { submission, usableChains: createUsableChains({ chains, stores, submitters, chainOpener }, environment) };
  },
  async start({ indexers, submitters }) {
    // Reads up to a block with the tokens first.
    for (const [, indexer] of listChains(indexers)) while (await indexer.runOnce());
    for (const [, submitter] of listChains(submitters)) submitter.start();
  },
  jobs: (parts) => [
    ...submittingJobs(parts),
    ...indexingJobs(parts),
    ...openingJobs(parts),
    ...onDemandJobs(parts),
    parts.chainFunds.job,
  ],
  gauges: fundsGauges,
  stop: ({ submitters, chainOpener }) =>
    Promise.all([...listChains(submitters).map(([, submitter]) => submitter.stop()), chainOpener.stop()]),
});

function submittingJobs({ chains, submitters }: Pick<Parts, "chains" | "submitters">): readonly Job[] {
  return chains.keys.map((key) =>
    defineJob({
      name: `submit-chain ${nameChain(chains, key)}`,
      queue: openTransactions(key),
      run: async () => submitters.at(key)?.wake(),
    }),
  );
}

function indexingJobs({ chains, indexers }: Pick<Parts, "chains" | "indexers">): readonly Job[] {
  return chains.keys.map((key) =>
    defineJob({
      name: `index-chain ${nameChain(chains, key)}`,
      everyMilliseconds: chains.at(key)?.isLive === false ? INDEX_MILLISECONDS : LIVE_INDEX_MILLISECONDS,
      stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
      async run() {
        const indexer = indexers.at(key);
        while (await indexer?.runOnce());
      },
    }),
  );
}

/** A further chain that was not reachable at the start is opened when it is. */
function openingJobs({
  chains,
  indexers,
  submitters,
}: Pick<Parts, "chains" | "indexers" | "submitters">): readonly Job[] {
  return chains.keys
    .filter((key) => chains.at(key) === undefined)
    .map((key) => {
      let isStarted = false;
      return defineJob({
        name: `open-chain ${nameChain(chains, key)}`,
        everyMilliseconds: OPEN_MILLISECONDS,
        stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
        async run() {
          if (isStarted || (await chains.open(key)) === undefined) return;
          const indexer = indexers.at(key);
          while (await indexer?.runOnce());
          submitters.at(key)?.start();
          isStarted = true;
        },
      });
    });
}

/** Further development chains have one job for all, which leaves those alone that nobody uses. */
function onDemandJobs({ chains, chainOpener }: Pick<Parts, "chains" | "chainOpener">): readonly Job[] {
  const sandbox = chains.home("sandbox");
  if (sandbox === undefined || chains.onDemand.length === 0) return [];
  return [
    defineJob({
      name: "submit-chain on demand",
      queue: openTransactionsBeside(sandbox.chain.key),
      stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
      run: () => chainOpener.openForRows(),
    }),
    defineJob({
      name: "index-chain on demand",
      everyMilliseconds: INDEX_MILLISECONDS,
      stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
      run: () => chainOpener.readUsed(),
    }),
    defineJob({
      name: "open-unread on demand",
      everyMilliseconds: UNREAD_MILLISECONDS,
      stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
      run: () => chainOpener.openUnread(),
    }),
  ];
}
