import { describe, expect, test } from "vitest";
import type { Books } from "../src/calls/books.ts";
import { checkSettled } from "../src/calls/invariants.ts";
import type { Acknowledgement } from "../src/history.ts";
import { chaosProgram } from "../src/main.ts";
import { findProcesses } from "../src/processes.ts";
import { createRandom } from "../src/random.ts";
import { chaosRunner } from "./support/run-chaos.ts";

/** Only there to end what hangs: a run takes a minute, and several on a slow machine. */
const LONG = 1_200_000;

const startChaos = chaosRunner();

test(
  "an interrupted run ends everything that it started",
  async () => {
    const { child, temporary, ended } = startChaos("--area", "calls", "--seed", "1");
    // The database runs, so that there is something to end beside the service itself.
    await expect.poll(() => findProcesses(temporary).length, { timeout: LONG, interval: 50 }).toBeGreaterThan(1);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, left: [] });
  },
  LONG,
);

const AREAS =
  "calls, chain, paid, servicing, escrow, workflows, approvals, crosschain, conversation-rules, conversation-model, channels, disruption, mixed, conversation, all";

test.each([
  [["--rounds", "2"], `--area is one of: ${AREAS}.`],
  [["--area", "call"], `--area is one of: ${AREAS}.`],
  [["--area", "calls", "--rounds", "0"], "--rounds is a whole number from 1"],
  [["--area", "calls", "--rounds", "1.5"], "--rounds is a whole number from 1"],
  [["--area", "calls", "--break", "luck"], "--break is one of: idempotency, durable-flush, key-taken."],
  [["--area", "all", "--break", "idempotency"], "--break needs one area."],
  [["--area", "calls", "--seed", "a b"], "--seed is up to 64"],
  [["--area", "calls", "--round", "2"], "--round"],
  [["--area", "calls", "2"], "'2'"],
])("%j is a wrong call", async (args, message) => {
  let [out, error] = ["", ""];
  const output = {
    out(text: string) {
      out += text;
    },
    error(text: string) {
      error += text;
    },
  };
  const code = await chaosProgram(args, output, AbortSignal.abort());
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(error).toContain(message);
  expect(error).toContain("npm run chaos -- --help");
});

