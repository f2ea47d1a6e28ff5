import { expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import {
  checkEverybodyIsHelped,
  checkGivenBack,
  checkMailedOnce,
  checkNothingSpent,
  checkOneRun,
  checkSeats,
  type Facts,
} from "../src/disruption/check-books.ts";
import { createHistory } from "../src/history.ts";
import type { ServicingBooks } from "../src/servicing/books.ts";

const TENANT = "tenant_1";
const client = createClient({
  ...{ appUrl: "http://127.0.0.1:1", tenantId: TENANT, apiKey: "k", operatorKey: "o", signingSecret: "s" },
  history: createHistory(),
});

const passenger = (userId: string, orderId: string) => ({
  ...{ tenantId: TENANT, client, userId, email: `${userId}@chaos.example`, orderId },
  ...{ day: "2027-01-01", origin: "LHR", destination: "CDG" },
});

/** One traveler holds a decision, and one has given the flights back. */
function soundFacts(): Facts & { servicing: Pick<ServicingBooks, "actions" | "supplier"> } {
  const run = { tenant_id: TENANT, pauses: 1 };
  const order = { offer_id: "off", booking_reference: "ABC", metadata: {}, total_amount: 100n };
  const payment = { type: "balance", amount: 100n, airline_credit_id: null, status: "succeeded", pays_for: "order" };
  return {
    passengers: [passenger("ada", "ord_1"), passenger("bo", "ord_2")],
    changes: [
      { id: "aic_1", order_id: "ord_1", action_taken: null },
      { id: "aic_2", order_id: "ord_2", action_taken: null },
    ],
    books: {
      runs: [
        { ...run, id: "run_1", order_id: "ord_1", change_id: "aic_1", state: "paused", end: null, session_id: "s" },
        {
          ...run,
          id: "run_2",
          order_id: "ord_2",
          change_id: "aic_2",
          state: "completed",
          end: "refused",
          session_id: null,
        },
      ],
      messages: [
        { tenant_id: TENANT, user_id: "ada", state: "sent" },
        { tenant_id: TENANT, user_id: "bo", state: "sent" },
      ],
    },
    seats: [{ order_id: "ord_3", flight: "BA1 2027-01-01", seat: "1A" }],
    mails: new Map([
      ["ada@chaos.example", ["<1>"]],
      ["bo@chaos.example", ["<2>", "<2>"]],
    ]),
    bought: new Set(["ord_3"]),
    kills: 1,
    servicing: {
      actions: [],
      supplier: {
        orders: ["ord_1", "ord_2", "ord_3"].map((id) => ({ ...order, id, state: "paid" })),
        payments: ["ord_1", "ord_2", "ord_3"].map((id) => ({ ...payment, id: `pay_${id}`, order_id: id })),
        cancellations: [
          { id: "ore_1", order_id: "ord_2", confirmed_at: "now", refund_amount: 100n, credit_refund_amount: 0n },
        ],
        ...{ changes: [], credits: [], refunds: [], stayBookings: [], stayCancellations: [] },
      },
    },
  };
}

type All = ReturnType<typeof soundFacts>;

const listProblems = (facts: All): string =>
  [
    checkOneRun(facts),
    checkSeats(facts),
    checkNothingSpent(facts, facts.servicing),
    checkGivenBack(facts.servicing),
    checkEverybodyIsHelped(facts),
    checkMailedOnce(facts),
  ]
    .flatMap(({ problems }) => problems)
    .join("\n");

test("sound books of a closed airport have no problem", () => {
  expect(listProblems(soundFacts())).toBe("");
  expect(checkMailedOnce(soundFacts()).invariant).toContain("1 came again");
});

const withRuns = (facts: All, change: (run: All["books"]["runs"][number]) => object): All => ({
  ...facts,
  books: { ...facts.books, runs: facts.books.runs.map((run) => ({ ...run, ...change(run) })) },
});
const withSupplier = (facts: All, change: Partial<All["servicing"]["supplier"]>): All => ({
  ...facts,
  servicing: { ...facts.servicing, supplier: { ...facts.servicing.supplier, ...change } },
});
const ACTION = {
  tenant_id: TENANT,
  kind: "flight_change",
  subject_id: "oce_1",
  booking_id: "bkg_1",
  order_id: "ord_1",
} as const;

test.each<[string, (facts: All) => All, RegExp]>([
  ["two runs of a change", (facts) => withRuns(facts, () => ({ change_id: "aic_1" })), /2 times a run for aic_1/],
  ["two questions", (facts) => withRuns(facts, () => ({ pauses: 2 })), /run_1 asked 2 times/],
  ["a seat for two", (facts) => ({ ...facts, seats: [...facts.seats, ...facts.seats] }), /2 times seat 1A on BA1/],
  ["an order that nobody wanted", (facts) => ({ ...facts, bought: new Set<string>() }), /nobody asked for order ord_3/],
  [
    "a change that cost something",
    (facts) => ({
      ...facts,
      servicing: {
        ...facts.servicing,
        actions: [{ ...ACTION, id: "sva_1", state: "done", charged: 5n, refunded: 0n, credits: [] }],
      },
    }),
    /flight_change sva_1 cost 5/,
  ],
  [
    "an order that was given back for less",
    (facts) =>
      withSupplier(facts, {
        cancellations: facts.servicing.supplier.cancellations.map((one) => ({ ...one, refund_amount: 60n })),
      }),
    /ord_2 cost 100 and was given back for 60/,
  ],
  [
    "a traveler without a decision",
    (facts) => withRuns(facts, () => ({ session_id: null, end: null })),
    /ada of tenant_1 \(ord_1\) has 0 decisions about 1 changes/,
  ],
  [
    "a traveler who was not told",
    (facts) => ({ ...facts, books: { ...facts.books, messages: [] } }),
    /ada of tenant_1 \(ord_1\) was not written to/,
  ],
  [
    "a mail that did not arrive",
    (facts) => ({ ...facts, mails: new Map<string, string[]>() }),
    /the mail server has nothing for ada/,
  ],
  [
    "a mail too many",
    (facts) => ({ ...facts, mails: new Map([...facts.mails, ["ada@chaos.example", ["<1>", "<3>"]]]) }),
    /ada@chaos.example got 2 mails for 1 messages/,
  ],
  [
    "a mail that came too often",
    (facts) => ({ ...facts, mails: new Map([...facts.mails, ["ada@chaos.example", ["<1>", "<1>", "<1>"]]]) }),
    /3 times mail <1>/,
  ],
])("%s: it shows", (_name, spoil, problem) => {
  expect(listProblems(spoil(soundFacts()))).toMatch(problem);
});
