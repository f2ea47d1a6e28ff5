import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { openAgent } from "../../../../test/support/agent.ts";
import { END, say, startConversations } from "../../../../test/support/conversations.ts";
import { toMessage } from "../../../../test/support/mcp.ts";
import { collectSafeIds } from "./safe-ids.ts";

const Message = z.object({
  params: z.object({ message: z.string() }).optional(),
  result: z.object({ structuredContent: z.looseObject({ conversationId: z.string(), turnId: z.string() }) }).optional(),
});

let service: Awaited<ReturnType<typeof startConversations>>;
let agent: Awaited<ReturnType<typeof openAgent>>;
beforeAll(async () => {
  service = await startConversations();
  agent = await openAgent(service);
});
afterAll(async () => {
  await agent?.close();
  await service?.[Symbol.asyncDispose]();
});

it("another agent hands on a request over MCP, reads the turn again, and repeats it without another one", async () => {
  service.model.script("Bonjour", () => say("Bonjour, Ada."));
  const { said } = await agent.call("ask_travel_agent", { text: "Bonjour", locale: "fr" });
  expect(said).toMatchObject({ status: "answered", reply: "Bonjour, Ada.", done: [], waits: null, ids: {} });
  const { conversationId, turnId } = said;
  const again = await agent.call("read_agent_turn", { conversationId, turnId, wait: 0 });
  expect(again.said).toEqual(said);
  const repeated = await agent.call("ask_travel_agent", { text: "Bonjour", locale: "fr" });
  expect(repeated.said).toMatchObject({ turnId, replayed: true });
  const paid = await service.sql("select 1 from usage_record where tenant_id = $1 and tool = 'ask_travel_agent'", [
    service.tenantId,
  ]);
  expect(paid).toHaveLength(1);
  expect((await agent.call("read_agent_turn", { conversationId, turnId: "trn_none" })).text).toContain(
    "turn_not_found",
  );
});

it("a question that is asked again after a call that writes, or in another language, is asked anew", async () => {
  const text = "How much is left?";
  service.model.script(text, () => say("Ten."));
  const { said } = await agent.call("ask_travel_agent", { text, locale: "en" });
  await agent.call("list_travelers", {});
  expect((await agent.call("ask_travel_agent", { text, locale: "en" })).said).toMatchObject({ turnId: said.turnId });
  service.model.script(text, () => say("Zehn."));
  const german = await agent.call("ask_travel_agent", { text, locale: "de" });
  expect(german.said).toMatchObject({ reply: "Zehn." });
  expect(german.said.turnId).not.toBe(said.turnId);
  await agent.call("save_traveler", { userId: "user_new", givenName: "New", familyName: "Person" });
  service.model.script(text, () => say("Neun."));
  const changed = await agent.call("ask_travel_agent", { text, locale: "de" });
  expect(changed.said).toMatchObject({ reply: "Neun." });
  expect(changed.said.turnId).not.toBe(german.said.turnId);
});

it("a turn that lasts longer than 25 s is answered as running, with progress until then, and read to its end", async () => {
  const answer = Promise.withResolvers<void>();
  service.model.script(
    "Slowly, please",
    () => [{ type: "toolCall", id: "call_1", name: "find_airports_nearby", args: { query: "Lisbon" } }, END],
    async function* () {
      yield { type: "text", text: "It is " };
      await answer.promise;
      yield* say("LIS.");
    },
  );
  const over = new AbortController();
  const original = AbortSignal.timeout.bind(AbortSignal);
  const timeouts = vi
    .spyOn(AbortSignal, "timeout")
    .mockImplementation((milliseconds) => (milliseconds === 25_000 ? over.signal : original(milliseconds)));
  try {
    const { headers, message } = toMessage(
      "tools/call",
      { name: "ask_travel_agent", arguments: { text: "Slowly, please" } },
      { era: "modern", meta: { progressToken: "watch" } },
    );
    const answering = await fetch(`${service.appUrl}/api/mcp`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${service.apiKey}` },
      body: JSON.stringify(message),
    });
    let read = "";
    for await (const chunk of answering.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      read += chunk;
      if (read.includes("writes the reply")) over.abort();
    }
    const messages = [...read.matchAll(/^data: (.*)$/gm)].map(([, text = ""]) => Message.parse(JSON.parse(text)));
    const stages = messages.flatMap(({ params }) => params?.message ?? []);
    expect(stages).toEqual(expect.arrayContaining(["calls find_airports_nearby", "writes the reply"]));
    const running = messages.at(-1)?.result?.structuredContent;
    expect(running).toMatchObject({ status: "running", reply: null, done: [{ tool: "find_airports_nearby" }] });
    answer.resolve();
    const { conversationId, turnId } = running ?? {};
    const { said } = await agent.call("read_agent_turn", { conversationId, turnId, wait: 24 });
    expect(said).toMatchObject({ status: "answered", reply: "It is LIS.", turnId });
  } finally {
    timeouts.mockRestore();
    answer.resolve();
  }
});

it("only ids that are safe to keep are named", () => {
  const result = {
    tripId: "0x1",
    guestLink: "https://example.com/claim#secret",
    claimCode: "123456",
    offers: [{ offerId: "off_1" }, { offerId: "off_2" }],
    nested: { orderId: "ord_1", orderIds: ["x"] },
  };
  expect(collectSafeIds([result, null, { tripId: "0x1" }])).toEqual({
    tripId: ["0x1"],
    offerId: ["off_1", "off_2"],
    orderId: ["ord_1"],
  });
});
