import { describe, expect, test } from "vitest";
import type { Hex } from "../../server/src/domain/tokens.ts";
import type { Transfer } from "../src/chain/chain-view.ts";
import type { PaidBooks } from "../src/paid/books.ts";
import {
  checkAnsweredIsCaptured,
  checkMetered,
  checkOneAnswer,
  checkRanOnce,
  countRuns,
} from "../src/paid/check-answers.ts";
import {
  checkCapturedIsAnswered,
  checkCapturedIsBooked,
  checkNothingLeft,
  checkReceivables,
  checkSettledOnChain,
  checkSuccesses,
  checkSums,
} from "../src/paid/check-books.ts";
import type { PaidTool, Purchase } from "../src/paid/purchase.ts";

const digits = (digit: string, length: number): Hex => `0x${digit.repeat(length)}`;
const [PAYER, DEBTOR, PAYEE, FRIEND] = [digits("1", 40), digits("2", 40), digits("c", 40), digits("f", 40)];
const [CAPTURE, SEND] = [digits("a", 64), digits("b", 64)];

/** A transfer that was paid and answered, and a search that was done for a wallet that was emptied. */
function sound() {
  const purchase = (number: number, payer: Hex, tool: PaidTool, args: Record<string, unknown>): Purchase => ({
    number,
    tool,
    args,
    otherArgs: undefined,
    keyed: true,
    header: "",
    answers: [],
    authorization: {
      payer,
      nonce: digits(String(number), 64),
      amount: 5_000n,
      signature: "0x",
      validAfter: 0n,
      validBefore: 9_999_999_999n,
    },
    broadcastFirst: false,
    drained: false,
    startedAt: 1_000,
    endedAt: 2_000,
  });
  const sent = purchase(1, PAYER, "send_tokens", { to: FRIEND, amount: "0.000017" });
  const journey = { origin: "LHR", destination: "CDG", departureDate: "2027-01-02" };
  const owed = purchase(2, DEBTOR, "search_flights", { ...journey, passengers: 1 });
  const answer = {
    kind: "paid" as const,
    settlementTx: CAPTURE,
    payer: PAYER,
    amount: 5_000n,
    meterId: "use_1",
    result: { txHash: SEND },
    replayed: false,
    other: false,
  };
  sent.answers.push(answer, { ...answer, replayed: true });
  owed.answers.push({ kind: "refused", code: "payment_invalid", reason: "funds", other: false });
  const event = (from: Hex, to: Hex, amount: bigint, hash: Hex, logIndex: number): Transfer => ({
    token: "USDC",
    from,
    to,
    amount,
    hash,
    logIndex,
    block: 1n,
  });
  const row = { amount: 5_000n, has_result: true } as const;
  const books: PaidBooks = {
    payments: [
      {
        ...row,
        id: "pay_1",
        payer: PAYER,
        nonce: digits("1", 64),
        tool: "send_tokens",
        state: "settled",
        call_id: "call_1",
        usage_id: "use_1",
        transaction_hash: CAPTURE,
      },
      {
        ...row,
        id: "pay_2",
        payer: DEBTOR,
        nonce: digits("2", 64),
        tool: "search_flights",
        state: "receivable",
        call_id: "call_2",
        usage_id: null,
        transaction_hash: null,
      },
    ],
    usage: [{ id: "use_1", call_id: "call_1", tool: "send_tokens", price: 5_000n }],
    payers: [
      { payer: PAYER, open: 0n, receivables: 0, under_way: 0, settled: 1 },
      { payer: DEBTOR, open: 0n, receivables: 1, under_way: 0, settled: 0 },
    ],
    calls: [{ id: "call_1", state: "captured" }],
    bookings: [],
    searches: [{ slices: [journey], passengers: [{}] }],
  };
  const transfers = [event(PAYER, PAYEE, 5_000n, CAPTURE, 1), event(FRIEND, FRIEND, 17n, SEND, 2)];
  const used = [{ payer: PAYER, nonce: digits("1", 64), hash: CAPTURE }];
  const killedAt: readonly number[] = [];
  return { journal: [sent, owed], sent, owed, books, chain: { transfers, used, payTo: PAYEE }, killedAt };
}
type Sound = ReturnType<typeof sound>;

