import type { Hex } from "../../../server/src/domain/tokens.ts";
import { type Area, type AreaRun, type Scene, UNLIMITED_CALLS } from "../area.ts";
import {
  armFaults,
  COMMIT_TIMEOUT_MILLISECONDS,
  disarmFaults,
  drawFaults,
  QUIET_MILLISECONDS,
} from "../calls/faults.ts";
import { readUnreadBlocks } from "../chain/books.ts";
import { createChainView } from "../chain/chain-view.ts";
import { createAudit } from "./audit.ts";
import { readOpenPayments } from "./books.ts";
import { createBuyer, type Terms } from "./buyer.ts";
import { createMoments } from "./moments.ts";
import type { PaidTool } from "./purchase.ts";
import { priceKey } from "./shop.ts";
import { createStorm } from "./storm.ts";
import { createTill, lower, newWallet, type Till } from "./wallets.ts";

const WALLETS = 12;
/** For a run of many rounds: a call costs at most 0.02. */
const WALLET_MICRO_USDC = 40_000_000n;
const MOST_FILLINGS = 20;
const offered: readonly [PaidTool, boolean][] = [
  ["search_flights", false],
  ["search_flights", true],
  ["quote_fx", false],
  ["quote_fx", true],
  ["send_tokens", true],
  ["book_flight", true],
];

async function open({ deployment, history, share }: Scene): Promise<AreaRun> {
  const quickstart = deployment.quickstart();
  const { supplierUrl, apiKey } = quickstart;
  const buyer = createBuyer({ edgeUrls: deployment.edgeUrls, apiKey, history });
  const prices = new Map<string, Terms>();
  for (const [tool, keyed] of offered) prices.set(priceKey(tool, keyed), await buyer.terms(tool, keyed));
  const till = createTill(quickstart);
  const wallets = [newWallet(), ...Array.from({ length: WALLETS - 1 }, newWallet)] as const;
  for (const { address } of wallets) await fill(till, lower(address));
  const storm = createStorm({ buyer, till, prices, wallets, share });
  const view = createChainView(quickstart.chain);
  const moments = createMoments(deployment);
  const payTo = requirePayee(prices);

  const audit = createAudit({ deployment, journal: storm.journal, killedAt: moments.killedAt, view, payTo });

  return {
    storm: (_round, random, signal) => storm.run(random, signal),
    covered: () =>
      new Map([...history.covered(["search_flights", "quote_fx", "send_tokens", "book_flight"]), ...storm.covered()]),
    disturb: (random) => armFaults(supplierUrl, drawFaults(random)),
    nextMoment: moments.next,
    witness: moments.witness,

    notes: () => [...moments.notes(), ...storm.notes()],

    async openMatters() {
      await disarmFaults(supplierUrl);
      return [...(await readOpenPayments(deployment)), ...(await readUnreadBlocks(deployment, await view.tip()))];
    },

    askAgain: storm.askAgain,
    audit: (phase) => (phase === "running" ? audit.running() : audit.settled()),
  };
}

/** Whether a payment arrived is not always known on a slow machine: money twice is no harm. */
async function fill(till: Till, wallet: Hex): Promise<void> {
  for (let tries = 1; tries <= MOST_FILLINGS; tries += 1) if (await till.pay(wallet, WALLET_MICRO_USDC)) return;
  throw new Error("A wallet could not be filled.");
}

function requirePayee(prices: ReadonlyMap<string, Terms>): Hex {
  const [terms] = prices.values();
  if (terms === undefined) throw new Error("Nothing has a price.");
  return terms.payTo;
}

export const paid: Area = {
  name: "paid",
  summary:
    "Payments per call at two processes of the edge host: answers, payments, records and receivables against the chain's own books.",
  parts: ["edge", "postgres", "supplier", "devnet"],
  guards: ["paid-claim"],
  environment: {
    ...UNLIMITED_CALLS,
    REFUSED_KEYS_PER_MINUTE: "1000000",
    UNPAID_PER_MINUTE: "1000000",
    UNSETTLED_PER_PAYER_MINUTE: "1000000",
    UNSETTLED_PER_ADDRESS_MINUTE: "1000000",
    SANDBOX_BALANCE_USDC: "10000000",
    SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_TIMEOUT_MILLISECONDS),
    SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
  },
  // One of the two processes fetches payments one by one, the other in batches.
  edge: { PAYMENT_BATCH_WINDOW_MS: "150" },
  open,
};
