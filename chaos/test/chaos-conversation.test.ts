import { expect, test } from "vitest";
import {
  checkEnded,
  checkMetered,
  checkSpentOnce,
  checkStreams,
  checkTurns,
  type Facts,
} from "../src/conversation/check-books.ts";
import type { Played } from "../src/conversation/storm.ts";
import { createRandom } from "../src/random.ts";

const PAYEE = "0x00000000000000000000000000000000000000aa";

function play(number: number, wants: "flight" | "payment", answers: readonly string[]): Played {
  const payee = wants === "payment" ? PAYEE : undefined;
  return {
    dialogue: { number, userId: "ada", wants, payee, opening: "", further: [], answers },
    draws: createRandom("draws"),
    conversationId: `cnv_${number}`,
    turns: [],
    pending: [],
    said: [],
    isOver: true,
    failure: undefined,
  };
}

/** A flight that was booked, and a payment, each by one call of its conversation. */
function soundFacts(): Facts & { played: Played[] } {
  const call = { state: "ended", outcome: "ok" };
  const events = (conversation_id: string) =>
    ["turn_started", "tool_call", "turn_ended", "turn_started", "turn_ended"].map((type, index) => ({
      conversation_id,
      sequence: index + 1,
      turn_id: index < 3 ? "trn_1" : "trn_2",
      type,
    }));
  return {
    played: [play(1, "flight", ["yes"]), play(2, "payment", ["yes", "yes"])],
    orders: [{ offer_id: "off_1" }],
    paid: new Map([[PAYEE, 1]]),
    books: {
      events: [...events("cnv_1"), ...events("cnv_2")],
      calls: [
        { ...call, id: "tcl_1", conversation_id: "cnv_1", tool: "book_flight", meter_id: "use_1", offer_id: "off_1" },
        { ...call, id: "tcl_2", conversation_id: "cnv_2", tool: "send_tokens", meter_id: "use_2", offer_id: null },
      ],
      metered: [
        { id: "use_1", tool: "book_flight", idempotency_key: "tcl_1" },
        { id: "use_2", tool: "send_tokens", idempotency_key: "tcl_2" },
      ],
    },
  };
}

const listProblems = (facts: Facts): string =>
  [checkTurns(facts.books), checkSpentOnce(facts), checkMetered(facts.books), checkEnded(facts)]
    .flatMap(({ problems }) => problems)
    .join("\n");

test("sound books have no problem, and everything was compared", () => {
  const facts = soundFacts();
  expect(listProblems(facts)).toBe("");
  const checked = [checkTurns(facts.books), checkSpentOnce(facts), checkMetered(facts.books), checkEnded(facts)];
  expect(checked.map((finding) => finding.checked)).toEqual([10, 2, 2, 2]);
});

const withBooks = (facts: Facts, change: Partial<Facts["books"]>): Facts => ({
  ...facts,
  books: { ...facts.books, ...change },
});
const withPlayed = (facts: Facts, change: Partial<Played>): Facts => ({
  ...facts,
  played: facts.played.map((one) => (one.dialogue.number === 1 ? { ...one, ...change } : one)),
});

test.each<[string, (facts: Facts) => Facts, RegExp]>([
  [
    "two turns ran at once",
    (facts) => withBooks(facts, { events: facts.books.events.filter(({ sequence }) => sequence !== 3) }),
    /trn_2 began while trn_1 ran/,
  ],
  [
    "an event is missing",
    (facts) => withBooks(facts, { events: facts.books.events.filter(({ sequence }) => sequence !== 2) }),
    /event 2 of cnv_1 is numbered 3/,
  ],
  [
    "an address was paid twice",
    (facts) => ({ ...facts, paid: new Map([[PAYEE, 2]]) }),
    /0x0+aa was paid 2 times\n.*dialogue 2 \(cnv_2\) wanted 1 payment, has 2/,
  ],
  [
    "a conversation has two orders",
    (facts) => ({ ...facts, orders: [...facts.orders, ...facts.orders] }),
    /2 times a paid order of cnv_1/,
  ],
  [
    "a call was charged twice",
    (facts) =>
      withBooks(facts, {
        metered: [...facts.books.metered, { id: "use_3", tool: "book_flight", idempotency_key: "x" }],
      }),
    /use_3 of book_flight belongs to no call/,
  ],
  [
    "a charge is lost",
    (facts) => withBooks(facts, { metered: facts.books.metered.slice(1) }),
    /tcl_1 has no usage record/,
  ],
  ["a dialogue does not end", (facts) => withPlayed(facts, { isOver: false }), /dialogue 1 .* has not ended/],
  ["a dialogue was refused", (facts) => withPlayed(facts, { failure: "refused" }), /could not go on: refused/],
  ["nothing was bought", (facts) => ({ ...facts, orders: [] }), /wanted 1 flight, has 0/],
  [
    "something was bought after a no",
    (facts) => withPlayed(facts, play(1, "flight", ["no"])),
    /wanted 0 flight, has 1, and was charged 1 times/,
  ],
])("%s: it shows", (_name, spoil, problem) => {
  expect(listProblems(spoil(soundFacts()))).toMatch(problem);
});

test.each([
  ["a line that was sent otherwise", [[1, "other"]], ["a", "b"], /event 1 of cnv_1 was sent as other/],
  ["a line that nobody sends again", [[1, "a"]], ["a"], /cnv_1 reads otherwise at 0/],
] as const)("%s shows", (_name, received, again, problem) => {
  const stored = ["a", "b"].map((line, index) => ({ conversation_id: "cnv_1", sequence: index + 1, line }));
  const sound = checkStreams(new Map([["cnv_1", new Map([[2, "b"]])]]), new Map([["cnv_1", ["a", "b"]]]), stored);
  expect(sound).toMatchObject({ checked: 1, problems: [] });
  const spoiled = checkStreams(new Map([["cnv_1", new Map(received)]]), new Map([["cnv_1", again]]), stored);
  expect(spoiled.problems.join("\n")).toMatch(problem);
});
