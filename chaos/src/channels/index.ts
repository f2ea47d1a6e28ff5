import { setTimeout as delay } from "node:timers/promises";
import { type Area, type AreaRun, type Finding, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readBooks, readOpenMatters } from "../calls/books.ts";
import {
  checkBookedOnce,
  checkChargedOnce,
  checkFinal,
  checkLedger,
  checkSupplierAgrees,
} from "../calls/check-bookings.ts";
import { checkNoneTwice, checkSpent } from "../calls/check-usage.ts";
import { createTravelers, userIds } from "../calls/travelers.ts";
import { readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { readSupplier } from "../servicing/books.ts";
import { paidOrders } from "../servicing/check-effects.ts";
import { runWorkers } from "../workers.ts";
import { countSending, readChannelBooks, readOpenWork } from "./books.ts";
import {
  checkAllShown,
  checkCards,
  checkDecidedOnce,
  checkEnded,
  checkHandledOnce,
  checkShownOnce,
  type Facts,
} from "./check-books.ts";
import { Talk } from "./talk.ts";
import { APPROVER, direct, TRAVELER, Workspace } from "./workspace.ts";

const OTHERS = ["One", "Two", "Three", "Four", "Five"] as const;
const MOMENT_MILLISECONDS = 2_000;
const LOOK_MILLISECONDS = 5;
const LINK_MILLISECONDS = 60_000;
const END_MILLISECONDS = 300_000;
const DECIDES = ["approvals:read", "approvals:decide"];
type Fault = readonly [path: string, fault: string];
/** Every flight needs an approval. */
const POLICY = { document: { flight: { maxPrice: { default: 1 } }, approval: {} } };
const FAULTS: readonly [Fault, ...Fault[]] = [
  ["/slack/api/chat.postMessage", "lost_answer"],
  ["/slack/api/chat.postMessage", "reset"],
  ["/slack/api/chat.postMessage", "rate_limited"],
  ["/slack/api/chat.postMessage", "away"],
  ["/slack/api/chat.update", "reset"],
  ["/_events/slack", "duplicated"],
];

type Prepared = Awaited<ReturnType<typeof prepareTenants>>[number];

/** A tenant's workspace with a traveler and an approver who have proved who they are. */
async function openTalk({ deployment, history }: Scene, { client, access }: Prepared, asks: boolean): Promise<Talk> {
  const { tenantId, apiKey } = access;
  await createTravelers(client);
  const person = { id: "chaos_approver", name: "Chaos", email: "approver@chaos.example", roles: ["approver"] } as const;
  const key = await deployment.addPerson(person, DECIDES, tenantId);
  const workspace = await Workspace.add(deployment.appUrls, access, await deployment.carrierControlToken());
  await workspace.say(TRAVELER, await workspace.issueCode(apiKey, `link-codes?userId=${userIds[0]}`));
  await workspace.say(APPROVER, await workspace.issueCode(key, "approver-codes"));
  const deadline = AbortSignal.timeout(LINK_MILLISECONDS);
  for (const member of [TRAVELER, APPROVER]) {
    const isLinked = async () =>
      (await workspace.read()).get(direct(member))?.some(({ text }) => text.includes("You are linked")) === true;
    while (!(await isLinked())) await delay(LOOK_MILLISECONDS, undefined, { signal: deadline });
  }
  if (asks) {
    await client.put("/api/policies/approving", POLICY);
    await client.put("/api/policy-enforcement", { policyId: "approving" });
  }
  async function decide(approvalId: string): Promise<void> {
    const url = `${deployment.appUrls[0]}/api/approvals/${approvalId}/decision`;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ decision: "approve" });
    await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(LINK_MILLISECONDS) });
  }
  return new Talk({ deployment, workspace, tenantId, needsApproval: asks, decide, history });
}

