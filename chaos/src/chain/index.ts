import { outputSchemas } from "../../../server/src/contributions.ts";
import { type Area, type AreaRun, type Scene, UNLIMITED_CALLS } from "../area.ts";
import { readBooks, readOpenMatters, readUsage } from "../calls/books.ts";
import { checkLedger } from "../calls/check-bookings.ts";
import {
  armFaults,
  COMMIT_TIMEOUT_MILLISECONDS,
  disarmFaults,
  drawFaults,
  QUIET_MILLISECONDS,
} from "../calls/faults.ts";
import { checkBookings, checkRunning, checkUsage } from "../calls/invariants.ts";
import { createTravelers } from "../calls/travelers.ts";
import { type Client, createClient } from "../client.ts";
import type { Deployment, TenantAccess } from "../deployment.ts";
import { readChainBooks, readOrders, readUnreadBlocks } from "./books.ts";
import { type ChainView, createChainView, lower } from "./chain-view.ts";
import { checkLimitsRunning, checkLimitsSettled } from "./check-limits.ts";
import { checkChainRunning, checkChainSettled, type SettledChain } from "./invariants.ts";
import { LimitedStorm } from "./limited.ts";
import { createMoments } from "./moments.ts";
import type { Sender } from "./operations.ts";
import { createStorm } from "./storm.ts";
import { tryChain } from "./trials.ts";

const MONTHLY_CAP = 1_000_000_000_000n;
const FUNDED_WITHIN_MILLISECONDS = 240_000;
const POLL_MILLISECONDS = 100;

async function open({ deployment, client, history, share }: Scene): Promise<AreaRun> {
  const quickstart = deployment.quickstart();
  const { supplierUrl } = quickstart;
  const other = await deployment.createTenant("Chaos");
  const senders: readonly [Sender, Sender] = [
    await prepareSender(deployment, client, quickstart),
    await prepareSender(deployment, createClient({ appUrl: quickstart.appUrl, ...other, history }), other),
  ];
  const storm = createStorm(senders, share);
  const newSender = async (name: string): Promise<Sender> => {
    const access = await deployment.createTenant(name);
    return await prepareSender(deployment, createClient({ appUrl: quickstart.appUrl, ...access, history }), access);
  };
  const limited = await LimitedStorm.open(deployment, [await newSender("Limited"), await newSender("Budgeted")], share);
  const chain = createChainView(quickstart.chain);
  const moments = createMoments(deployment, chain);
  return {
    async storm(round, random, signal) {
      await Promise.all([storm.run(random, signal), limited.run(round, random.fork("limited"), signal)]);
    },
    covered: () =>
      new Map([
        ...history.covered(["send_tokens", "settle_split", "faucet_drip", "book_flight"]),
        ...limited.covered(),
      ]),
    disturb: (random) => armFaults(supplierUrl, drawFaults(random)),
    nextMoment: moments.next,
    witness: moments.witness,
    notes: moments.notes,

    async openMatters() {
      await disarmFaults(supplierUrl);
      return [...(await readOpenMatters(deployment)), ...(await readUnreadBlocks(deployment, await chain.tip()))];
    },

    askAgain: storm.askAgain,
    trials: (signal) => tryChain({ deployment, newSender, signal }),

    async audit(phase) {
      // Before the books and the chain are read: what is answered meanwhile may not be in them.
      const journal = storm.journal();
      const answers = [...history.acknowledgements];
      if (phase === "running") {
        const orders = await readOrders(deployment);
        const transfers = await chain.transfers();
        return [
          ...checkRunning(answers, await readUsage(deployment)),
          ...checkChainRunning(journal, orders, transfers),
          ...checkLimitsRunning(await limited.read(), transfers),
        ];
      }
      const replay = await replayChain(deployment, chain);
      const books = await readChainBooks(deployment);
      const facts = await chain.read(books.wallets.map(({ address }) => address));
      const calls = await readBooks(deployment, supplierUrl);
      return [
        ...checkUsage(answers, calls),
        ...checkBookings(answers, calls),
        checkLedger(calls),
        ...checkChainSettled({ journal, books, facts, killedAt: moments.killedAt, replay }),
        ...checkLimitsSettled(await limited.read(), facts.transfers),
      ];
    },
  };
}

async function prepareSender(deployment: Deployment, client: Client, { tenantId }: Pick<TenantAccess, "tenantId">) {
  await deployment.allowSpending(tenantId, MONTHLY_CAP);
  await createTravelers(client);
  const deadline = AbortSignal.timeout(FUNDED_WITHIN_MILLISECONDS);
  for (;;) {
    const answer = await client.call({ tool: "check_treasury", args: {} }, deadline);
    const found = answer.kind === "ok" ? outputSchemas.check_treasury.safeParse(answer.result).data : undefined;
    const { USDC, EURC } = found?.available ?? { USDC: "0", EURC: "0" };
    if (found !== undefined && USDC !== "0" && EURC !== "0")
      return { client, tenantId, treasury: lower(found.address) };
    deadline.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
}

/** One more kill of the whole chain, while nothing is under way. */
async function replayChain(deployment: Deployment, chain: ChainView): Promise<SettledChain["replay"]> {
  const before = await chain.tip();
  const kill = deployment.aim("devnet");
  if (!kill()) throw new Error("The development chain does not run.");
  await deployment.untilReady(new AbortController().signal);
  return { before, after: await chain.findHash(before.number) };
}

export const chain: Area = {
  name: "chain",
  summary: "Transfers, splits, drips and bookings: our books against the development chain's, which is killed too.",
  parts: ["postgres", "sequencer", "anvil"],
  notifications: ["chain_transaction", "chain_ended"],
  guards: [
    ...["chain-look-up", "chain-log", "idempotency", "reserved-limits"],
    ...["chain-stop", "wallet-tenant", "key-eviction", "rules-version", "effect-look-up"],
  ],
  environment: {
    ...UNLIMITED_CALLS,
    SANDBOX_BALANCE_USDC: "10000000",
    SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_TIMEOUT_MILLISECONDS),
    SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
  },
  open,
};
