import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestIdentities, type TestIdentities } from "../../../test/support/identity.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import type { Hex } from "../../domain/tokens.ts";
import { type Rating, ratingScope } from "./give-feedback.ts";
import { EscrowId, EvidenceUri, readAgentId, Seed, Tag } from "./input.ts";
import { averageStars } from "./read-reputation.ts";
import { type RegistryAction, registryEntry } from "./registry-operation.ts";
import type { Feedback, NewFeedback, NewValidation } from "./reputation.ts";
import { createFeedbacks } from "./store-feedback.ts";
import { createValidations } from "./store-validations.ts";

/** How ratings and validations are stored, and the rules for third-party text. */

let setup: TestIdentities;
let feedbacks: ReturnType<typeof createFeedbacks>;
let validations: ReturnType<typeof createValidations>;
beforeAll(async () => {
  setup = await openTestIdentities();
  feedbacks = createFeedbacks(setup.db, setup.clock);
  validations = createValidations(setup.db, setup.clock);
});
afterAll(() => setup.close());

const otherChain = { ...sandboxChain, environment: "production" } as const;
const secondChain = { ...sandboxChain, chain: "eip155:43113" } as const;
const hex = (digit: string): Hex => `0x${digit.repeat(64)}`;
let next = 0;
function feedback(change: Partial<NewFeedback> = {}): NewFeedback {
  next += 1;
  return {
    id: `fbk_${next}`,
    ...sandboxChain,
    agentId: 7n,
    tenantId: "tenant_1",
    raterKind: "org",
    userId: "amelia",
    scope: `scope ${next}`,
    stars: 4,
    tag: "punctual",
    tripId: undefined,
    bookingId: undefined,
    evidenceUri: undefined,
    feedbackHash: hex("a"),
    ...change,
  };
}
async function confirmed(change: Partial<NewFeedback> = {}): Promise<NewFeedback> {
  const one = feedback(change);
  expect(await feedbacks.insert(one)).toMatchObject({ ...one, state: "pending" });
  setup.clock.advance({ seconds: 1 });
  await feedbacks.confirm([{ id: one.id, transactionHash: hex("b") }]);
  return one;
}
const ofAgent = (agentId: bigint) => ({ ...sandboxChain, agentId, rater: undefined }) as const;