/** Names of what does not hold. */
function failing({ journal, books, chain, killedAt }: Sound): string[] {
  const runs = countRuns(journal, { ...chain, ...books });
  const buyers = new Set<string>([PAYER, DEBTOR]);
  return [
    checkAnsweredIsCaptured(journal, chain),
    checkOneAnswer(journal),
    checkMetered(journal, books.usage),
    checkRanOnce(runs, killedAt),
    checkCapturedIsAnswered(journal, chain),
    checkCapturedIsBooked(journal, books, chain),
    checkSettledOnChain(books, chain),
    checkSums(books, chain, buyers),
    checkReceivables(books, chain),
    checkSuccesses(journal, books, runs),
    checkNothingLeft(books),
  ].flatMap(({ invariant, problems }) => (problems.length > 0 ? [invariant] : []));
}

describe("every invariant", () => {
  const [paying, owing] = [0, 1] as const;
  const spoilers: [string, string, (facts: Sound) => unknown][] = [
    ["a capture is gone", "what was answered as paid", ({ chain }) => chain.used.pop()],
    [
      "a capture moved less",
      "what was answered as paid",
      ({ chain }) => Object.assign(chain.transfers[0] ?? {}, { amount: 1n }),
    ],
    ["two answers differ", "one signature", ({ sent }) => Object.assign(sent.answers[1] ?? {}, { result: {} })],
    ["a record is gone", "every answer that was paid", ({ books }) => books.usage.pop()],
    ["money was sent twice", "no tool ran twice", ({ chain }) => chain.transfers.push(...chain.transfers.slice(1))],
    ["a search ran twice without a kill", "no tool ran twice", ({ books }) => books.searches.push(...books.searches)],
    ["a capture has no answer", "what was captured", ({ sent }) => sent.answers.splice(0)],
    ["a capture has no payment", "nothing is captured", ({ books }) => books.payments.shift()],
    [
      "a payment names another transaction",
      "settled payments",
      ({ books }) => Object.assign(books.payments[paying] ?? {}, { transaction_hash: SEND }),
    ],
    [
      "a payment has no answer to give",
      "settled payments",
      ({ books }) => Object.assign(books.payments[paying] ?? {}, { has_result: false }),
    ],
    [
      "a record has no payment",
      "settled payments",
      ({ books }) => books.usage.push({ id: "use_2", call_id: "call_9", tool: "quote_fx", price: 0n }),
    ],
    [
      "more was captured",
      "captured, settled and metered",
      ({ chain }) =>
        chain.transfers.push({
          token: "USDC",
          from: DEBTOR,
          to: PAYEE,
          amount: 1n,
          hash: SEND,
          logIndex: 3,
          block: 1n,
        }),
    ],
    [
      "a receivable was captured",
      "receivables are",
      ({ chain }) => chain.used.push({ payer: DEBTOR, nonce: digits("2", 64), hash: SEND }),
    ],
    [
      "a payer is said to owe more",
      "receivables are",
      ({ books }) => Object.assign(books.payers[owing] ?? {}, { receivables: 2 }),
    ],
    ["money is still open", "receivables are", ({ books }) => Object.assign(books.payers[paying] ?? {}, { open: 1n })],
    [
      "one is still under way",
      "receivables are",
      ({ books }) => Object.assign(books.payers[paying] ?? {}, { under_way: 1 }),
    ],
    ["one is not counted", "receivables are", ({ books }) => Object.assign(books.payers[paying] ?? {}, { settled: 0 })],
    ["it was earned and not done", "what was done", ({ chain }) => chain.transfers.pop()],
    ["a claim is left", "no claim", ({ books }) => Object.assign(books.payments[owing] ?? {}, { state: "claimed" })],
    ["a call is left", "no claim", ({ books }) => Object.assign(books.calls[0] ?? {}, { state: "reserved" })],
  ];

  test("holds for sound facts, and a kill explains a second search", () => {
    expect(failing(sound())).toEqual([]);
    const facts = sound();
    facts.books.searches.push(...facts.books.searches);
    expect(failing({ ...facts, killedAt: [1_500] })).toEqual([]);
  });

  test.each(spoilers)("fails when %s", (_, invariant, spoil) => {
    const facts = sound();
    spoil(facts);
    expect(failing(facts).filter((name) => name.startsWith(invariant))).toHaveLength(1);
  });
});
