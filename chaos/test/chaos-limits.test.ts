import { expect, test } from "vitest";
import type { Hex } from "../../server/src/domain/tokens.ts";
import type { Transfer } from "../src/chain/chain-view.ts";
import { checkLimitsSettled, type LimitedBooks } from "../src/chain/check-limits.ts";

const TREASURY: Hex = `0x${"1".repeat(40)}`;
const FRIEND: Hex = `0x${"a".repeat(40)}`;

/** A tenant that has used 6 of 10 micro-USDC in two transfers. */
function soundBooks() {
  const client = { call: () => Promise.reject(new Error("nobody calls")), put: async () => undefined };
  const counter = { tenant_id: "tenant_1", used: 6n, calls: 6n, most: 10n };
  const books: LimitedBooks = {
    tenants: [{ client, tenantId: "tenant_1", treasury: TREASURY, allowed: 10n }],
    counters: [
      { ...counter, account: "tenant", period: "2026-11" },
      { ...counter, account: "budget:chaos", period: "budget", most: 6n },
    ],
    reserved: [],
  };
  const transfers = [2n, 4n].map(
    (amount, logIndex): Transfer => ({
      token: "USDC",
      from: TREASURY,
      to: FRIEND,
      amount,
      hash: `0x${logIndex}`,
      logIndex,
      block: 1n,
    }),
  );
  return { books, transfers };
}

const listProblems = ({ books, transfers }: ReturnType<typeof soundBooks>) =>
  checkLimitsSettled(books, transfers).flatMap(({ problems }) => problems);

test("sound books have no problem, and everything was compared", () => {
  const sound = soundBooks();
  expect(listProblems(sound)).toEqual([]);
  expect(checkLimitsSettled(sound.books, sound.transfers).map(({ checked }) => checked)).toEqual([3, 2, 2]);
});

test.each<[string, (sound: ReturnType<typeof soundBooks>) => void, RegExp]>([
  [
    "more has left the wallet than was allowed",
    ({ transfers }) => transfers.push(...transfers),
    /was allowed 10, and 12/,
  ],
  [
    "a transfer was not counted",
    ({ transfers }) => transfers.push(...transfers.slice(0, 1)),
    /moved 8 and .* counted 6/,
  ],
  ["a budget is passed", ({ books }) => Object.assign(books.counters[1] ?? {}, { most: 5n }), /has used 6 of 5/],
  ["a counter has lost a call", ({ books }) => Object.assign(books.counters[0] ?? {}, { calls: 7n }), /says 6, .* 7/],
  [
    "something stays reserved",
    ({ books }) => Object.assign(books, { reserved: [{ tenant_id: "t", count: 2n }] }),
    /2 calls of t/,
  ],
])("%s: it shows", (_name, spoil, problem) => {
  const spoilt = soundBooks();
  spoil(spoilt);
  expect(listProblems(spoilt).join("\n")).toMatch(problem);
});