describe("ratings", () => {
  it("are unique per scope, even of sixteen at once, and a refused one frees its scope", async () => {
    const scope = "everybody's";
    const inserted = await Promise.all(Array.from({ length: 16 }, () => feedbacks.insert(feedback({ scope }))));
    const [first, ...others] = inserted.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect(await feedbacks.findInScope(sandboxChain, scope)).toEqual(first);
    expect(await feedbacks.findInScope(otherChain, scope)).toBeUndefined();
    expect(await feedbacks.findInScope(secondChain, scope)).toBeUndefined();
    await feedbacks.discard(first?.id ?? "");
    expect(await feedbacks.findInScope(sandboxChain, scope)).toBeUndefined();
    const second = await confirmed({ scope });
    await feedbacks.discard(second.id);
    expect(await feedbacks.findInScope(sandboxChain, scope)).toMatchObject({
      id: second.id,
      transactionHash: hex("b"),
    });
  });

  it("count once they are confirmed, and not before", async () => {
    const agentId = 100n;
    await feedbacks.insert(feedback({ agentId, stars: 1 }));
    expect(await feedbacks.summary(ofAgent(agentId), 50)).toEqual({ count: 0, starSum: 0, tagCount: 0, byTag: [] });
    expect(await feedbacks.recent(ofAgent(agentId), 50)).toEqual([]);
    await confirmed({ agentId, stars: 5 });
    await confirmed({ agentId, stars: 5, environment: "production" });
    await confirmed({ agentId, stars: 5, chain: "eip155:43113" });
    expect(await feedbacks.summary(ofAgent(agentId), 50)).toMatchObject({ count: 1, starSum: 5 });
  });

  it("add up to what was given", async () => {
    const given = fc.record({
      agentId: fc.constantFrom(201n, 202n, 2n ** 255n),
      stars: fc.integer({ min: 1, max: 5 }),
      tag: fc.constantFrom("a", "b", "B", "é", "0xAB", "a b"),
      raterKind: fc.constantFrom("org", "user"),
      userId: fc.constantFrom("amelia", "bessie"),
    });
    const several = fc.sample(given, { numRuns: 60, seed: 7 });
    for (const one of several) await confirmed({ ...one, tenantId: "tenant_sum" });
    const sum = (some: typeof several) => some.reduce((total, { stars }) => total + stars, 0);
    const expected = (some: typeof several) => ({ count: some.length, starSum: sum(some) });
    for (const agentId of [201n, 202n, 2n ** 255n]) {
      const mine = several.filter((one) => one.agentId === agentId);
      const summary = await feedbacks.summary(ofAgent(agentId), 50);
      expect(summary).toMatchObject(expected(mine));
      const byTag = [...Map.groupBy(mine, ({ tag }) => tag)].map(([tag, some]) => ({ tag, ...expected(some) }));
      expect(summary.byTag).toHaveLength(byTag.length);
      expect(summary.byTag).toEqual(expect.arrayContaining(byTag));
      const counts = summary.byTag.map(({ count }) => count);
      expect(counts).toEqual(counts.toSorted((one, other) => other - one));
    }
    for (const agentId of [undefined, 201n]) {
      const rater = { tenantId: "tenant_sum", userId: "amelia" };
      const mine = several.filter(
        (one) => one.raterKind === "user" && one.userId === "amelia" && (agentId ?? one.agentId) === one.agentId,
      );
      const query = { ...sandboxChain, agentId, rater } as const;
      expect(await feedbacks.summary(query, 50)).toMatchObject(expected(mine));
      expect(await feedbacks.recent(query, 50)).toHaveLength(Math.min(50, mine.length));
      expect(await feedbacks.recent({ ...query, rater: { ...rater, tenantId: "tenant_other" } }, 50)).toEqual([]);
    }
  });

  it("are counted completely even if only the most frequent tags are shown", async () => {
    const agentId = 300n;
    for (const tag of ["one", "two", "two", "three", "three", "three"]) await confirmed({ agentId, tag, stars: 2 });
    const summary = await feedbacks.summary(ofAgent(agentId), 2);
    expect(summary).toMatchObject({ count: 6, starSum: 12, tagCount: 3 });
    expect(summary.byTag.map(({ tag }) => tag)).toEqual(["three", "two"]);
  });

  it("show the newest first, up to the limit", async () => {
    const agentId = 400n;
    const given: NewFeedback[] = [];
    for (let index = 0; index < 5; index += 1) given.push(await confirmed({ agentId }));
    const ids = async (limit: number) => (await feedbacks.recent(ofAgent(agentId), limit)).map(({ id }) => id);
    const newestFirst = given.map(({ id }) => id).toReversed();
    expect(await ids(50)).toEqual(newestFirst);
    expect(await ids(2)).toEqual(newestFirst.slice(0, 2));
    expect(await ids(0)).toEqual([]);
  });

  it("are confirmed once: a confirmed one keeps its transaction", async () => {
    const one = await confirmed({ scope: "kept" });
    await feedbacks.confirm([{ id: one.id, transactionHash: hex("c") }]);
    const stored = await feedbacks.findInScope(sandboxChain, "kept");
    expect(stored).toMatchObject({ state: "confirmed", transactionHash: hex("b") } satisfies Partial<Feedback>);
  });

  it("require an agent or a rater", async () => {
    const query = { ...sandboxChain, agentId: undefined, rater: undefined } as const;
    await expect(feedbacks.summary(query, 50)).rejects.toThrow("everybody");
  });
});

