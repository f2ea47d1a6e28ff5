import { afterAll, beforeAll, expect, it } from "vitest";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { type Answer, isSignedBy, startTestService, type TestService } from "../../../test/support/service.ts";

/** JSON-RPC batches: only revision 2025-03-26 has them, whose clients send no version header. */

const probes = createProbes();
let service: TestService;

beforeAll(async () => {
  service = await startTestService(
    { RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: "200" },
    { extraTools: probes.tools },
  );
});
afterAll(() => service?.[Symbol.asyncDispose]());

function send(messages: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return service.send("/api/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${service.apiKey}`,
      ...headers,
    },
    body: JSON.stringify(messages),
  });
}

const request = (id: unknown, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });
const quote = (id: unknown) =>
  request(id, "tools/call", { name: "quote_fx", arguments: { fromCurrency: "USD", toCurrency: "USDC", amount: 1 } });

it.each([{}, { "mcp-protocol-version": "2025-03-26" }])(
  "every message is answered in its order: %j",
  async (headers) => {
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
    const answer = await send([quote("a"), notification, request(2, "ping"), request(3, "no/such")], headers);
    expect(answer.status).toBe(200);
    const said: { id: unknown }[] = JSON.parse(answer.text);
    expect(said).toMatchObject([
      { id: "a", result: { structuredContent: { converted: "1.00" } } },
      { id: 2, result: {} },
      { id: 3, error: { code: -32_601 } },
    ]);
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
    // One of them was paid.
    expect(answer.headers.get("x-service-meter-id")).toMatch(/^use_/);
  },
);

it("each of its calls is paid, and its record is beside its result", async () => {
  const answer = await send([quote(1), quote(2)]);
  const said: { result: { _meta: Record<string, string> } }[] = JSON.parse(answer.text);
  const meterIds = said.map(({ result }) => result._meta["wayfare/meterId"]);
  expect(new Set(meterIds).size).toBe(2);
  expect(answer.headers.get("x-service-meter-id")).toBeNull();
  const rows = await service.sql("select 1 from usage_record where id = any($1)", [meterIds]);
  expect(rows).toHaveLength(2);
});

it("notifications alone are accepted without an answer", async () => {
  const answer = await send([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
  expect([answer.status, answer.text]).toEqual([202, ""]);
});

const modern = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

it.each([
  ["of a revision without batches", [quote(1)], { "mcp-protocol-version": "2025-06-18" }],
  ["of a revision without batches, the last of the era", [quote(1)], { "mcp-protocol-version": "2025-11-25" }],
  ["of the stateless revision", [request(1, "tools/list", { _meta: modern })], {}],
  ["that is empty", [], {}],
  ["that is too long", Array.from({ length: 21 }, (_, id) => quote(id)), {}],
  ["that initializes", [request(1, "initialize"), quote(2)], {}],
])("a batch %s is refused, and nothing in it runs", async (_, messages, headers) => {
  const before = await service.sql("select count(*) from usage_record");
  const answer = await send(messages, headers);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_600 } });
  expect(await service.sql("select count(*) from usage_record")).toEqual(before);
});

it("its messages count as calls of the key", async () => {
  const batch = () => send(Array.from({ length: 20 }, (_, id) => request(id, "ping")));
  const statuses = (await Promise.all(Array.from({ length: 24 }, batch))).map(({ status }) => status);
  expect(statuses).toContain(429);
});
