import { type Area, type AreaRun, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readOpenMatters } from "../calls/books.ts";
import {
  armFaults,
  COMMIT_TIMEOUT_MILLISECONDS,
  disarmFaults,
  drawFaults,
  QUIET_MILLISECONDS,
} from "../calls/faults.ts";
import { createTravelers, userIds } from "../calls/travelers.ts";
import { readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { type Client, createClient } from "../client.ts";
import { prepareTenants } from "../prepare-tenants.ts";
import { readOpenActions } from "../servicing/books.ts";
import { Audits } from "./audits.ts";
import { readOpenApprovals } from "./books.ts";
import { Desk } from "./desk.ts";
import { ApprovalStorm } from "./storm.ts";

const MICRO = 1_000_000n;
const POLICY_ID = "chaos-approvals";
const BUDGET_ID = "chaos";
/** Whose calls it covers: the others go on when it is used up. */
const BUDGETED = userIds[2];
const FIRST_BUDGET_USDC = 60;
const MORE_EACH_ROUND_USDC = 40;
const COVERED_CODES = [
  ...["approval_required", "approval_used", "approval_expired", "approval_revoked", "approval_rejected"],
  ...["approval_price_changed", "spend_limit_exceeded"],
];
const COVERED_DECISIONS = ["ok", "conflict", "may_not_decide"];

async function open({ deployment, history }: Scene): Promise<AreaRun> {
  const quickstart = deployment.quickstart();
  const { supplierUrl } = quickstart;
  const [{ client }] = await prepareTenants(deployment, history, []);
  await createTravelers(client);
  await enforcePolicy(client);
  const desk = await Desk.open(deployment);
  const asker = createClient({ ...quickstart, apiKey: desk.askerKey, history });
  const storm = new ApprovalStorm(deployment, { agent: client, asker }, desk);
  const view = createChainView(quickstart.chain);
  const audits = new Audits({ deployment, history, storm, desk, view, supplierUrl });
  let budgetUsdc = FIRST_BUDGET_USDC;
  await setBudget(client, budgetUsdc);

  return {
    async storm(round, random, signal) {
      budgetUsdc = FIRST_BUDGET_USDC + round * MORE_EACH_ROUND_USDC;
      // When the service is away just now, the next round raises it.
      await setBudget(client, budgetUsdc).catch(() => undefined);
      await storm.run(random, signal);
    },
    disturb: (random) => armFaults(supplierUrl, drawFaults(random)),
    covered: () =>
      new Map([
        ...history.covered(["book_flight", "send_tokens"]),
        ...COVERED_CODES.map((code) => [code, storm.codes.has(code)] as const),
        ...COVERED_DECISIONS.map((code) => [`a decision: ${code}`, desk.codes.has(code)] as const),
      ]),
    notes: () => [
      `wishes        ${storm.wishes.size}, with ${storm.subjects.size} approvals asked for`,
      `decisions     ${[...desk.codes].map(([code, count]) => `${code} ${count}`).join(", ")}`,
    ],

    async openMatters() {
      await disarmFaults(supplierUrl);
      return [
        ...(await readOpenMatters(deployment)),
        ...(await readOpenActions(deployment)),
        ...(await readOpenApprovals(deployment)),
        ...(await readUnreadBlocks(deployment, await view.tip())),
      ];
    },

    askAgain: (random, signal) => storm.askAgain(random, signal),
    async audit(phase) {
      const budget = { budgetId: BUDGET_ID, userId: BUDGETED, allowed: BigInt(budgetUsdc) * MICRO };
      return phase === "running" ? await audits.running(budget) : await audits.settled(budget);
    },
  };
}

/** Every payment over a dollar and every flight needs an approval. */
async function enforcePolicy(client: Client): Promise<void> {
  const document = {
    payments: { maxAmountUsd: 1 },
    flight: { maxPrice: { default: 1 } },
    approval: { toleranceUsd: 0.5 },
  };
  await client.put(`/api/policies/${POLICY_ID}`, { document });
  await client.put("/api/policy-enforcement", { policyId: POLICY_ID });
}

const setBudget = (client: Client, amount: number): Promise<void> =>
  client.put("/api/budgets", { budgetId: BUDGET_ID, amountUsdc: String(amount), travelerIds: [BUDGETED] });

export const approvals: Area = {
  name: "approvals",
  summary:
    "Calls that wait for approvals, decided over all ways at once, used, revoked and expired: what was approved against the supplier's ledger and the chain, within a budget.",
  parts: ["postgres", "supplier", "devnet"],
  guards: ["approval-use", "one-decision", "four-eyes", "reserved-limits"],
  environment: {
    ...UNLIMITED_CALLS,
    SANDBOX_BALANCE_USDC: "10000000",
    SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_TIMEOUT_MILLISECONDS),
    SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
  },
  open,
};
