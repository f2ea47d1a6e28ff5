import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { inDays, openAgent, tokensIn } from "../../../test/support/agent.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { registry } from "../../contributions.ts";
import { formatDecimal } from "../../domain/money.ts";

const Fixture = z.object({ count: z.number(), tools: z.record(z.string(), z.unknown()) });
const fixture = Fixture.parse(
  JSON.parse(readFileSync(new URL("../../../test/fixtures/tools.json", import.meta.url), "utf8")),
);

/** The size of what an agent reads, at four characters per token. */
let service: TestService;
let agent: Awaited<ReturnType<typeof openAgent>>;
beforeAll(async () => {
  service = await openSharedService();
  agent = await openAgent(service);
});
afterAll(async () => {
  await agent?.close();
  await service?.[Symbol.asyncDispose]();
});

const journey = { origin: "LHR", destination: "JFK", departureDate: inDays(62), returnDate: inDays(71) };

test("three offers of a round trip, with their fares, stay under 2,500 tokens", async () => {
  const { text, tokens, said } = await agent.call("search_flights", journey);
  expect(said.offers, text).toHaveLength(3);
  expect(tokens).toBeLessThan(2_500);
});

test("so do three offers with connections both ways", async () => {
  const connecting = { ...journey, origin: "EDI" };
  const Found = z.object({
    offers: z.array(z.object({ slices: z.array(z.object({ segments: z.array(z.unknown()) })) })),
  });
  const { offers } = await agent.ask(Found, "search_flights", connecting);
  const segments = offers.map(({ slices }) => slices.map((slice) => slice.segments.length));
  expect(segments).toEqual([
    [2, 2],
    [2, 2],
    [2, 2],
  ]);
  expect((await agent.call("search_flights", connecting)).tokens).toBeLessThan(2_500);
});

test("a search of an order's changes stays under 3,000 tokens", async () => {
  const Found = z.object({ offers: z.array(z.object({ fares: z.array(z.object({ id: z.string() })) })) });
  const { offers } = await agent.ask(Found, "search_flights", journey);
  const flexible = offers[0]?.fares.at(-1)?.id;
  const Order = z.object({ orderId: z.string(), slices: z.array(z.object({ id: z.string() })) });
  const { orderId, slices } = await agent.ask(Order, "book_flight", { offerId: flexible });
  const add = [{ origin: "LHR", destination: "JFK", departure_date: inDays(64) }];
  const change = { orderId, slices: { add, remove: [{ slice_id: slices[0]?.id }] } };
  await expect
    .poll(async () => (await agent.call("request_order_change", change)).said.offers, { timeout: 20_000 })
    .not.toEqual([]);
  expect((await agent.call("request_order_change", change)).tokens).toBeLessThan(3_000);
});

test("the list's result schemas have the fields, without descriptions", async () => {
  const tools = await agent.listTools();
  const withoutResults = tools.map(({ outputSchema: _, ...tool }) => tool);
  const specified = withoutResults.filter(({ name }) => Object.hasOwn(fixture.tools, name));
  const share = specified.length / fixture.count;
  // The first limit is for the interface's tools that exist, so that all sixty will stay within it.
  expect(tokensIn(JSON.stringify(specified))).toBeLessThan(15_000 * share);
  expect(tokensIn(JSON.stringify(withoutResults))).toBeLessThan(21_000);
  expect(tokensIn(JSON.stringify(tools))).toBeLessThan(49_500);
  for (const { name, outputSchema } of tools) {
    expect(JSON.stringify(outputSchema), name).not.toMatch(/"description":"/);
  }
});

test("an agent's texts name tools, and no address that it cannot call", async () => {
  const errors = registry.flatMap((tool) => Object.entries(tool.errors).map(([code, text]) => [tool.name, code, text]));
  for (const text of [...(await agent.listTools()).map((tool) => JSON.stringify(tool)), ...errors.flat()]) {
    expect(text).not.toMatch(/\b(?:GET|PUT|POST|DELETE) \/|\/api\//);
  }
});

test("every description ends with the call's price", async () => {
  for (const { name, description } of await agent.listTools()) {
    if (name === "search" || name === "fetch") continue;
    expect(description, name).toMatch(/ Price: 0\.\d+ USDC\.$/);
  }
  const { result, priceMicroUsdc } = (await service.call("find_airports_nearby", { query: "London" })).body;
  expect(result).toBeDefined();
  const listed = (await agent.listTools()).find(({ name }) => name === "find_airports_nearby");
  expect(listed?.description).toContain(`Price: ${formatDecimal(BigInt(String(priceMicroUsdc)))} USDC.`);
});
