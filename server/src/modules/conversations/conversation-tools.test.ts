import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { END, say, startConversations } from "../../../test/support/conversations.ts";
import type { ModelPart } from "../../ports/language-model.ts";
import { conversationEvents } from "./tenant-events.ts";

let service: Awaited<ReturnType<typeof startConversations>>;
beforeAll(async () => {
  service = await startConversations({ CONVERSATION_MODEL_SECONDS: "1", CONVERSATION_TURN_STEPS: "6" });
  await service.isFunded(service.tenantId);
});
afterAll(() => service?.[Symbol.asyncDispose]());

let calls = 0;
function call(name: string, args: unknown): ModelPart {
  calls += 1;
  return { type: "toolCall", id: `call_${calls}`, name, args };
}
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const lastResults = (index = -1) => {
  const message = service.model.requests.at(index)?.messages.findLast(({ role }) => role === "tools");
  return message?.role === "tools" ? message.results : [];
};
const sent = async () =>
  await service.sql("select id from call where tool = 'send_tokens' and tenant_id = $1", [service.tenantId]);
/** The tenant's events of a conversation, each with the schema of its type. */
const told = async (conversationId: string) => {
  const rows = await service.sql("select type, data from tenant_event where resource = $1 order by type", [
    `conversation:${conversationId}`,
  ]);
  return rows.map(({ type, data }) => {
    const kind = conversationEvents.find((one) => one.type === type);
    const { expiresAt: _, channel: __, priceUsdc: ___, ...rest } = z.strictObject(kind?.data.shape ?? {}).parse(data);
    return [type, rest];
  });
};
const FRIEND = "0x00000000000000000000000000000000000a11ce";
const PAY = { to: FRIEND, amount: "0.25" };

describe("a read", () => {
  it("runs at once, and the model reads its result", async () => {
    service.model.script(
      "Which airports has Lisbon?",
      () => [{ type: "text", text: "I look." }, call("find_airports_nearby", { query: "Lisbon" }), END],
      () => say("LIS."),
    );
    const { ended, events } = await service.talk({ text: "Which airports has Lisbon?" });
    expect(types(events)).toEqual([
      "turn_started",
      "reply_delta",
      "tool_call",
      "tool_result",
      "reply_delta",
      "turn_ended",
    ]);
    expect(ended).toMatchObject({ status: "answered", reply: "I look.\n\nLIS.", priceMicroUsdc: "500" });
    expect(ended.toolCalls).toMatchObject([{ tool: "find_airports_nearby", outcome: "ok" }]);
    const [result] = lastResults();
    expect(result).toMatchObject({ outcome: "ok", result: { airports: expect.any(Array) } });
  });

  it("of a tool that the model made up is told, and ends the turn after a while", async () => {
    service.model.script("Fly me", ...Array.from({ length: 9 }, (_, index) => () => [call("fly_me", { index }), END]));
    const { ended } = await service.talk({ text: "Fly me" });
    expect(ended).toMatchObject({ status: "failed", problem: { code: "model_nonsense" } });
    expect(ended.toolCalls).toHaveLength(3);
  });

  it("that is repeated again and again ends the turn", async () => {
    const same = () => [call("find_airports_nearby", { query: "Porto" }), END];
    service.model.script("Porto", ...Array.from({ length: 9 }, () => same));
    const { ended } = await service.talk({ text: "Porto" });
    expect(ended.status).toBe("failed");
    expect(ended.toolCalls.filter(({ outcome }) => outcome === "ok")).toHaveLength(2);
  });
});

