import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiDescription, members, readApiDescription } from "../../../test/support/api-description.ts";
import { type Buyer, createBuyer } from "../../../test/support/paid.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { catalog } from "../../contributions.ts";

/** The edge host's own API description, for crawlers of x402 and for client generators. openapi.test.ts shows that it is valid. */

let service: TestService;
let buyer: Buyer;
let text: string;
let api: ApiDescription;

beforeAll(async () => {
  service = await openSharedService();
  buyer = createBuyer(service);
  const response = await fetch(`${service.edgeUrl}/openapi.json`);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  text = await response.text();
  api = readApiDescription(text);
});
afterAll(() => service?.[Symbol.asyncDispose]());

it("names the host that serves it", () => {
  expect(JSON.parse(text).servers).toMatchObject([{ url: service.edgeUrl }]);
});

it("has each tool with its price, and says where a key is required", () => {
  const tools = api.operations.filter(({ method }) => method === "post");
  expect(tools.map(({ path }) => path)).toEqual(catalog.names().map((name) => `/tools/${name}`));
  const search = api.find("/tools/search_flights", "post")?.members;
  expect(search?.["x-payment-info"]).toEqual({
    price: { mode: "fixed", currency: "USD", amount: "0.002" },
    protocols: [{ x402: {} }],
  });
  expect(search?.security).toEqual([{}, { apiKey: ["flights:read"] }]);
  expect(api.find("/tools/check_treasury", "post")?.members.security).toEqual([{ apiKey: ["treasury:read"] }]);
});

it("matches the real answers", async () => {
  const path = "/tools/find_airports_nearby";
  const paid = await buyer.buy("find_airports_nearby", { query: "Lisbon" });
  const unpaid = await buyer.post("find_airports_nearby", {});
  const refused = await buyer.pay("find_airports_nearby", {});
  const listed = await fetch(`${service.edgeUrl}/tools`);
  const schemaPath = (at: string, method: string, status: number, type: string) => [
    ...["paths", at, method, "responses", String(status), "content", type, "schema"],
  ];
  const problem = "application/problem+json";
  // Only an answer that took no payment names no transaction.
  const envelope = schemaPath(path, "post", 200, "application/json");
  const payment = { ...members(paid.body.payment), settlementTx: null };
  expect(api.problems(envelope, { ...paid.body, payment })).not.toEqual([]);
  expect(api.problems(envelope, { ...paid.body, paid: false, payment })).toEqual([]);
  expect(api.problems(envelope, { ...paid.body, paid: false })).not.toEqual([]);
  expect(paid.status).toBe(200);
  expect(api.problems(schemaPath(path, "post", 200, "application/json"), paid.body)).toEqual([]);
  expect(api.problems(schemaPath(path, "post", 402, problem), unpaid.body)).toEqual([]);
  expect(refused.status).toBe(400);
  expect(api.problems(schemaPath(path, "post", 400, problem), refused.body)).toEqual([]);
  expect(api.problems(schemaPath("/tools", "get", 200, "application/json"), await listed.json())).toEqual([]);
  const responses = members(api.find(path, "post")?.members.responses);
  expect(members(members(responses["402"]).headers)).toHaveProperty("payment-required");
  expect(members(members(responses["200"]).headers)).toHaveProperty("payment-response");
});
