import { randomBytes } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";
import { createHistory } from "../../history.ts";
import { createBuyer } from "../../paid/buyer.ts";
import { authorize, paymentHeader } from "../../paid/wallets.ts";
import type { Attack } from "../attack.ts";
import { postMany } from "../post-many.ts";
import type { Target } from "../target.ts";

const UNPAID_CALLS = 150;
const PAID_CALLS = 80;
const FORGED_CALLS = 100;
/** The limits a minute that the harness starts the service with. A slow machine meets them twice. */
const UNPAID = 40;
const UNSETTLED = 20;
const REFUSALS = 20;

/** Free to try, and it asks the supplier. */
const TOOL = "display_offer_conditions";
const body = JSON.stringify({ offerId: "off_0000000000000000000000" });
const done = async (): Promise<void> => undefined;

async function readTerms({ urls, apiKey }: Target) {
  return await createBuyer({ edgeUrls: [urls.edge], apiKey, history: createHistory() }).terms(TOOL, false);
}

/** Whoever only asks for the price. */
export const unpaidCalls: Attack = {
  name: "unpaid calls",
  hosts: ["edge"],
  guard: "unpaid-limit",
  bounds: { memoryMegabytes: 96, waitingRequests: 60 },
  async begin({ urls }) {
    const { problems, statuses } = await postMany(UNPAID_CALLS, () => ({ url: `${urls.edge}/tools/${TOOL}`, body }));
    const told = statuses.get(402) ?? 0;
    const tooMany = told > 2 * UNPAID ? [`${told} calls were told the price, and the limit is ${UNPAID}`] : [];
    return { calls: UNPAID_CALLS, problems: [...problems, ...tooMany], end: done };
  },
};

/** Good payments for calls that fail: the payer keeps the money, and asks chain and supplier each time. */
export const failingPaidCalls: Attack = {
  name: "failing paid calls",
  hosts: ["edge"],
  guard: "unsettled-limit",
  bounds: {
    memoryMegabytes: 96,
    waitingRequests: 60,
    outsideCalls: {
      chainQuestions: (2 * UNSETTLED) / PAID_CALLS,
      supplierRequests: (2 * UNSETTLED) / PAID_CALLS,
    },
  },
  async begin(target) {
    const terms = await readTerms(target);
    const account = privateKeyToAccount(target.payerKey);
    const signed = await Promise.all(Array.from({ length: PAID_CALLS }, () => authorize(account, terms)));
    const { statuses, problems } = await postMany(PAID_CALLS, (index) => {
      const authorization = signed[index];
      if (authorization === undefined) throw new Error("There are as many calls as signatures.");
      return {
        url: `${target.urls.edge}/tools/${TOOL}`,
        headers: { "payment-signature": paymentHeader(terms, authorization) },
        body,
      };
    });
    // That a call fails is what its payer is after; that none does would show nothing.
    const failed = statuses.get(500) ?? 0;
    const others = problems.filter((problem) => !problem.endsWith(" 500"));
    return { calls: PAID_CALLS, problems: failed > 0 ? others : [...others, "no call failed"], end: done };
  },
};

/** Signatures of nobody, each in the name of another payer. */
export const forgedPayments: Attack = {
  name: "forged payments",
  hosts: ["edge"],
  guard: "refusal-limit",
  bounds: {
    memoryMegabytes: 96,
    waitingRequests: 60,
    outsideCalls: { chainQuestions: (2 * REFUSALS) / FORGED_CALLS },
  },
  async begin(target) {
    const terms = await readTerms(target);
    const validBefore = BigInt(Math.floor(Date.now() / 1000) + terms.maxTimeoutSeconds);
    const { problems } = await postMany(FORGED_CALLS, () => {
      const authorization = {
        amount: terms.amount,
        validAfter: 0n,
        validBefore,
        payer: `0x${randomBytes(20).toString("hex")}`,
        nonce: `0x${randomBytes(32).toString("hex")}`,
        signature: `0x${randomBytes(64).toString("hex")}1b`,
      } as const;
      return {
        url: `${target.urls.edge}/tools/${TOOL}`,
        headers: { "payment-signature": paymentHeader(terms, authorization) },
        body,
      };
    });
    return { calls: FORGED_CALLS, problems, end: done };
  },
};
