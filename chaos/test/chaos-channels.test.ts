import { expect, test } from "vitest";
import {
  checkAllShown,
  checkCards,
  checkDecidedOnce,
  checkEnded,
  checkHandledOnce,
  checkInvited,
  checkRunsBook,
  checkShownOnce,
  type Facts,
} from "../src/channels/check-books.ts";
import { type Dialogue, listEnds } from "../src/channels/dialogues.ts";
import type { Shown } from "../src/channels/line.ts";
import type { Played } from "../src/channels/talk.ts";

const CHANNEL = "chn_1";
const TENANT = "tenant_1";

const play = (number: number, answers: Dialogue["answers"], needsApproval: boolean): Played => ({
  dialogue: { number, opening: "a flight", answers, decision: "approve" },
  tenantId: TENANT,
  needsApproval,
  conversationId: `cnv_${number}`,
  invitation: undefined,
  isOver: true,
  isForgotten: false,
  failure: undefined,
});

const message = (id: string, text: string, buttons: readonly string[] = []): Shown => ({
  id,
  text,
  isOwn: false,
  buttons: buttons.map((label) => ({ label, value: label })),
  onlyFor: null,
});

const WALLET = `0x${"ab".repeat(20)}`;
const invitation = { departureDate: "2030-01-01", needsApproval: false, guestWallet: WALLET, runId: "run_1" };

/** A flight that was booked after an approval, one that the traveler did not want in the end, and a guest's. */
function soundFacts(): Facts {
  const sent = { channel_id: CHANNEL, state: "sent", repeats: 0, is_unsure: false, created_milliseconds: 2_000 };
  return {
    played: [
      play(1, ["Yes"], true),
      play(2, ["No"], false),
      { ...play(3, [], false), invitation: { ...invitation, isUndelivered: false } },
    ],
    orders: [{ offer_id: "off_1" }],
    sides: [
      {
        tenantId: TENANT,
        channelId: CHANNEL,
        kind: "slack",
        said: new Map([
          ["a flight", 2],
          ["yes", 1],
          ["no", 1],
        ]),
        forgottenUntil: 0,
        messages: [message("1.1", "Shall I?"), message("1.2", "Approved by Grace"), message("1.3", "Booked")],
      },
    ],
    books: {
      sent: [
        { ...sent, kind: "reply", about: "trn_1", external_id: "1.1" },
        { ...sent, kind: "approval", about: "apr_1", external_id: "1.2" },
        { ...sent, kind: "reply", about: "trn_2", external_id: "1.3" },
      ],
      turns: [
        { tenant_id: TENANT, text: "a flight", count: 2 },
        { tenant_id: TENANT, text: "yes", count: 1 },
        { tenant_id: TENANT, text: "no", count: 1 },
      ],
      calls: [
        { conversation_id: "cnv_1", meter_id: null, offer_id: "off_1" },
        { conversation_id: "cnv_1", meter_id: "use_1", offer_id: "off_1" },
      ],
      runs: [{ id: "run_1", state: "completed", guest_wallet: WALLET, bookings: 1 }],
      approvals: [{ id: "apr_1", state: "used" }],
      decisions: [{ approval_id: "apr_1", with: "channel" }],
    },
  };
}

const listProblems = (facts: Facts): string =>
  [
    checkHandledOnce,
    checkShownOnce,
    checkAllShown,
    checkDecidedOnce,
    checkCards,
    checkEnded,
    checkInvited,
    checkRunsBook,
  ]
    .flatMap((check) => check(facts).problems)
    .join("\n");

test("sound books of channels have no problem", () => {
  expect(listProblems(soundFacts())).toBe("");
});

const withBooks = (facts: Facts, change: Partial<Facts["books"]>): Facts => ({
  ...facts,
  books: { ...facts.books, ...change },
});
const withMessages = (facts: Facts, change: (all: readonly Shown[]) => readonly Shown[]): Facts => ({
  ...facts,
  sides: facts.sides.map((side) => ({ ...side, messages: change(side.messages) })),
});
const withRun = (facts: Facts, change: Partial<Facts["books"]["runs"][number]>): Facts =>
  withBooks(facts, { runs: facts.books.runs.map((one) => ({ ...one, ...change })) });
const withTurns = (facts: Facts, text: string, count: number): Facts =>
  withBooks(facts, { turns: facts.books.turns.map((one) => (one.text === text ? { ...one, count } : one)) });

