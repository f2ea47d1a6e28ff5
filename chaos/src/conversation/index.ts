import { setTimeout as delay } from "node:timers/promises";
import { startScriptedModel } from "../../../server/test/support/scripted-model/scripted-model.ts";
import { type Area, type AreaRun, type Finding, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { auditBookings } from "../calls/audit-bookings.ts";
import { readOpenMatters } from "../calls/books.ts";
import { createTravelers } from "../calls/travelers.ts";
import { readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { readSupplier } from "../servicing/books.ts";
import { paidOrders } from "../servicing/check-effects.ts";
import { countSpending, readConversationBooks, readLines, readOpenTurns } from "./books.ts";
import { checkEnded, checkMetered, checkSpentOnce, checkStreams, checkTurns, type Facts } from "./check-books.ts";
import { inCodes, inWords, type Style } from "./dialogues.ts";
import { answerStep } from "./model.ts";
import { DialogueStorm } from "./storm.ts";
import { Talker } from "./talker.ts";

const MOMENT_MILLISECONDS = 2_000;
const LOOK_MILLISECONDS = 5;

async function open({ deployment, history, share }: Scene, style: Style): Promise<AreaRun> {
  const quickstart = deployment.quickstart();
  const { supplierUrl } = quickstart;
  const [{ client }] = await prepareTenants(deployment, history, []);
  await createTravelers(client);
  const view = createChainView(quickstart.chain);
  const talker = new Talker({ access: quickstart, urls: deployment.appUrls, history });
  const storm = new DialogueStorm(talker, style, share);
  let caught = 0;

  /** Effects outside are read first: our books knew of them before. */
  async function readFacts(): Promise<Facts> {
    const orders = paidOrders(await readSupplier(supplierUrl));
    const paid = Map.groupBy(await view.transfers(), ({ to }) => to);
    const books = await readConversationBooks(deployment);
    const counts = new Map([...paid].map(([to, all]) => [to, all.length]));
    return { orders, paid: counts, books, played: storm.played };
  }

  async function audit(phase: "running" | "settled"): Promise<Finding[]> {
    const facts = await readFacts();
    const running = [
      checkTurns(facts.books),
      checkSpentOnce(facts),
      {
        invariant: "no event is sent in two ways, and every turn is signed",
        checked: talker.signatures,
        problems: talker.problems,
      },
    ];
    if (phase === "running") return running;
    const readAgain = new Map<string, readonly string[]>();
    for (const { conversationId, dialogue } of storm.played) {
      if (conversationId === undefined) continue;
      const url = deployment.appUrls[readAgain.size % deployment.appUrls.length] ?? deployment.appUrls[0];
      const signal = AbortSignal.timeout(60_000);
      readAgain.set(conversationId, await talker.readAll(url, conversationId, dialogue.userId, signal));
    }
    return [
      ...running,
      checkEnded(facts),
      checkMetered(facts.books),
      checkStreams(talker.received, readAgain, await readLines(deployment)),
      ...(await auditBookings(deployment, supplierUrl)),
    ];
  }

  return {
    storm: (_round, random, signal) => storm.run(random, signal),
    begun: () => storm.played.length,
    disturb: async () => undefined,
    async nextMoment(_random, signal) {
      const deadline = performance.now() + MOMENT_MILLISECONDS;
      while (performance.now() < deadline && !signal.aborted) {
        if ((await countSpending(deployment).catch(() => 0)) > 0) return;
        await delay(LOOK_MILLISECONDS, undefined, { signal });
      }
    },
    async witness() {
      caught += await countSpending(deployment);
    },
    notes: () => [
      `dialogues     ${storm.played.length} begun, ${storm.played.filter(({ isOver }) => isOver).length} ended; turns ${storm.played.reduce((sum, { turns }) => sum + turns.length, 0)}`,
      `caught        ${caught} spends under way right after a kill; ${talker.resumed} streams were taken up after a cut`,
    ],
    openMatters: async () => [
      ...(await readOpenTurns(deployment)),
      ...(await readOpenMatters(deployment)),
      ...(await readUnreadBlocks(deployment, await view.tip())),
    ],
    askAgain: (random, signal) => storm.askAgain(random, signal),
    audit,
  };
}

const shared = {
  // The second process takes messages and runs turns as the first one does.
  edge: { SERVE: "both" },
  parts: ["postgres", "edge"],
  environment: { ...UNLIMITED_CALLS, SANDBOX_BALANCE_USDC: "10000000" },
} as const satisfies Partial<Area>;

export const conversationRules: Area = {
  ...shared,
  name: "conversation-rules",
  summary:
    "Dialogues that book flights with the built-in rules, on two processes: every one ends, with one booking and one charge.",
  notifications: ["conversation"],
  guards: ["turn-claim"],
  open: (scene) => open(scene, inWords),
};

export const conversationModel: Area = {
  ...shared,
  name: "conversation-model",
  summary:
    "The same with a language model over HTTP, in the formats of two vendors, and also payments, which no second call would repeat unseen.",
  notifications: ["conversation", "chain_ended"],
  guards: ["call-ledger", "turn-claim"],
  async startOutside() {
    const model = await startScriptedModel(answerStep);
    return {
      environment: {
        LANGUAGE_MODELS: "anthropic/scripted,server/scripted",
        ANTHROPIC_API_KEY: "chaos",
        ANTHROPIC_URL: model.url,
        MODEL_SERVER_URL: model.url,
      },
      close: () => model.close(),
    };
  },
  open: (scene) => open(scene, inCodes),
};