describe("every invariant of calls", () => {
  /** One booking, charged for, paid at the supplier and answered; one that failed and left an unpaid order. */
  function soundBooks() {
    const usage = {
      id: "use_1",
      call_id: "call_1",
      tenant_id: "t",
      subject: "s",
      surface: "dispatch",
      tool: "book_flight",
      price: 20_000n,
    };
    const order = { id: "ord_1", offer_id: "off_1", booking_reference: "ZZ1", state: "paid", total_amount: 90n };
    const account = { token: "USDC" };
    const booking = { id: "bkg_1", tenant_id: "t", offer_id: "off_1", state: "booked", total_amount: 90n };
    const books: Books = {
      usage: [{ ...usage, idempotency_key: "k" }],
      spends: [{ tenant_id: "t", period: "2026-11", spent: 20_000n }],
      bookings: [
        { ...booking, order_id: "ord_1", pnr: "ZZ1" },
        { ...booking, id: "bkg_2", offer_id: "off_2", state: "failed", order_id: null, pnr: null },
      ],
      accounts: [
        { ...account, id: "prefunded", kind: "prefunded", balance: 910n, entries: 910n },
        { ...account, id: "held", kind: "held", balance: 0n, entries: 0n },
        { ...account, id: "collection", kind: "collection", balance: 90n, entries: 90n },
        { ...account, id: "external", kind: "external", balance: -1_000n, entries: -1_000n },
      ],
      transactions: [{ reference: "hold:bkg_1", kind: "hold", sum: 0n }],
      deposited: 1_000n,
      open: [{ matter: "reserved calls", count: 0n }],
      supplier: {
        orders: [
          { ...order, paid_amount: 90n, metadata: { booking_id: "bkg_1" } },
          {
            ...order,
            id: "ord_2",
            offer_id: "off_2",
            state: "held",
            paid_amount: 0n,
            metadata: { booking_id: "bkg_2" },
          },
        ],
        payments: [{ id: "pay_1", order_id: "ord_1", amount: 90n, status: "succeeded" }],
        refunds: [],
      },
    };
    const answer: Acknowledgement = {
      round: 1,
      tool: "book_flight",
      userId: "s",
      key: "k",
      args: { offerId: "off_1" },
      meterId: "use_1",
      priceMicroUsdc: 20_000n,
      replayed: false,
      signed: true,
      result: { bookingId: "bkg_1", orderId: "ord_1", pnr: "ZZ1", offerId: "off_1" },
    };
    return { books, answers: [answer] };
  }
  type Sound = ReturnType<typeof soundBooks>;

  /** Names of what does not hold. */
  function failing({ books, answers }: Sound): string[] {
    return checkSettled(answers, books).flatMap(({ invariant, problems }) => (problems.length > 0 ? [invariant] : []));
  }
  /** The first of a list, to be changed or repeated. */
  function first<Item>(items: readonly Item[]): Item {
    const [item] = items;
    if (item === undefined) throw new Error("There is none.");
    return item;
  }
  const order = ({ books }: Sound) => first(books.supplier.orders);

  test("holds for sound books", () => {
    expect(failing(soundBooks())).toEqual([]);
  });

  const ACKNOWLEDGED = "every acknowledged usage record is there";
  const ONCE = "no usage record is there twice";
  const SPENT = "spent is the sum of the usage records";
  const BOOKED = "acknowledged bookings are paid orders";
  const ORDERED_ONCE = "no offer was ordered or paid twice";
  const CHARGED_ONCE = "no booking is charged for twice";
  const SUPPLIER = "the supplier's ledger equals ours";
  const LEDGER = "the books add up to zero";
  const BALANCE = "the treasuries were charged for the bookings";

  const spoilers: [string, string, (sound: Sound) => unknown][] = [
    ["a record is lost", ACKNOWLEDGED, ({ books }) => books.usage.pop()],
    ["a record has another price", ACKNOWLEDGED, ({ books }) => Object.assign(first(books.usage), { price: 1n })],
    ["an answer has no record", ACKNOWLEDGED, ({ answers }) => Object.assign(first(answers), { meterId: undefined })],
    ["a call has two records", ONCE, ({ books }) => books.usage.push({ ...first(books.usage), id: "use_2" })],
    [
      "a key has two records",
      ONCE,
      ({ books }) => books.usage.push({ ...first(books.usage), id: "use_2", call_id: "call_2" }),
    ],
    [
      "a key was metered twice",
      "one idempotency key was metered once",
      ({ answers }) => answers.push({ ...first(answers), meterId: "use_2" }),
    ],
    [
      "an answer is not signed",
      "every answer is signed",
      ({ answers }) => Object.assign(first(answers), { signed: false }),
    ],
    ["spent is off by one", SPENT, ({ books }) => Object.assign(first(books.spends), { spent: 20_001n })],
    ["a reservation is left", SPENT, ({ books }) => Object.assign(first(books.open), { count: 1n })],
    ["the supplier lost the order", BOOKED, ({ books }) => books.supplier.orders.shift()],
    ["the order was cancelled", BOOKED, (sound) => Object.assign(order(sound), { state: "cancelled" })],
    ["the order has another PNR", BOOKED, (sound) => Object.assign(order(sound), { booking_reference: "ZZ9" })],
    [
      "an offer was ordered twice",
      ORDERED_ONCE,
      (sound) => sound.books.supplier.orders.push({ ...order(sound), id: "ord_3" }),
    ],
    [
      "an order was paid twice",
      ORDERED_ONCE,
      ({ books }) => books.supplier.payments.push({ ...first(books.supplier.payments), id: "pay_2" }),
    ],
    [
      "a booking was charged for twice",
      CHARGED_ONCE,
      ({ books }) =>
        books.usage.push({ ...first(books.usage), id: "use_2", call_id: "call_2", idempotency_key: "other" }),
    ],
    ["an order is nobody's", SUPPLIER, (sound) => Object.assign(order(sound), { metadata: {} })],
    [
      "a paid order's booking failed",
      SUPPLIER,
      ({ books }) => Object.assign(first(books.bookings), { state: "failed" }),
    ],
    [
      "another amount was paid",
      SUPPLIER,
      ({ books }) => Object.assign(first(books.supplier.payments), { amount: 91n }),
    ],
    ["money is missing", LEDGER, ({ books }) => Object.assign(first(books.accounts), { balance: 909n })],
    [
      "a token's books are off and another's make up for it",
      LEDGER,
      ({ books }) => {
        Object.assign(first(books.accounts), { balance: 909n, entries: 909n });
        books.accounts.push({ id: "e", kind: "prefunded", token: "EURC", balance: 1n, entries: 1n });
      },
    ],
    ["a posting is one-sided", LEDGER, ({ books }) => Object.assign(first(books.transactions), { sum: 5n })],
    ...["held", "outgoing", "collection_outgoing"].map((kind): [string, string, (sound: Sound) => unknown] => [
      `money is still ${kind}`,
      LEDGER,
      ({ books }) => {
        Object.assign(first(books.accounts), { balance: 905n, entries: 905n });
        books.accounts.push({ id: "h", kind, token: "USDC", balance: 5n, entries: 5n });
      },
    ]),
    [
      "a booking was not taken from the treasury",
      BALANCE,
      ({ books }) => Object.assign(first(books.accounts), { balance: 1_000n, entries: 1_000n }),
    ],
    [
      "the collection has not got what the supplier was paid",
      BALANCE,
      ({ books }) => Object.assign(books.accounts[2] ?? {}, { balance: 80n, entries: 80n }),
    ],
    [
      "a booking is open",
      "every booking came to its end",
      ({ books }) => Object.assign(first(books.bookings), { state: "paying" }),
    ],
  ];
  test.each(spoilers)("fails when %s", (_, invariant, spoil) => {
    const sound = soundBooks();
    spoil(sound);
    expect(failing(sound).filter((name) => name.startsWith(invariant))).toHaveLength(1);
  });

  test("is spoiled by one of these", () => {
    const names = checkSettled([], soundBooks().books).map(({ invariant }) => invariant);
    expect(names.filter((name) => !spoilers.some(([, invariant]) => name.startsWith(invariant)))).toEqual([]);
  });
});

describe("the decisions", () => {
  const draw = (seed: string) => {
    const random = createRandom(seed);
    return [random.between(1, 1_000_000), random.shuffle([1, 2, 3, 4, 5, 6, 7, 8]), random.fork("a").next()];
  };

  test("repeat with the seed", () => {
    expect(draw("1")).toEqual(draw("1"));
    expect(draw("1")).not.toEqual(draw("2"));
  });

  test("of one concern do not shift another's", () => {
    const [one, other] = [createRandom("1"), createRandom("1")];
    one.next();
    expect(one.fork("worker").next()).toBe(other.fork("worker").next());
    expect(one.fork("a").next()).not.toBe(one.fork("b").next());
  });
});
