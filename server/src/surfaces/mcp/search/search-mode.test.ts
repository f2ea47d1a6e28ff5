import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { tokensIn } from "../../../../test/support/agent.ts";
import { sendMcp } from "../../../../test/support/mcp.ts";
import { type AnyClient, connectClient } from "../../../../test/support/mcp-clients.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { catalog } from "../../../contributions.ts";
import { ToolRanking } from "../../../kernel/call/rank-tools.ts";

/** `?mode=search`: a short list through which an agent does all that the full list can. */

let service: TestService;
let client: AnyClient;
beforeAll(async () => {
  service = await openSharedService();
  client = await connect("?mode=search");
});
afterAll(async () => {
  await client?.close();
  await service?.[Symbol.asyncDispose]();
});

const connect = (query: string) => connectClient(`${service.appUrl}/api/mcp${query}`, "v2 stateless", service.apiKey);

const Text = z.tuple([z.object({ type: z.literal("text"), text: z.string() })]);
const Found = z.object({
  tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) })),
  others: z.array(z.object({ name: z.string(), title: z.string() })),
});

async function ask(name: string, args: Record<string, unknown>, by = client) {
  const answer = await by.callTool({ name, arguments: args });
  return { isError: answer.isError, said: z.looseObject({}).parse(JSON.parse(Text.parse(answer.content)[0].text)) };
}

const find = async (words: string, by = client) => Found.parse((await ask("find_tools", { words }, by)).said);

it("lists under 1,500 tokens", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["find_tools", "call_tool", "read_account", "preview_call"]);
  expect(tokensIn(JSON.stringify(tools))).toBeLessThan(1_500);
});

describe("words", () => {
  const tasks: readonly [words: string, tool: string][] = [
    ["search flights", "search_flights"],
    ["find a hotel near the airport", "search_hotels"],
    ["book the flight", "book_flight"],
    ["book a room", "book_stay"],
    ["cancel an order and get a refund", "cancel_order_quote"],
    ["confirm the cancellation", "confirm_cancel_order"],
    ["change flight date", "request_order_change"],
    ["which orders do I have", "list_orders"],
    ["balance of my wallet", "check_treasury"],
    ["send USDC to an address", "send_tokens"],
    ["swap EURC to USDC", "swap_tokens"],
    ["bridge to another chain", "bridge_to_arc"],
    ["exchange rate", "quote_fx"],
    ["weather at the destination", "trip_weather_brief"],
    ["time zone of a place", "timezone_brief"],
    ["read a passport scan", "scan_document"],
    ["airports nearby", "find_airports_nearby"],
    ["restaurants", "recommend_restaurants"],
    ["travel policy", "check_policy"],
    ["link for a guest to claim a trip", "guest_claim_link"],
    ["save passenger details", "save_traveler"],
    ["extra bags and seats", "list_flight_ancillaries"],
    ["reputation of an agent", "read_reputation"],
    ["invoice for a booking", "generate_booking_invoice"],
  ];
  it.each(tasks)("%s: finds %s among the best, with its arguments", async (words, tool) => {
    const { tools } = await find(words);
    expect(tools.map(({ name }) => name)).toContain(tool);
    expect(tools.find(({ name }) => name === tool)?.inputSchema).toEqual(catalog.find(tool)?.inputSchema);
  });

  it("of every tool's title find it", () => {
    const ranking = new ToolRanking(catalog.entries);
    for (const { tool } of catalog.entries) {
      const best = ranking.rank(tool.title, catalog.entries).slice(0, 3);
      expect(
        best.map((entry) => entry.tool.name),
        tool.title,
      ).toContain(tool.name);
    }
  });

  it("of an argument's name find the tool, and words of nothing find nothing", async () => {
    const { tools } = await find("corporateDiscountCode privateFares");
    expect(tools.map(({ name }) => name)).toContain("search_flights");
    expect(await find("xylophone")).toEqual({ tools: [], others: [] });
  });
});

describe("a call through call_tool", () => {
  it("answers as the tool itself does, and once for the same idempotency key", async () => {
    const direct = await ask("search_flights", { origin: "LHR", destination: "JFK", departureDate: "2027-03-01" });
    expect(direct.isError).not.toBe(true);
    const traveler = { name: "call_tool", arguments: { name: "list_orders", arguments: {} } };
    const orders = await client.callTool(traveler);
    expect(orders).toMatchObject({ structuredContent: expect.any(Object), _meta: { "wayfare/priceMicroUsdc": "500" } });
    const text = await ask("call_tool", { name: "find_airports_nearby", arguments: '{"query": "Lisbon"}' });
    expect(text.said).toMatchObject({ airports: expect.any(Array) });
    const args = { currency: "USDC", _meta: { idempotencyKey: crypto.randomUUID() } };
    const failing = await ask("call_tool", { name: "send_tokens", arguments: args });
    expect(failing.said).toMatchObject({ code: "invalid_input", inputSchema: { properties: { to: {} } } });
  });

  it("with wrong arguments shows the tool's schema, and with a wrong name a similar one", async () => {
    const wrong = await ask("call_tool", { name: "search_flights", arguments: { from: "LHR" } });
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.said).toMatchObject({
      code: "invalid_input",
      issues: expect.any(Array),
      inputSchema: catalog.find("search_flights")?.inputSchema,
    });
    expect((await ask("call_tool", { name: "serch_flights" })).said).toMatchObject({
      code: "tool_not_found",
      detail: expect.stringContaining("search_flights"),
    });
    expect((await ask("call_tool", {})).said).toMatchObject({ code: "invalid_input", issues: [{ path: "name" }] });
  });

  it("exists in this mode only", async () => {
    const full = await connect("");
    await expect(full.callTool({ name: "find_tools", arguments: { words: "flights" } })).rejects.toThrow(
      "Unknown tool",
    );
    await full.close();
  });
});

describe("money=0", () => {
  it("neither lists, finds nor calls tools that move money", async () => {
    const barred = await connect("?money=0");
    const names = (await barred.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("search_flights");
    expect(names).toContain("save_traveler");
    const moving = catalog.entries.filter(({ tool }) => tool.effect === "spend").map(({ tool }) => tool.name);
    for (const name of [...moving, "faucet_drip"]) expect(names).not.toContain(name);
    expect((await ask("send_tokens", {}, barred)).said).toMatchObject({ code: "tool_not_found" });
    await barred.close();
    const searching = await connect("?money=0&mode=search");
    const { tools, others } = await find("send tokens to an address", searching);
    expect([...tools, ...others].map(({ name }) => name)).not.toContain("send_tokens");
    const called = await ask("call_tool", { name: "send_tokens", arguments: {} }, searching);
    expect(called.said).toMatchObject({ code: "tool_not_found" });
    await searching.close();
  });

  it.each(["?money=maybe", "?mode=other"])("%s is refused", async (query) => {
    const refused = await sendMcp(service, "tools/list", {}, { path: `/api/mcp${query}` });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ error: { message: expect.stringMatching(/"(?:money|mode)" is/) } });
  });
});
