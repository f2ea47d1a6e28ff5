import { describe, expect, test } from "vitest";
import type { Hex } from "../../server/src/domain/tokens.ts";
import type { ChainBooks } from "../src/chain/books.ts";
import type { ChainFacts, Transfer } from "../src/chain/chain-view.ts";
import { checkChainSettled, type SettledChain } from "../src/chain/invariants.ts";
import { NOBODY, type Operation } from "../src/chain/journal.ts";

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const repeatDigit = (digit: string): Hex => `0x${digit.repeat(64)}`;
const TREASURY = address("1");
const COLLECTION = address("c");
const SPLITTER = address("5");
const [FRIEND, SUPPLIER, THIRSTY] = [address("a"), address("b"), address("d")];

/** A mint, a transfer, a split, a drip and a captured booking; a transfer and a booking that failed. */
function soundChain() {
  let logIndex = 0;
  const event = (hash: string, from: Hex, to: Hex, amount: bigint): Transfer => {
    logIndex += 1;
    return { token: "USDC", from, to, amount, hash: repeatDigit(hash), logIndex, block: 1n };
  };
  const transfers = [
    event("0", NOBODY, TREASURY, 10_000_000n),
    event("1", TREASURY, FRIEND, 1_000_017n),
    event("2", TREASURY, SPLITTER, 2_000_027n),
    event("2", SPLITTER, SUPPLIER, 1_780_025n),
    event("2", SPLITTER, TREASURY, 200_002n),
    event("2", SPLITTER, COLLECTION, 20_000n),
    event("3", NOBODY, THIRSTY, 20_000_000n),
    event("4", TREASURY, COLLECTION, 5_000_000n),
  ];
  const journal: Operation[] = [
    {
      number: 1,
      tool: "send_tokens",
      token: "USDC",
      from: TREASURY,
      to: FRIEND,
      amount: 1_000_017n,
      answers: [
        { kind: "open", code: "unavailable" },
        { kind: "done", result: { txHash: repeatDigit("1") } },
      ],
    },
    {
      number: 2,
      tool: "settle_split",
      token: "USDC",
      from: TREASURY,
      to: SUPPLIER,
      amount: 2_000_027n,
      answers: [
        {
          kind: "done",
          result: {
            txHash: repeatDigit("2"),
            supplier: SUPPLIER,
            supplierUsdc: "1.780025",
            commissionUsdc: "0.200002",
            serviceFeeUsdc: "0.020000",
          },
        },
      ],
    },
    {
      number: 3,
      tool: "faucet_drip",
      token: "USDC",
      from: NOBODY,
      to: THIRSTY,
      amount: undefined,
      answers: [{ kind: "done", result: { txHash: repeatDigit("3") } }],
    },
    {
      number: 4,
      tool: "send_tokens",
      token: "USDC",
      from: TREASURY,
      to: FRIEND,
      amount: 500_000_047n,
      answers: [{ kind: "failed", code: "insufficient_balance" }],
    },
  ];
  const none: Hex[] = [];
  const order = (id: string, purpose: string, chain_order: Partial<ChainBooks["orders"][number]["chain_order"]>) => ({
    id: `ctx_${id}`,
    idempotency_key: id,
    call_id: `call_${id}`,
    purpose,
    state: "confirmed",
    hash: repeatDigit(id),
    earlier_hashes: none,
    chain_order: { kind: "transfer", token: "USDC" as const, ...chain_order },
    created_at: new Date(1_000),
    updated_at: new Date(3_000),
  });
  const books: ChainBooks = {
    wallets: [
      { address: TREASURY, kind: "treasury", tenant_id: "t" },
      { address: COLLECTION, kind: "collection", tenant_id: null },
    ],
    orders: [
      { ...order("0", "development_money", { kind: "mint", to: TREASURY, amount: 10_000_000n }), call_id: null },
      order("1", "send_tokens", { from: TREASURY, to: FRIEND, amount: 1_000_017n }),
      order("2", "settle_split", { kind: "split", from: TREASURY, supplier: SUPPLIER, gross: 2_000_027n }),
      order("3", "faucet_drip", { kind: "drip", to: THIRSTY }),
      {
        ...order("4", "capture", { from: TREASURY, to: COLLECTION, amount: 5_000_000n }),
        idempotency_key: "capture:booking:bkg_1#2",
        call_id: null,
      },
      { ...order("6", "send_tokens", { from: TREASURY, to: FRIEND, amount: 7n }), state: "reverted" },
    ],
    custody: [
      { address: TREASURY, token: "USDC", amount: 2_199_958n },
      { address: COLLECTION, token: "USDC", amount: 5_020_000n },
    ],
    postings: transfers
      .filter(({ from, to }) => [from, to].some((one) => one === TREASURY || one === COLLECTION))
      .map((one) => ({ hash: one.hash, log_index: one.logIndex })),
    chains: [{ network: "sandbox", indexed: 9n, indexed_hash: repeatDigit("9"), stopped_because: null }],
    paidCalls: [
      { call_id: "call_1", tool: "send_tokens" },
      { call_id: "call_2", tool: "settle_split" },
      { call_id: "call_3", tool: "faucet_drip" },
      { call_id: "call_b", tool: "book_flight" },
      { call_id: null, tool: "check_treasury" },
    ],
    bookings: [
      { id: "bkg_1", state: "booked", amount: 5_000_000n, call_id: "call_b" },
      { id: "bkg_2", state: "failed", amount: 4_000_000n, call_id: "call_f" },
    ],
  };
  const facts = {
    tip: { number: 9n, hash: repeatDigit("9") },
    transfers,
    balances: new Map([
      [`USDC ${TREASURY}`, 2_199_958n],
      [`USDC ${COLLECTION}`, 5_020_000n],
      [`EURC ${TREASURY}`, 0n],
      [`EURC ${COLLECTION}`, 0n],
    ]),
  } satisfies ChainFacts;
  const replay: SettledChain["replay"] = { before: { number: 9n, hash: repeatDigit("9") }, after: repeatDigit("9") };
  return { journal, books, facts, killedAt: [2_000], replay };
}
type Sound = ReturnType<typeof soundChain>;

