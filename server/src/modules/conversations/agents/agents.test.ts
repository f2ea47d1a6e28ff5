import { afterAll, beforeAll, expect, it } from "vitest";
import { openAgent } from "../../../../test/support/agent.ts";
import { say, startConversations } from "../../../../test/support/conversations.ts";
import { collectSafeIds } from "./safe-ids.ts";

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
  expect((await agent.call("ask_travel_agent", { text: "Bonjour", locale: "fr" })).said.turnId).toBe(turnId);
  expect((await agent.call("read_agent_turn", { conversationId, turnId: "trn_none" })).text).toContain(
    "turn_not_found",
  );
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
