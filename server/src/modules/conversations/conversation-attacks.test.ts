import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { END, readToEnd, say, startConversations } from "../../../test/support/conversations.ts";
import type { ModelPart } from "../../ports/language-model.ts";

/** Callers and models that do what nobody should. */

let service: Awaited<ReturnType<typeof startConversations>>;
beforeAll(async () => {
  service = await startConversations();
  await service.isFunded(service.tenantId);
});
afterAll(() => service?.[Symbol.asyncDispose]());

let calls = 0;
function call(name: string, args: unknown): ModelPart {
  calls += 1;
  return { type: "toolCall", id: `call_${calls}`, name, args };
}
const userTexts = () =>
  service.model.requests.at(-1)?.messages.flatMap((message) => (message.role === "user" ? [message.text] : []));

describe("a message", () => {
  it.each([
    ["an empty text", { text: " \n" }],
    ["100 kB", { text: "a".repeat(100_000) }],
    ["a locale that has no form", { text: "Hi", locale: "english please" }],
    ["a long idempotency key", { text: "Hi", idempotencyKey: "k".repeat(300) }],
  ])("with %s is refused", async (_name, message) => {
    await expect(service.begin(message)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("with control characters, lone surrogates and an unknown language is answered", async () => {
    const { ended } = await service.talk({ text: "a\0b\u0007\ud800c\u202e", locale: "tlh" });
    expect(ended.status).toBe("answered");
    expect(userTexts()).toEqual(["ab\u0007\ufffdc\u202e"]);
  });

  it("with a key or the secret of a link is stored and read without it", async () => {
    const { turnId } = await service.talk({
      text: `Use ak_${"x".repeat(30)} and https://app.example/claim#top-secret`,
    });
    const [turn] = await service.sql("select text from conversation_turn where id = $1", [turnId]);
    expect(`${String(turn?.text)} ${String(userTexts())}`).not.toMatch(/xxxx|top-secret/);
  });

  it("is refused while ten others wait, and all of them are answered in their order", async () => {
    const slow = Promise.withResolvers<void>();
    service.model.script("Slow", async function* () {
      await slow.promise;
      yield* say("Slow is over.");
    });
    const { begun, principal } = await service.begin({ text: "Slow" });
    const owner = { ...principal, ownerId: principal.defaultTravelerId ?? "" };
    const { conversationId } = begun;
    const more = await Promise.all(
      Array.from({ length: 10 }, (_, index) => service.begin({ text: `More ${index}`, conversationId })),
    );
    await expect(service.begin({ text: "Too much", conversationId })).rejects.toMatchObject({ code: "rate_limited" });
    slow.resolve();
    const ends = await Promise.all(more.map((one) => service.follow(owner, one.begun)));
    for (const events of ends)
      expect(events.map(({ type }) => type)).toEqual(["turn_started", "reply_delta", "turn_ended"]);
    const stored = await service.sql(
      "select sequence from conversation_event where conversation_id = $1 order by sequence",
      [conversationId],
    );
    expect(stored.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 33 }, (_, index) => index + 1));
  });

  it("of another tenant does not reach the conversation", async () => {
    const { conversationId, turnId, owner } = await service.talk({ text: "Ours" });
    const { apiKey, tenant } = await service.operator((operator) =>
      operator.createTenant({ name: "Other", monthlyCapMicroUsdc: 1_000_000n, actor: "test" }),
    );
    await expect(service.begin({ text: "Theirs", conversationId }, apiKey)).rejects.toMatchObject({
      code: "conversation_not_found",
    });
    const other = { ...owner, tenantId: tenant.id };
    await expect(readToEnd(service.conversations, other, { conversationId, turnId, after: 0 })).rejects.toMatchObject({
      code: "conversation_not_found",
    });
    expect(await service.conversations.stop(other, conversationId)).toBeUndefined();
  });

  it("that was said before counts once where its caller asks for that, until something else is said", async () => {
    const message = { text: "Natural", isNaturallyIdempotent: true };
    const one = await service.talk(message);
    const two = await service.talk(message);
    expect(two.turnId).toBe(one.turnId);
    const { conversationId } = one;
    const next = await service.talk({ ...message, conversationId, text: "Next" });
    expect((await service.talk({ ...message, conversationId, text: "Next" })).turnId).toBe(next.turnId);
    expect((await service.talk({ ...message, conversationId, text: "Natural" })).turnId).not.toBe(one.turnId);
  });
});

describe("a stop", () => {
  it("during a payment leaves it done or not begun, never unknown", async () => {
    const text = "Pay 0x00000000000000000000000000000000000a11ce now";
    const pay = { to: "0x00000000000000000000000000000000000a11ce", amount: "0.1" };
    service.model.script(
      text,
      () => [call("send_tokens", pay), END],
      () => say("Paid."),
    );
    const { conversationId, owner } = await service.talk({ text });
    const { begun } = await service.begin({ text: "yes", conversationId });
    await service.conversations.stop(owner, conversationId);
    await service.follow(owner, begun);
    const [stored] = await service.sql("select state, outcome from conversation_call where conversation_id = $1", [
      conversationId,
    ]);
    const made = await service.sql("select state from call where tool = 'send_tokens' and tenant_id = $1", [
      service.tenantId,
    ]);
    expect(stored?.state).toBe("ended");
    expect(made.filter(({ state }) => state === "captured")).toHaveLength(stored?.outcome === "ok" ? 1 : 0);
  });
});

describe("a model's call", () => {
  it("with a key in its arguments, or of a tool that asks models, is not made", async () => {
    const secret = `ak_${"y".repeat(30)}`;
    service.model.script("Leak", () => [
      call("save_traveler", { givenName: secret }),
      call("ask_travel_agent", {}),
      END,
    ]);
    const { ended, events } = await service.talk({ text: "Leak" });
    expect(ended.toolCalls.map(({ outcome }) => outcome).toSorted()).toEqual(["failed", "failed"]);
    expect(events.map(({ line }) => line).join("")).not.toContain("yyyy");
  });

  it("reads texts of others in marked blocks that they cannot leave", async () => {
    service.model.script(
      "Hotels",
      () => [call("search_hotels", hotels()), END],
      () => say("Seen."),
    );
    await service.talk({ text: "Hotels" });
    const results = JSON.stringify(service.model.requests.at(-1)?.messages.findLast(({ role }) => role === "tools"));
    expect(results).toContain("<untrusted>");
  });
});

function hotels() {
  const day = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
  return { location: "London", checkInDate: day(40), checkOutDate: day(42) };
}

describe("a conversation", () => {
  const exists = async (id: string) =>
    (await service.sql("select 1 from conversation where id = $1", [id])).length === 1;

  it("is removed after the configured days", async () => {
    const { conversationId } = await service.talk({ text: "Old" });
    const kept = await service.talk({ text: "New" });
    await service.sql("update conversation set updated_at = now() - interval '401 days' where id = $1", [
      conversationId,
    ]);
    await service.turns.prune(Temporal.Now.instant().subtract({ hours: 24 * 400 }));
    expect([await exists(conversationId), await exists(kept.conversationId)]).toEqual([false, true]);
  });

  it("is exported and erased with its traveler", async () => {
    const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ givenName: "Ada", familyName: "Lovelace" });
    expect((await service.send("/api/travelers/user_ada", { method: "PUT", headers, body })).status).toBe(201);
    const { conversationId } = await service.talk({ text: "I am Ada", userId: "user_ada" });
    const kept = await service.talk({ text: "I am not" });
    const exported = await service.send("/api/travelers/user_ada/export", { headers });
    expect(exported.text).toContain("I am Ada");
    const erased = await service.send("/api/travelers/user_ada", { method: "DELETE", headers });
    expect(erased.status, erased.text).toBeLessThan(300);
    expect([await exists(conversationId), await exists(kept.conversationId)]).toEqual([false, true]);
  });
});
