import { setTimeout as delay } from "node:timers/promises";
import { type Area, type AreaRun, type Finding, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readBooks, readOpenMatters } from "../calls/books.ts";
import { checkLedger } from "../calls/check-bookings.ts";
import { readChainBooks } from "../chain/books.ts";
import { checkNothingOpen, checkNotStopped } from "../chain/check-books.ts";
import { createMoments } from "../chain/moments.ts";
import type { Client } from "../client.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { SequenceStorm } from "../sequence-storm.ts";
import { listUnsettled, readCrossChainBooks } from "./books.ts";
import { checkAnswered } from "./check-answers.ts";
import { checkDeposits, checkIssued, checkOrders, checkPurses, checkTransfers } from "./check-books.ts";
import { checkArrived, checkDoneOnce, checkGatewayTransfers, checkSupply, countUnburned } from "./check-chains.ts";
import { further, moves, movingTools } from "./journeys.ts";
import { readSiteFacts, type SiteFacts } from "./site-facts.ts";
import { readSites } from "./sites.ts";
import { createStranger } from "./strangers.ts";

const BALANCE_USDC = "10000000";
const USED_WITHIN_MILLISECONDS = 240_000;
const PAUSE_MILLISECONDS = 200;

async function open({ deployment, history, share }: Scene): Promise<AreaRun> {
  const { supplierUrl } = deployment.quickstart();
  const [first, ...others] = (await prepareTenants(deployment, history, ["Bridging", "Swapping"])).map((tenant) => ({
    ...tenant,
    userId: undefined,
  }));
  if (first === undefined) throw new Error("There is nobody to move money.");
  // Kills hit transfers, not the start of the chains, which the others see.
  await useChains(first.client);
  const storm = new SequenceStorm([first, ...others], moves, share);
  const stranger = createStranger(deployment);
  const moments = createMoments(deployment, {
    async isMined(hash) {
      const looks = (await readSites(deployment)).map(({ client }) => client.getTransactionReceipt({ hash }));
      return (await Promise.allSettled(looks)).some(({ status }) => status === "fulfilled");
    },
  });

  async function readFacts(): Promise<readonly SiteFacts[]> {
    const facts: SiteFacts[] = [];
    for (const site of await readSites(deployment)) facts.push(await readSiteFacts(site));
    return facts;
  }

  async function auditRunning(isSettled: boolean): Promise<Finding[]> {
    // Before the chains are read: what is answered meanwhile may not be on them.
    const journal = storm.journal();
    const facts = await readFacts();
    return [checkAnswered(journal, facts, isSettled), ...transferFindings(() => [checkDoneOnce(facts)])];
  }

  async function auditSettled(): Promise<Finding[]> {
    const facts = await readFacts();
    const books = await readCrossChainBooks(deployment);
    const chainBooks = await readChainBooks(deployment);
    return [
      ...(await auditRunning(true)),
      { invariant: "every caller got a final answer", checked: storm.begun, problems: storm.undecided },
      checkSupply(facts),
      checkIssued(books, facts),
      ...transferFindings(() => [checkArrived(facts), checkGatewayTransfers(facts), checkTransfers(books, facts)]),
      checkOrders(books, facts),
      await checkPurses(books, facts),
      await checkDeposits(books, facts),
      checkLedger(await readBooks(deployment, supplierUrl)),
      checkNothingOpen(chainBooks),
      checkNotStopped(chainBooks),
    ];
  }

  return {
    async storm(_round, random, signal) {
      await Promise.all([storm.run(random, signal), stranger.run(random.fork("stranger"), signal)]);
    },
    begun: () => storm.begun,
    covered: () => history.covered(movingTools),
    disturb: async () => undefined,
    nextMoment: moments.next,
    witness: moments.witness,
    notes: () => [...storm.notes(), ...stranger.notes(), ...moments.notes()],

    async openMatters() {
      const facts = await readFacts();
      const unburned = countUnburned(facts);
      return [
        ...(await readOpenMatters(deployment)),
        ...(await listUnsettled(deployment, facts)),
        ...(unburned === 0 ? [] : [`${unburned} transfers that the Gateway has not burned`]),
      ];
    },

    askAgain: (random, signal) => storm.askAgain(random, signal),
    audit: (phase) => (phase === "running" ? auditRunning(false) : auditSettled()),
  };
}

/** Without a tool that moves money between chains there is nothing to compare. */
const transferFindings = (find: () => readonly Finding[]): readonly Finding[] =>
  find().filter(({ checked, problems }) => checked > 0 || problems.length > 0);

/** The first use of a chain starts it and its attester. */
async function useChains(client: Client): Promise<void> {
  const deadline = AbortSignal.timeout(USED_WITHIN_MILLISECONDS);
  for (const chain of further) {
    const request = { tool: "gateway_deposit", args: { chain, amount: "0.01" }, key: `first use of ${chain}` };
    while ((await client.call({ tool: "gateway_balance", args: {} }, deadline)).kind !== "ok")
      await delay(PAUSE_MILLISECONDS, undefined, { signal: deadline });
    while ((await client.call(request, deadline)).kind !== "ok")
      await delay(PAUSE_MILLISECONDS, undefined, { signal: deadline });
  }
}

export const crosschain: Area = {
  name: "crosschain",
  summary:
    "Money on several chains: the service, its database and all chains are killed, and our books are compared with each chain's own.",
  parts: ["postgres", "sequencer", "anvil", "attester"],
  guards: ["chain-look-up", "nonce-check"],
  environment: { ...UNLIMITED_CALLS, SANDBOX_BALANCE_USDC: BALANCE_USDC },
  open,
};