describe("a spend", () => {
  const asks = () =>
    service.model.script(
      "Zahle bitte an meinen Freund 0x00000000000000000000000000000000000a11ce",
      () => [call("send_tokens", PAY), END],
      () => say("Over."),
    );
  const ask = async () => {
    asks();
    return await service.talk({
      text: "Zahle bitte an meinen Freund 0x00000000000000000000000000000000000a11ce",
      locale: "de",
    });
  };

  it("is shown first, runs once after a yes, and never again", async () => {
    const before = await sent();
    const asked = await ask();
    expect(types(asked.events)).toEqual([
      "turn_started",
      "tool_call",
      "reply_delta",
      "confirmation_requested",
      "turn_ended",
    ]);
    expect(asked.ended).toMatchObject({ status: "awaits_confirmation" });
    expect(asked.ended.reply).toContain("Geld senden");
    expect(asked.ended.reply).toContain("0,25");
    expect(await sent()).toEqual(before);
    const { conversationId } = asked;
    expect(await told(conversationId)).toEqual([
      ["conversation.confirmation_requested", { conversationId, turnId: asked.turnId, tool: "send_tokens" }],
      ["conversation.turn_ended", { conversationId, turnId: asked.turnId, status: "awaits_confirmation" }],
    ]);
    const yes = await service.talk({ text: "Ja, bitte!", conversationId });
    expect(yes.ended).toMatchObject({ status: "answered", reply: "Over." });
    expect(yes.ended.toolCalls).toMatchObject([{ tool: "send_tokens", outcome: "ok" }]);
    expect(lastResults()).toMatchObject([{ outcome: "ok", result: { txHash: expect.any(String) } }]);
    // The yes is no text for the model.
    expect(service.model.requests.at(-1)?.messages.filter(({ role }) => role === "user")).toHaveLength(1);
    await service.talk({ text: "Ja", conversationId });
    expect((await sent()).length).toBe(before.length + 1);
  });

  it.each([
    ["No, thanks.", "declined"],
    ["What is the weather?", "withdrawn"],
    ["yes but in euros", "withdrawn"],
  ])("does not run after %s, nor later", async (text, outcome) => {
    const before = await sent();
    const { conversationId } = await ask();
    await service.talk({ text, conversationId });
    expect(lastResults()).toMatchObject([{ outcome }]);
    await service.talk({ text: "Yes", conversationId });
    expect(await sent()).toEqual(before);
  });

  it("runs after a yes with a wish for afterwards, which the model reads behind its result", async () => {
    const before = await sent();
    const { conversationId } = await ask();
    const yes = await service.talk({ text: "Ja, bitte. Danach suche ein Hotel in Rom", conversationId });
    expect(yes.ended.toolCalls).toMatchObject([{ tool: "send_tokens", outcome: "ok" }]);
    expect((await sent()).length).toBe(before.length + 1);
    const roles = service.model.requests.at(-1)?.messages.map(({ role }) => role);
    expect(roles?.slice(-2)).toEqual(["tools", "user"]);
    expect(service.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ text: "Danach suche ein Hotel in Rom" });
  });

  it("runs once after two yeses at once", async () => {
    const before = await sent();
    const { conversationId } = await ask();
    const [one, two] = await Promise.all([1, 2].map(() => service.talk({ text: "yes", conversationId })));
    expect([one?.ended.status, two?.ended.status]).toEqual(["answered", "answered"]);
    expect((await sent()).length).toBe(before.length + 1);
  });

  it("is shown anew when its plan has changed, or the question is too old", async () => {
    const before = await sent();
    const { conversationId } = await ask();
    await service.sql("update conversation_confirmation set plan_hash = 'other' where conversation_id = $1", [
      conversationId,
    ]);
    const again = await service.talk({ text: "yes", conversationId });
    expect(again.ended.status).toBe("awaits_confirmation");
    expect(again.ended.reply).toContain("geändert");
    await service.sql(
      "update conversation_confirmation set expires_at = now() where conversation_id = $1 and state = 'open'",
      [conversationId],
    );
    const late = await service.talk({ text: "yes", conversationId });
    expect(late.ended.reply).toContain("abgelaufen");
    expect(await sent()).toEqual(before);
    await service.talk({ text: "yes", conversationId });
    expect((await sent()).length).toBe(before.length + 1);
  });

  it("to an address that only others named is refused without a question", async () => {
    const before = await sent();
    service.model.script(
      "Pay the hotel",
      () => [call("send_tokens", PAY), END],
      () => say("Not possible."),
    );
    const { ended } = await service.talk({ text: "Pay the hotel" });
    expect(ended.reply).toBe("Not possible.");
    expect(lastResults()).toMatchObject([{ outcome: "failed", result: { code: "recipient_not_named" } }]);
    expect(await sent()).toEqual(before);
  });

  it("that would be refused is told to the model, not asked", async () => {
    service.model.script(
      `Pay ${FRIEND} a lot`,
      () => [call("send_tokens", { ...PAY, amount: "99000000" }), END],
      () => say("Too much."),
    );
    const { ended } = await service.talk({ text: `Pay ${FRIEND} a lot` });
    expect(ended.reply).toBe("Too much.");
    expect(lastResults()).toMatchObject([{ outcome: "failed" }]);
  });
});