test.each<[string, (facts: Facts) => Facts, RegExp]>([
  [
    "a message was handled twice",
    (facts) => withTurns(facts, "a flight", 3),
    /3 turns of tenant_1 for "a flight", which was said 2 times/,
  ],
  ["a press counted twice", (facts) => withTurns(facts, "no", 2), /3 answers of tenant_1 to 2 questions/],
  [
    "a message was sent twice",
    (facts) => withMessages(facts, (all) => [...all, message("1.4", "Booked")]),
    /1\.4 in chn_1 is no message of ours/,
  ],
  [
    "a message is not there",
    (facts) => withMessages(facts, (all) => all.slice(0, -1)),
    /trn_2 in chn_1 is sent, and nobody sees it/,
  ],
  [
    "a message waits",
    (facts) => withBooks(facts, { sent: facts.books.sent.map((one) => ({ ...one, state: "waiting" })) }),
    /trn_2 in chn_1 is waiting/,
  ],
  [
    "an approval was decided twice",
    (facts) => withBooks(facts, { decisions: [...facts.books.decisions, ...facts.books.decisions] }),
    /2 times a decision about apr_1/,
  ],
  [
    "a card still asks",
    (facts) =>
      withMessages(facts, (all) => all.map((one) => (one.id === "1.2" ? message("1.2", "?", ["Approve"]) : one))),
    /apr_1 is decided, and its card still asks/,
  ],
  [
    "something was bought after a no",
    (facts) => withBooks(facts, { calls: facts.books.calls.map((one) => ({ ...one, conversation_id: "cnv_2" })) }),
    /dialogue 2 .*wanted 0 bookings, has 1/,
  ],
  [
    "an offer was paid twice",
    (facts) => ({ ...facts, orders: [...facts.orders, ...facts.orders] }),
    /dialogue 1 .*wanted 1 bookings, has 2/,
  ],
  [
    "a dialogue has not ended",
    (facts) => ({ ...facts, played: facts.played.map((one) => ({ ...one, isOver: false })) }),
    /dialogue 1 .*has not ended/,
  ],
  ["a run waits for ever", (facts) => withRun(facts, { state: "paused" }), /the run of invitation 3 .* is paused/],
  ["a run books twice", (facts) => withRun(facts, { bookings: 2 }), /run_1 is completed, and has booked 2/],
  ["somebody else has the trip", (facts) => withRun(facts, { guest_wallet: "0xcd" }), /has the guest 0xcd, and not/],
  ["a run does not wait", (facts) => withRun(facts, { guest_wallet: null }), /a trip that nobody has accepted/],
])("%s: it shows", (_name, spoil, problem) => {
  expect(listProblems(spoil(soundFacts()))).toMatch(problem);
});

const onWhatsApp = (facts: Facts): Facts => ({
  ...facts,
  sides: facts.sides.map((side) => ({ ...side, kind: "whatsapp" })),
});
const repeatFirst = (facts: Facts, repeats: number): Facts =>
  withBooks(facts, { sent: facts.books.sent.map((one, at) => (at === 0 ? { ...one, repeats } : one)) });
const again = (facts: Facts): Facts => withMessages(facts, (all) => [...all, message("1.4", "Booked")]);

test("where nobody can be asked, one repetition is sound if it was counted, and shows otherwise", () => {
  const facts = onWhatsApp(soundFacts());
  expect(listProblems(repeatFirst(again(facts), 1))).toBe("");
  expect(checkShownOnce(repeatFirst(again(facts), 1)).invariant).toContain("counted (1)");
  expect(listProblems(again(facts))).toMatch(/1\.4 in chn_1 is no message of ours/);
  expect(listProblems(repeatFirst(again(again(facts)), 1))).toMatch(/is no message of ours/);
  expect(listProblems(repeatFirst(facts, 2))).toMatch(/was repeated often/);
  // Slack can be asked.
  expect(listProblems(repeatFirst(again(soundFacts()), 1))).toMatch(/is no message of ours/);
});

test.each<[Dialogue["answers"], Dialogue["decision"], boolean, readonly number[]]>([
  [["Yes", "Yes"], "approve", true, [1]],
  [["Yes", "No"], "approve", true, [0, 1]],
  ["yes please", "reject", true, [0]],
  ["yes please", "reject", false, [1]],
  [["Yes"], "mixed crowd", true, [0, 1]],
  [["No"], "approve", false, [0]],
])("%j, decided by %s with an approval needed: %s, ends with %j bookings", (answers, decision, needs, ends) => {
  expect(listEnds({ number: 1, opening: "", answers, decision }, needs)).toEqual(ends);
});