describe("validations", () => {
  const validation = (change: Partial<NewValidation> = {}): NewValidation => {
    next += 1;
    return {
      id: `val_${next}`,
      ...sandboxChain,
      requestHash: `0x${next.toString(16).padStart(64, "0")}`,
      tenantId: "tenant_1",
      agentId: 7n,
      validator: `0x${"d".repeat(40)}`,
      tag: "itinerary",
      requestUri: undefined,
      ...change,
    };
  };
  const answer = (id: string, response = 100) => ({
    id,
    tenantId: "tenant_2",
    response,
    responseUri: undefined,
    responseHash: hex("e"),
  });

  it("go from request to answer, one step at a time", async () => {
    const one = validation();
    expect(await validations.insert(one)).toMatchObject({ ...one, state: "requesting", answer: undefined });
    expect(await validations.insert(validation({ requestHash: one.requestHash }))).toBeUndefined();
    expect(await validations.answer(sandboxChain, one.requestHash, answer("van_early"))).toBe(false);
    await validations.confirmRequests([{ id: one.id, transactionHash: hex("1") }]);
    expect(await validations.find(otherChain, one.requestHash)).toBeUndefined();
    expect(await validations.find(secondChain, one.requestHash)).toBeUndefined();
    const there = validation({ ...secondChain, requestHash: one.requestHash });
    expect(await validations.insert(there)).toMatchObject({ ...there, state: "requesting" });
    expect(await validations.find(sandboxChain, one.requestHash)).toMatchObject({
      state: "requested",
      requestTransactionHash: hex("1"),
    });
    const wins = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        validations.answer(sandboxChain, one.requestHash, answer(`van_${one.id}_${index}`, index % 2 === 0 ? 0 : 100)),
      ),
    );
    expect(wins.filter((won) => won)).toHaveLength(1);
    const answering = await validations.find(sandboxChain, one.requestHash);
    expect(answering).toMatchObject({ state: "answering", answeredAt: undefined });
    await validations.confirmAnswers([{ id: answering?.answer?.id ?? "", transactionHash: hex("2") }]);
    const answered = await validations.find(sandboxChain, one.requestHash);
    expect(answered).toMatchObject({ state: "answered", answer: answering?.answer, answerTransactionHash: hex("2") });
    await validations.discardAnswer(answering?.answer?.id ?? "");
    await validations.discardRequest(one.id);
    expect(await validations.find(sandboxChain, one.requestHash)).toEqual(answered);
  });

  it("that the chain refuses are removed; a refused answer can be given again", async () => {
    const one = validation();
    await validations.insert(one);
    await validations.discardRequest(one.id);
    expect(await validations.find(sandboxChain, one.requestHash)).toBeUndefined();
    const again = validation({ requestHash: one.requestHash });
    await validations.insert(again);
    await validations.confirmRequests([{ id: again.id, transactionHash: hex("1") }]);
    await validations.answer(sandboxChain, one.requestHash, answer("van_refused", 0));
    await validations.discardAnswer("van_refused");
    const stored = await validations.find(sandboxChain, one.requestHash);
    expect(stored).toMatchObject({ state: "requested", answer: undefined });
    expect(await validations.answer(sandboxChain, one.requestHash, answer("van_second", 100))).toBe(true);
  });
});

describe("the scope of a rating", () => {
  const rating: Rating = {
    tenantId: "t",
    raterKind: "org",
    userId: "amelia",
    agentId: 1n,
    tag: "a",
    tripId: undefined,
    bookingId: undefined,
  };
  const scope = (change: Partial<Rating>) => ratingScope({ ...rating, ...change });
  const [tripId, bookingId] = [hex("1"), hex("2")];

  it("is a booking, whatever else is given", () => {
    const one = scope({ bookingId, tripId });
    expect(scope({ bookingId, tripId, tag: "b", agentId: 2n, userId: "bessie" })).toBe(one);
    expect(scope({ bookingId: tripId, tripId })).not.toBe(one);
    expect(scope({ tripId })).not.toBe(one);
  });

  it("is a trip without a booking, and an agent under a tag without either", () => {
    expect(scope({ tripId, tag: "b", agentId: 2n })).toBe(scope({ tripId }));
    expect(scope({ tripId })).not.toBe(scope({}));
    const scopes = [{}, { tag: "b" }, { agentId: 2n }, { tenantId: "u" }].map(scope);
    expect(new Set(scopes).size).toBe(4);
  });

  it("is separate for the tenant and each user", () => {
    const scopes = [{}, { raterKind: "user" }, { raterKind: "user", userId: "bessie" }] as const;
    expect(new Set(scopes.map(scope)).size).toBe(3);
    expect(scope({ userId: "bessie" })).toBe(scope({}));
  });

  it("is not confused with another by similar texts", () => {
    expect(scope({ tenantId: 't","x' })).not.toBe(scope({ raterKind: "user", tenantId: "t", userId: "x" }));
    expect(scope({ tag: "b", agentId: 1n })).not.toBe(scope({ tag: '1","b', agentId: 1n }));
  });
});

