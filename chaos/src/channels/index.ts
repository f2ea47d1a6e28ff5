import { setTimeout as delay } from "node:timers/promises";
import { type Area, type AreaRun, type Finding, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { auditBookings } from "../calls/audit-bookings.ts";
import { readOpenMatters } from "../calls/books.ts";
import { createTravelers, userIds } from "../calls/travelers.ts";
import { readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { readOpenSteps } from "../escrow/books.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { readSupplier } from "../servicing/books.ts";
import { paidOrders } from "../servicing/check-effects.ts";
import { runWorkers } from "../workers.ts";
import { readOpenRuns } from "../workflows/books.ts";
import { countSending, readChannelBooks, readOpenWork } from "./books.ts";
import {
  checkAllShown,
  checkCards,
  checkDecidedOnce,
  checkEnded,
  checkHandledOnce,
  checkInvited,
  checkRunsBook,
  checkShownOnce,
  type Facts,
} from "./check-books.ts";
import { addChannel, type Line, type LineOptions } from "./line.ts";
import { EMAIL, MailLine } from "./mail-line.ts";
import { SLACK, SlackLine } from "./slack-line.ts";
import { Talk } from "./talk.ts";
import { WHATSAPP, WhatsAppLine } from "./whatsapp-line.ts";

const OTHERS = ["One", "Two", "Three", "Four", "Five"] as const;
const MOMENT_MILLISECONDS = 2_000;
const LOOK_MILLISECONDS = 5;
const LINK_MILLISECONDS = 60_000;
const END_MILLISECONDS = 300_000;
const DECIDES = ["approvals:read", "approvals:decide"];
const APPROVER_ADDRESS = "approver@chaos.example";
const FORGET_ATTEMPTS = "update conversation_link_attempt set attempts = 0 where owner_id like 'mail%'";
const LINES = [
  { body: SLACK, open: (options: LineOptions) => new SlackLine(options) },
  { body: WHATSAPP, open: (options: LineOptions) => new WhatsAppLine(options) },
  { body: EMAIL, open: (options: LineOptions) => new MailLine(options, APPROVER_ADDRESS) },
] as const;
/** Every flight needs an approval. */
const POLICY = { document: { flight: { maxPrice: { default: 1 } }, approval: {} } };
type Prepared = Awaited<ReturnType<typeof prepareTenants>>[number];

/** A tenant's line of each kind in turn, with a traveler and an approver who have proved who they are. */
async function openTalk({ deployment, history }: Scene, { client, access }: Prepared, index: number): Promise<Talk> {
  const { tenantId, apiKey } = access;
  const asks = index % 2 === 0;
  await createTravelers(client);
  const person = { id: "chaos_approver", name: "Chaos", email: APPROVER_ADDRESS, roles: ["approver"] } as const;
  const key = await deployment.addPerson(person, DECIDES, tenantId);
  const [kind = LINES[0]] = LINES.slice(index % LINES.length);
  const token = await deployment.carrierControlToken();
  const line: Line = kind.open(await addChannel(deployment.appUrls, access, token, kind.body));
  const deadline = AbortSignal.timeout(LINK_MILLISECONDS);
  const countLinked = async () => (await line.read()).all.filter(({ text }) => text.includes("You are linked")).length;
  const prove = async (who: "traveler" | "approver", code: string) => {
    const before = await countLinked();
    await line.say(who, code);
    while ((await countLinked()) === before) await delay(LOOK_MILLISECONDS, undefined, { signal: deadline });
  };
  await prove("traveler", await line.issueCode(apiKey, `link-codes?userId=${userIds[0]}`));
  if (line.approverCodes !== undefined) await prove("approver", await line.issueCode(key, line.approverCodes));
  await client.put("/api/policies/approving", POLICY);
  if (asks) await client.put("/api/policy-enforcement", { policyId: "approving" });
  async function decide(approvalId: string): Promise<void> {
    const url = `${deployment.appUrls[0]}/api/approvals/${approvalId}/decision`;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ decision: "approve" });
    await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(LINK_MILLISECONDS) });
  }
  const rest = async () => void (await deployment.query(FORGET_ATTEMPTS).catch(() => undefined));
  const caller = { client, userId: userIds[0], tenantId };
  return new Talk({ deployment, line, ...caller, needsApproval: asks, decide, rest, history });
}

async function open(scene: Scene): Promise<AreaRun> {
  const { deployment, history } = scene;
  const quickstart = deployment.quickstart();
  const { supplierUrl } = quickstart;
  const view = createChainView(quickstart.chain);
  const talks: Talk[] = [];
  for (const [index, tenant] of (await prepareTenants(deployment, history, OTHERS)).entries())
    talks.push(await openTalk(scene, tenant, index));
  const today = Temporal.Now.plainDateISO("UTC");
  const listPlayed = () => talks.flatMap(({ played }) => played);
  const listInvited = () => listPlayed().filter(({ invitation }) => invitation !== undefined);
  let caught = 0;

  /** Effects outside are read first: our books knew of them before. */
  async function readFacts(): Promise<Facts> {
    const orders = paidOrders(await readSupplier(supplierUrl));
    const sides = await Promise.all(
      talks.map(async ({ tenantId, said, forgottenUntil, line }) => {
        const seen = await line.read().catch(() => undefined);
        const { channelId, kind } = line;
        return { tenantId, said, forgottenUntil, channelId, kind, messages: seen?.all ?? [] };
      }),
    );
    return { orders, sides, books: await readChannelBooks(deployment), played: listPlayed() };
  }

  async function audit(phase: "running" | "settled"): Promise<Finding[]> {
    const facts = await readFacts();
    const running = [checkHandledOnce(facts), checkDecidedOnce(facts), checkRunsBook(facts)];
    // A message may just be on its way to us.
    if (phase === "running") return running;
    return [
      ...running,
      checkShownOnce(facts),
      checkAllShown(facts),
      checkCards(facts),
      checkEnded(facts),
      checkInvited(facts),
      ...(await auditBookings(deployment, supplierUrl)),
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
        await talk.line.arm(random.pick(talk.line.faults));
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
      `invitations   ${listInvited().length} begun, ${listInvited().filter(({ invitation }) => invitation?.isUndelivered === false).length} accepted, ${listInvited().filter(({ invitation }) => invitation?.isUndelivered === true).length} not delivered`,
      `caught        ${caught} messages on their way right after a kill`,
    ],
    openMatters: async () => [
      ...(await readOpenWork(deployment)),
      ...(await readOpenRuns(deployment)),
      ...(await readOpenSteps(deployment)),
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
    "Travelers book, approvers decide and guests accept trips in simulated Slack, WhatsApp and mailboxes: every message in is handled once, every message out is seen once.",
  // The second process receives messages and brings replies as the first one does.
  edge: { SERVE: "both" },
  parts: ["postgres", "edge", "carriers"],
  notifications: ["channel_event", "channel_message"],
  guards: ["event-once", "mail-once", "message-look-up"],
  environment: { ...UNLIMITED_CALLS, CLAIMS_PER_MINUTE: "1000000", SANDBOX_BALANCE_USDC: "10000000" },
  open,
};