describe("a model that", () => {
  it("hangs counts as unavailable, after one more try", async () => {
    const hang = async function* (): AsyncGenerator<ModelPart> {
      await new Promise(() => undefined);
      yield END;
    };
    service.model.script("Hang", hang, hang);
    const { ended } = await service.talk({ text: "Hang" });
    expect(ended).toMatchObject({ status: "failed", problem: { code: "model_unavailable" } });
  });

  const long: ModelPart = { type: "text", text: "x".repeat(10_000_000) };
  it.each<readonly [string, () => readonly ModelPart[]]>([
    ["says nothing", () => [END]],
    ["says 10 MB", () => [long, END]],
    ["is cut", () => [call("find_airports_nearby", { query: "Lisbon" })]],
    ["goes on after its end", () => [END, END]],
  ])("%s ends the turn", async (name, step) => {
    service.model.script(name, step, step, step);
    const { ended, events } = await service.talk({ text: name });
    expect(ended.status).toBe("failed");
    expect(ended.reply.length).toBeLessThan(500);
    expect(types(events)).not.toContain("tool_call");
  });

  it("refuses ends the turn, and says so", async () => {
    service.model.script("Refuse", () => [
      { type: "end", reason: "refused", usage: { inputTokens: 1, outputTokens: 0 } },
    ]);
    const { ended } = await service.talk({ text: "Refuse" });
    expect(ended).toMatchObject({ status: "failed", problem: { code: "model_refused" }, toolCalls: [] });
  });

  it("calls with wrong arguments is told what is wrong, and given up after three such steps", async () => {
    const wrong = (index: number) => () => [call("find_airports_nearby", { query: 7, index }), END];
    service.model.script("Wrong", wrong(1), wrong(2), wrong(3), wrong(4));
    const { ended } = await service.talk({ text: "Wrong" });
    expect(ended).toMatchObject({ status: "failed", problem: { code: "model_nonsense" } });
    expect(ended.toolCalls.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "failed"]);
    expect(JSON.stringify(service.model.requests.at(-1)?.messages)).toContain("invalid_input");
  });

  it("never comes to an end is stopped by the budget of steps", async () => {
    const look = (index: number) => () => [call("find_airports_nearby", { query: `Lisbon ${index}` }), END];
    service.model.script("Look", ...Array.from({ length: 9 }, (_, index) => look(index)));
    const { ended } = await service.talk({ text: "Look" });
    expect(ended).toMatchObject({ status: "limit_reached" });
    expect(ended.toolCalls).toHaveLength(6);
  });

  it("is stopped by the user ends at once", async () => {
    service.model.script("Wait", async function* (_request, signal) {
      yield { type: "text", text: "I wait" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield END;
    });
    const { begun, principal } = await service.begin({ text: "Wait" });
    const owner = { ...principal, ownerId: principal.defaultTravelerId ?? "" };
    const events = service.follow(owner, begun);
    await expect.poll(() => service.model.requests.at(-1)?.messages).toMatchObject([{ text: "Wait" }]);
    expect(await service.conversations.stop(owner, begun.conversationId)).toEqual({ stoppedTurns: 1 });
    expect((await events).at(-1)?.line).toContain('"stopped"');
  });
});
