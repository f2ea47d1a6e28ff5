import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readToEnd, say, startConversations } from "../../../test/support/conversations.ts";
import { CHANNELS, EVENT_TYPES, TURN_STATUSES } from "./conversations.ts";

let service: Awaited<ReturnType<typeof startConversations>>;
beforeAll(async () => {
  service = await startConversations();
});
afterAll(() => service?.[Symbol.asyncDispose]());

describe("a turn", () => {
  it("is answered, and its events are signed and read again byte by byte", async () => {
    service.model.script("Hello", () => say("Good day."));
    const talked = await service.talk({ text: "Hello", channel: CHANNELS[0] });
    const { events, ended, owner, principal } = talked;
    expect(events.map(({ type }) => type)).toEqual(["turn_started", "reply_delta", "turn_ended"]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(ended).toMatchObject({
      status: "answered",
      reply: "Good day.",
      model: { name: "scripted", inputTokens: 10 },
    });
    const [, seconds, mac] = /^t=(\d+),v1=(.+)$/.exec(ended.signature) ?? [];
    const signed = createHmac("sha256", principal.signingSecret).update(`${seconds}.${ended.traceId}.`);
    for (const { line } of events.slice(0, -1)) signed.update(`${line}\n`);
    expect(mac).toBe(signed.digest("hex"));
    const { turnId: _, ...whole } = { ...talked, after: 0 };
    const signal = AbortSignal.timeout(5_000);
    const again = [];
    for await (const event of service.conversations.follow(owner, whole.conversationId, { after: 0, signal }))
      again.push(event);
    expect(again).toEqual(events);
    for (const { type } of again) expect(EVENT_TYPES).toContain(type);
    expect(TURN_STATUSES).toContain(ended.status);
  });

  it("knows what was said before", async () => {
    service.model.script(
      "My name is Ada.",
      () => say("Noted."),
      ({ messages }) => say(`${messages.length} messages`),
    );
    const { conversationId } = await service.talk({ text: "My name is Ada." });
    const { ended, events } = await service.talk({ text: "What is my name?", conversationId });
    expect(ended.reply).toBe("3 messages");
    expect(events[0]?.sequence).toBe(4);
  });

  it("with the same key is the same turn, and with another text refused", async () => {
    const key = crypto.randomUUID();
    const [one, two] = await Promise.all([1, 2].map(() => service.talk({ text: "Once", idempotencyKey: key })));
    expect(one?.turnId).toBe(two?.turnId);
    expect(one?.events).toEqual(two?.events);
    await expect(service.begin({ text: "Twice", idempotencyKey: key })).rejects.toMatchObject({
      code: "idempotency_mismatch",
    });
  });

  it("waits for the one before it", async () => {
    const slow = Promise.withResolvers<void>();
    service.model.script(
      "Slowly",
      async function* () {
        await slow.promise;
        yield* say("First.");
      },
      () => say("Second."),
    );
    const first = await service.begin({ text: "Slowly" });
    const { conversationId } = first.begun;
    const second = service.talk({ text: "And then?", conversationId });
    await expect
      .poll(async () => (await service.sql("select 1 from conversation_turn where state = 'queued'")).length)
      .toBe(1);
    slow.resolve();
    const { ended, owner } = await second;
    expect(ended.reply).toBe("Second.");
    const firstEvents = await readToEnd(service.conversations, owner, first.begun);
    expect(firstEvents.at(-1)?.line).toContain("First.");
  });

  it("of another traveler is not found", async () => {
    const { conversationId, turnId, owner } = await service.talk({ text: "Mine" });
    await expect(service.begin({ text: "Yours?", conversationId, userId: "somebody" })).rejects.toMatchObject({
      code: "conversation_not_found",
    });
    const other = { ...owner, ownerId: "somebody" };
    expect(await service.conversations.readTurn(other, conversationId, turnId)).toBeUndefined();
    expect(await service.conversations.read(other, conversationId)).toBeUndefined();
    expect(await service.conversations.delete(other, conversationId)).toBe(false);
    await expect(readToEnd(service.conversations, other, { conversationId, turnId, after: 0 })).rejects.toMatchObject({
      code: "conversation_not_found",
    });
  });

  it("is gone with its deleted conversation", async () => {
    const { conversationId, owner } = await service.talk({ text: "A secret" });
    expect((await service.conversations.list(owner, { limit: 1 }))[0]).toMatchObject({ conversationId, turns: 1 });
    expect(await service.conversations.delete(owner, conversationId)).toBe(true);
    expect(await service.conversations.read(owner, conversationId)).toBeUndefined();
    const [turn] = await service.sql("select text, reply from conversation_turn where conversation_id = $1", [
      conversationId,
    ]);
    expect(turn).toEqual({ text: null, reply: null });
    expect(await service.sql("select 1 from conversation_event where conversation_id = $1", [conversationId])).toEqual(
      [],
    );
  });
});