async function open(scene: Scene): Promise<AreaRun> {
  const { deployment, history } = scene;
  const quickstart = deployment.quickstart();
  const { supplierUrl } = quickstart;
  const view = createChainView(quickstart.chain);
  const talks: Talk[] = [];
  for (const [index, tenant] of (await prepareTenants(deployment, history, OTHERS)).entries())
    talks.push(await openTalk(scene, tenant, index % 2 === 0));
  const today = Temporal.Now.plainDateISO("UTC");
  const listPlayed = () => talks.flatMap(({ played }) => played);
  let caught = 0;

  /** Effects outside are read first: our books knew of them before. */
  async function readFacts(): Promise<Facts> {
    const orders = paidOrders(await readSupplier(supplierUrl));
    const sides = await Promise.all(
      talks.map(async ({ tenantId, said, forgottenUntil, workspace }) => {
        const places = await workspace.read().catch(() => new Map<string, never>());
        return {
          tenantId,
          said,
          forgottenUntil,
          channelId: workspace.channelId,
          messages: [...places.values()].flat(),
        };
      }),
    );
    return { orders, sides, books: await readChannelBooks(deployment), played: listPlayed() };
  }

  async function audit(phase: "running" | "settled"): Promise<Finding[]> {
    const facts = await readFacts();
    const running = [checkHandledOnce(facts), checkDecidedOnce(facts)];
    // A message may just be on its way to us.
    if (phase === "running") return running;
    const books = await readBooks(deployment, supplierUrl);
    return [
      ...running,
      checkShownOnce(facts),
      checkAllShown(facts),
      checkCards(facts),
      checkEnded(facts),
      checkBookedOnce(books),
      checkSupplierAgrees(books),
      checkChargedOnce(books, []),
      checkFinal(books),
      checkLedger(books),
      checkSpent(books),
      checkNoneTwice(books.usage),
    ];
  }

  return {
    storm: (_round, random, signal) =>
      runWorkers(talks.length, random, signal, async (own, index) => {
        const talk = talks[index];
        const end = afterwards(signal, END_MILLISECONDS);
        while (talk !== undefined && !signal.aborted) {
          const number = talk.played.length + 1;
          await talk.play(own.fork(`dialogue-${number}`), number, today, end);
        }
      }),
    begun: () => listPlayed().length,
    async disturb(random) {
      for (const talk of talks) {
        const [path, fault] = random.pick(FAULTS);
        await talk.workspace.arm(path, fault);
      }
    },
    async nextMoment(_random, signal) {
      const deadline = performance.now() + MOMENT_MILLISECONDS;
      while (performance.now() < deadline && !signal.aborted) {
        if ((await countSending(deployment).catch(() => 0)) > 0) return;
        await delay(LOOK_MILLISECONDS, undefined, { signal });
      }
    },
    async witness() {
      caught += await countSending(deployment);
    },
    notes: () => [
      `dialogues     ${listPlayed().length} begun, ${listPlayed().filter(({ isOver }) => isOver).length} ended, ${listPlayed().filter(({ isForgotten }) => isForgotten).length} forgotten with the simulator; ${talks.reduce((sum, { repeated }) => sum + repeated, 0)} messages were repeated by people`,
      `caught        ${caught} messages on their way right after a kill`,
    ],
    openMatters: async () => [
      ...(await readOpenWork(deployment)),
      ...(await readOpenMatters(deployment)),
      ...(await readUnreadBlocks(deployment, await view.tip())),
    ],
    async askAgain(_random, signal) {
      for (const talk of talks) await talk.look(signal);
    },
    audit,
  };
}

/** So long after the signal: a dialogue is not broken off where a round ends. */
function afterwards(signal: AbortSignal, milliseconds: number): AbortSignal {
  const over = new AbortController();
  const end = () => void setTimeout(() => over.abort(), milliseconds).unref();
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return over.signal;
}

export const channels: Area = {
  name: "channels",
  summary:
    "Travelers book and approvers decide in simulated Slack workspaces: every message in is handled once, every message out is seen once.",
  // The second process receives messages and brings replies as the first one does.
  edge: { SERVE: "both" },
  parts: ["postgres", "edge", "carriers"],
  notifications: ["channel_event", "channel_message"],
  guards: ["event-once", "message-look-up"],
  environment: { ...UNLIMITED_CALLS, SANDBOX_BALANCE_USDC: "10000000" },
  open,
};
