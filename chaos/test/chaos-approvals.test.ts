import { expect, test } from "vitest";
import { checkApprovalsSettled, type Facts } from "../src/approvals/check-books.ts";

/** An offer that was booked by one approval, an address that was sent to by another, and a call that failed. */
function soundFacts() {
  const approval = {
    state: "used",
    requested_by: "chaos_cy",
    asker: null,
    decided_by: "chaos_boss",
    most: 100n,
    in_time: true,
    in_vain: false,
  };
  const approvals = [
    { ...approval, id: "apr_1", call_id: "call_1" },
    { ...approval, id: "apr_2", call_id: "call_2", asker: "chaos_asker" },
    { ...approval, id: "apr_3", call_id: "call_3", in_vain: true },
    { ...approval, id: "apr_4", call_id: null, state: "revoked" },
  ];
  const decisions = [
    ...approvals.map(({ id }) => ({ approval_id: id, by: "chaos_boss", to: "approved" })),
    { approval_id: "apr_4", by: "chaos_boss", to: "revoked" },
  ];
  const told = approvals.map(({ id }) => ({
    approvalId: id,
    verb: "approve" as const,
    counts: true,
    by: "chaos_boss",
  }));
  const offer = { kind: "flight", subject: "off_1", userId: "chaos_cy" } as const;
  const transfer = { kind: "transfer", subject: "0xaa", userId: "chaos_ada" } as const;
  const facts: Facts = {
    wishes: new Map([offer, transfer].map((wish) => [wish.subject, wish])),
    subjects: new Map([
      ["apr_1", "off_1"],
      ["apr_2", "0xaa"],
      ["apr_3", "off_1"],
      ["apr_4", "0xaa"],
    ]),
    effects: [
      { subject: "off_1", amount: 100n },
      { subject: "0xaa", amount: 5n },
    ],
    told: told.map((one) => ({ ...one, state: "approved" })),
    books: { approvals, decisions, budget: [{ used: 100n, most: 200n }] },
    budget: { userId: "chaos_cy", allowed: 200n },
  };
  return { facts, approvals, decisions };
}

type Sound = ReturnType<typeof soundFacts>;

const listProblems = ({ facts }: Pick<Sound, "facts">) =>
  checkApprovalsSettled(facts).flatMap(({ problems }) => problems);
const changed = ({ facts }: Sound, change: Partial<Facts>) =>
  listProblems({ facts: { ...facts, ...change } }).join("\n");
const withApproval = (sound: Sound, id: string, change: Partial<Facts["books"]["approvals"][number]>) => {
  const approvals = sound.approvals.map((one) => (one.id === id ? { ...one, ...change } : one));
  return changed(sound, { books: { ...sound.facts.books, approvals } });
};
const withDecision = (sound: Sound, decision: Sound["decisions"][number]) =>
  changed(sound, { books: { ...sound.facts.books, decisions: [...sound.decisions, decision] } });

test("sound books have no problem, and everything was compared", () => {
  const sound = soundFacts();
  expect(listProblems(sound)).toEqual([]);
  expect(checkApprovalsSettled(sound.facts).map(({ checked }) => checked)).toEqual([2, 3, 4, 4, 5, 1, 3]);
});

test.each<[string, (sound: Sound) => string, RegExp]>([
  [
    "something was done twice by one approval",
    (sound) => changed(sound, { effects: [...sound.facts.effects, { subject: "0xaa", amount: 5n }] }),
    /0xaa: done 2 times by 1 approvals/,
  ],
  [
    "something was done without an approval",
    (sound) => withApproval(sound, "apr_2", { state: "approved", call_id: null }),
    /0xaa: done 1 times by 0 approvals/,
  ],
  [
    "an approval is used, and nothing was done",
    (sound) => changed(sound, { effects: sound.facts.effects.slice(0, 1) }),
    /0xaa: 1 approvals are used, and it was done 0 times/,
  ],
  [
    "more was paid than was approved",
    (sound) => withApproval(withoutVain(sound), "apr_1", { most: 99n }),
    /off_1 cost 100, allowed were 99/,
  ],
  ["one call has used two", (sound) => withApproval(sound, "apr_2", { call_id: "call_1" }), /2 times .* of call_1/],
  ["nobody has decided", (sound) => withApproval(sound, "apr_1", { decided_by: null }), /apr_1 is used, and nobody/],
  ["it was used too late", (sound) => withApproval(sound, "apr_1", { in_time: false }), /apr_1 was used before/],
  [
    "a revoked one was used",
    (sound) => withApproval(sound, "apr_4", { state: "used", call_id: "call_4" }),
    /apr_4 is used, and was revoked/,
  ],
  [
    "it was decided twice",
    (sound) => withDecision(sound, { approval_id: "apr_1", by: "chaos_boss", to: "rejected" }),
    /2 times a decision of apr_1/,
  ],
  [
    "two were told that theirs counts",
    (sound) => changed(sound, { told: [...sound.facts.told, ...sound.facts.told.slice(0, 1)] }),
    /2 times somebody whose decision of apr_1/,
  ],
  [
    "who asked has decided",
    (sound) => withDecision(sound, { approval_id: "apr_2", by: "chaos_asker", to: "revoked" }),
    /apr_2 was asked for and revoked by chaos_asker/,
  ],
  [
    "a system has decided for who asked",
    (sound) => withDecision(sound, { approval_id: "apr_2", by: "svc:key for chaos_asker", to: "revoked" }),
    /apr_2 was asked for and revoked by svc:key for chaos_asker/,
  ],
  [
    "another role has decided",
    (sound) => withDecision(sound, { approval_id: "apr_1", by: "chaos_finance", to: "revoked" }),
    /apr_1 was revoked by a role that may not/,
  ],
  [
    "somebody was told of a decision that is on no record",
    (sound) => changed(sound, { told: sound.facts.told.map((one) => ({ ...one, by: "chaos_ghost" })) }),
    /told that chaos_ghost has decided/,
  ],
  [
    "more is reserved and used than the budget has",
    (sound) => changed(sound, { books: { ...sound.facts.books, budget: [{ used: 201n, most: 200n }] } }),
    /201 of the budget's 200/,
  ],
  [
    "more was spent outside than the budget had",
    (sound) => changed(sound, { budget: { userId: "chaos_cy", allowed: 99n } }),
    /100 was spent of a budget that was 99 at most/,
  ],
])("%s: it shows", (_name, spoil, problem) => {
  expect(spoil(soundFacts())).toMatch(problem);
});

/** The failed call of the same offer had a higher price approved. */
function withoutVain(sound: Sound): Sound {
  return { ...sound, approvals: sound.approvals.filter(({ in_vain }) => !in_vain) };
}