it("an average has two decimals, rounded half up, and is null for none", () => {
  const average = (count: number, starSum: number) => averageStars({ count, starSum });
  expect(average(0, 0)).toBeNull();
  expect(average(1, 5)).toBe("5.00");
  expect(average(3, 10)).toBe("3.33");
  expect(average(3, 11)).toBe("3.67");
  expect(average(8, 9)).toBe("1.13");
  expect(average(400, 401)).toBe("1.00");
  expect(average(200, 201)).toBe("1.01");
  expect(average(1_000_000_000, 4_999_999_999)).toBe("5.00");
});

describe("third-party texts", () => {
  const takes = (schema: typeof Tag, text: string) => schema.safeParse(text).success;

  it("are valid tags if they are visible", () => {
    for (const tag of ["x", "very good", "0xAB", "日本語", "👩‍🚀", "a".repeat(64), "'; drop table feedback; --"]) {
      expect(takes(Tag, tag), tag).toBe(true);
    }
    for (const tag of [
      "",
      " ",
      "\u3000",
      "a\nb",
      "a\u0000",
      "\u007f",
      "\ud800",
      "a\u202eb",
      "\u2066",
      "a\u2028b",
      "a".repeat(65),
    ]) {
      expect(takes(Tag, tag), JSON.stringify(tag)).toBe(false);
    }
  });

  it("are valid URIs if they are of a known kind and contain no password", () => {
    const good = ["https://example.com/a?b#c", "http://[::1]/x", "ipfs://bafy", "urn:uuid:1", "HTTPS://EXAMPLE.com"];
    for (const uri of good) expect(takes(EvidenceUri, uri), uri).toBe(true);
    const bad = [
      "",
      "example.com",
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "ftp://example.com",
      "https://",
      "https://a b",
      "https://user:secret@example.com",
      "https://example.com/\n",
      " https://example.com",
      "https://exämple.com",
      `https://example.com/${"a".repeat(500)}`,
    ];
    for (const uri of bad) expect(takes(EvidenceUri, uri), uri).toBe(false);
  });

  it("are valid seeds if they are short, and valid ids if they have the form", () => {
    expect([takes(Seed, ""), takes(Seed, "x".repeat(200)), takes(Seed, "x".repeat(201))]).toEqual([true, true, false]);
    expect([takes(EscrowId, hex("A")), takes(EscrowId, "0x12"), takes(EscrowId, `${hex("1")}\n`)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("are agent numbers within 256 bits, with or without leading zeros", () => {
    expect(readAgentId("0007")).toBe(7n);
    expect(readAgentId((2n ** 256n - 1n).toString())).toBe(2n ** 256n - 1n);
    // Registries that others have deployed begin with it.
    expect(readAgentId("000")).toBe(0n);
    for (const text of [(2n ** 256n).toString(), "9".repeat(100_000)]) {
      expect(readAgentId(text), text.slice(0, 20)).toBeUndefined();
    }
  });

  it("are unchanged in a stored operation, with addresses and hashes in lower case", () => {
    const text = "0xAbCd";
    const upper = (letter: string, digits: number): Hex => `0x${letter.repeat(digits)}`;
    const actions: RegistryAction[] = [
      { name: "register", agentUri: text },
      {
        name: "give_feedback",
        agentId: 2n ** 200n,
        stars: 5,
        tag: text,
        feedbackUri: text,
        feedbackHash: upper("B", 64),
      },
      {
        name: "request_validation",
        validator: upper("C", 40),
        agentId: 1n,
        requestUri: text,
        requestHash: upper("D", 64),
      },
      {
        name: "respond_validation",
        requestHash: upper("D", 64),
        response: 0,
        responseUri: text,
        responseHash: upper("E", 64),
        tag: text,
      },
    ];
    for (const action of actions) {
      const entry = { token: "USDC", from: upper("A", 40), action } as const;
      const lower = Object.fromEntries(
        Object.entries(action).map(([name, value]) => [
          name,
          typeof value === "string" && value.length > text.length ? value.toLowerCase() : value,
        ]),
      );
      expect(registryEntry.read(JSON.parse(JSON.stringify(registryEntry.of(entry))))).toEqual({
        ...entry,
        from: entry.from.toLowerCase(),
        action: lower,
      });
    }
  });
});