const failing = (chain: Sound): string[] =>
  checkChainSettled(chain).flatMap(({ invariant, problems }) => (problems.length > 0 ? [invariant] : []));

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`There is no ${index}.`);
  return item;
}

describe("every invariant of the chain", () => {
  test("holds for sound books, and compares something", () => {
    expect(failing(soundChain())).toEqual([]);
    expect(checkChainSettled(soundChain()).filter(({ checked }) => checked === 0)).toEqual([]);
  });

  const ACKNOWLEDGED = "every acknowledged transfer is on the chain";
  const TWICE = "nothing that was asked for once is on the chain twice";
  const REFUSED = "what was refused for good has moved nothing";
  const REVERTED = "orders that failed moved nothing";
  const ORDERS = "orders that are confirmed and transfers on the chain are the same";
  const CUSTODY = "each wallet has on the chain what the books give it";
  const POSTED = "every event of our wallets is posted once";
  const CAPTURED = "booked flights were captured once on the chain";
  const PAID = "charged for is exactly what was carried out";
  const ENDED = "every order came to its end";

  const spoilers: [string, string, (chain: Sound) => unknown][] = [
    ["an acknowledged transfer is not there", ACKNOWLEDGED, ({ facts }) => facts.transfers.splice(1, 1)],
    [
      "it has another hash",
      ACKNOWLEDGED,
      ({ facts }) => Object.assign(at(facts.transfers, 1), { hash: repeatDigit("7") }),
    ],
    ["it went to somebody else", ACKNOWLEDGED, ({ facts }) => Object.assign(at(facts.transfers, 1), { to: THIRSTY })],
    ["it has another amount", ACKNOWLEDGED, ({ facts }) => Object.assign(at(facts.transfers, 1), { amount: 1n })],
    ["it is of the other token", ACKNOWLEDGED, ({ facts }) => Object.assign(at(facts.transfers, 1), { token: "EURC" })],
    [
      "it was acknowledged under two hashes",
      ACKNOWLEDGED,
      ({ journal }) => at(journal, 0).answers.push({ kind: "done", result: { txHash: repeatDigit("7") } }),
    ],
    ["an answer has no hash", ACKNOWLEDGED, ({ journal }) => at(journal, 0).answers.push({ kind: "done", result: {} })],
    [
      "a split's part is off",
      ACKNOWLEDGED,
      ({ facts }) => Object.assign(at(facts.transfers, 3), { amount: 1_780_024n }),
    ],
    [
      "a split's supplier is another",
      ACKNOWLEDGED,
      ({ facts }) => Object.assign(at(facts.transfers, 3), { to: FRIEND }),
    ],
    ["a drip is not there", ACKNOWLEDGED, ({ facts }) => facts.transfers.splice(6, 1)],
    ["a transfer is there twice", TWICE, ({ facts }) => facts.transfers.push(at(facts.transfers, 1))],
    ["a split is there twice", TWICE, ({ facts }) => facts.transfers.push(at(facts.transfers, 2))],
    ["a drip is there twice", TWICE, ({ facts }) => facts.transfers.push(at(facts.transfers, 6))],
    [
      "what was refused is there",
      REFUSED,
      ({ facts }) => facts.transfers.push({ ...at(facts.transfers, 1), amount: 500_000_047n }),
    ],
    [
      "a failed order is there",
      REVERTED,
      ({ books }) => Object.assign(at(books.orders, 5), { hash: repeatDigit("1") }),
    ],
    [
      "what a failed order sent earlier is there",
      REVERTED,
      ({ books }) => Object.assign(at(books.orders, 5), { earlier_hashes: [repeatDigit("1")] }),
    ],
    ["money moved without an order", ORDERS, ({ books }) => books.orders.splice(3, 1)],
    ["an order is confirmed that is not there", ORDERS, ({ facts }) => facts.transfers.splice(7, 1)],
    [
      "an order was confirmed by another's hash",
      ORDERS,
      ({ books }) => Object.assign(at(books.orders, 1), { hash: repeatDigit("3") }),
    ],
    [
      "an order says another amount",
      ORDERS,
      ({ books }) => Object.assign(at(books.orders, 1).chain_order, { amount: 1_000_018n }),
    ],
    ["a treasury has more in the books", CUSTODY, ({ books }) => Object.assign(at(books.custody, 0), { amount: 1n })],
    ["the books know no account", CUSTODY, ({ books }) => books.custody.pop()],
    ["a wallet has more on the chain", CUSTODY, ({ facts }) => facts.balances.set(`EURC ${TREASURY}`, 1n)],
    ["an event is not posted", POSTED, ({ books }) => books.postings.pop()],
    ["an event is posted twice", POSTED, ({ books }) => books.postings.push(at(books.postings, 0))],
    ["something else is posted", POSTED, ({ books }) => books.postings.push({ hash: repeatDigit("3"), log_index: 7 })],
    ["a booking was not captured", CAPTURED, ({ books }) => Object.assign(at(books.orders, 4), { state: "reverted" })],
    ["a booking cost something else", CAPTURED, ({ books }) => Object.assign(at(books.bookings, 0), { amount: 1n })],
    [
      "a failed booking was captured",
      CAPTURED,
      ({ books }) => Object.assign(at(books.bookings, 0), { state: "failed" }),
    ],
    [
      "a booking was captured twice",
      CAPTURED,
      ({ books }) => books.orders.push({ ...at(books.orders, 4), idempotency_key: "capture:booking:bkg_1" }),
    ],
    [
      "what is no booking was captured",
      CAPTURED,
      ({ books }) => books.orders.push({ ...at(books.orders, 4), idempotency_key: "capture:booking:bkg_9" }),
    ],
    ["an order was not charged for", PAID, ({ books }) => books.paidCalls.shift()],
    ["an order was charged for twice", PAID, ({ books }) => books.paidCalls.push(at(books.paidCalls, 0))],
    [
      "a failed order was charged for",
      PAID,
      ({ books }) => books.paidCalls.push({ call_id: "call_6", tool: "send_tokens" }),
    ],
    ["a booking was not charged for", PAID, ({ books }) => books.paidCalls.splice(3, 1)],
    ["an order is under way", ENDED, ({ books }) => Object.assign(at(books.orders, 5), { state: "signed" })],
    [
      "an order that was caught is under way",
      "orders that a kill caught under way came to their end",
      ({ books }) => Object.assign(at(books.orders, 5), { state: "queued" }),
    ],
    [
      "money was stopped",
      "money never had to stand still",
      ({ books }) => Object.assign(at(books.chains, 0), { stopped_because: "a difference" }),
    ],
    [
      "the books are behind",
      "the books know the chain up to its last block",
      ({ books }) => Object.assign(at(books.chains, 0), { indexed: 8n }),
    ],
    [
      "the books know another chain",
      "the books know the chain up to its last block",
      ({ books }) => Object.assign(at(books.chains, 0), { indexed_hash: repeatDigit("8") }),
    ],
    [
      "the chain replays to something else",
      "a chain that was killed replays to the same block hash",
      (chain) => Object.assign(chain.replay, { after: repeatDigit("8") }),
    ],
  ];
  test.each(spoilers)("fails when %s", (_, invariant, spoil) => {
    const chain = soundChain();
    spoil(chain);
    expect(failing(chain).filter((name) => name.startsWith(invariant))).toHaveLength(1);
  });

  test("is spoiled by one of these", () => {
    const names = checkChainSettled(soundChain()).map(({ invariant }) => invariant);
    expect(names.filter((name) => !spoilers.some(([, invariant]) => name.startsWith(invariant)))).toEqual([]);
  });

  test("does not count what no kill has caught", () => {
    const findings = checkChainSettled({ ...soundChain(), killedAt: [500, 3_500] });
    const caught = findings.filter(({ invariant }) => invariant.includes("a kill caught"));
    expect(caught.map(({ checked }) => checked)).toEqual([0]);
  });
});
