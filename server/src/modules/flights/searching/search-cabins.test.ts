import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { inDays, openAgent } from "../../../../test/support/agent.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";

/** Shows how an agent learns that offers are not in the requested cabin all the way. */
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

const Found = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      totalAmount: z.string(),
      cabinClass: z.string(),
      mixedCabins: z.object({ percentAsAskedFor: z.number(), flights: z.array(z.string()) }).optional(),
      slices: z.array(z.object({ segments: z.array(z.object({ cabinClass: z.string().optional() })) })),
    }),
  ),
  picks: z.looseObject({ best: z.string(), cheapest: z.string(), fastest: z.string() }),
});

/** The sandbox flies no first class within Europe, and sells it with a feeder in business. */
const withFeeder = { origin: "EDI", destination: "JFK", departureDate: inDays(61), cabinClass: "first" };

test("an offer names the cabin of each of its flights, and so do its conditions", async () => {
  const { offers } = await agent.ask(Found, "search_flights", withFeeder);
  expect(offers.length).toBeGreaterThan(0);
  for (const { id, mixedCabins } of offers) {
    expect(mixedCabins?.flights).toEqual([
      expect.stringMatching(/^[A-Z0-9]+ EDI to [A-Z]{3}: (?:economy|business)$/),
      expect.stringMatching(/^[A-Z0-9]+ [A-Z]{3} to JFK: first$/),
    ]);
    expect(mixedCabins?.percentAsAskedFor).toBeGreaterThan(50);
    expect(mixedCabins?.percentAsAskedFor).toBeLessThan(100);
    const Conditions = z.object({ cabins: z.array(z.string()), summary: z.array(z.string()) });
    const { cabins, summary } = await agent.ask(Conditions, "display_offer_conditions", { offerId: id });
    expect(cabins).toEqual(mixedCabins?.flights);
    expect(summary).toContain(`Not all flights are in the same cabin. ${cabins.join("; ")}.`);
  }
});

test("an offer in one cabin all the way names no others", async () => {
  const { offers } = await agent.ask(Found, "search_flights", { ...withFeeder, cabinClass: "economy" });
  const [best] = offers;
  expect(best).toMatchObject({ cabinClass: "economy" });
  expect(best).not.toHaveProperty("mixedCabins");
  const conditions = await agent.call("display_offer_conditions", { offerId: best?.id });
  expect(conditions.text).not.toContain("same cabin");
});

test("at most three offers are returned, whatever the cheapest direct flight is", async () => {
  for (const [origin, destination] of [
    ["MAN", "BOS"],
    ["LHR", "JFK"],
    ["CDG", "KEF"],
    ["IST", "DUB"],
  ]) {
    const search = { origin, destination, departureDate: inDays(61) };
    const { offers, picks } = await agent.ask(Found, "search_flights", search);
    expect(offers.length).toBeLessThanOrEqual(3);
    const NotShown = z.array(z.object({ id: z.string(), totalAmount: z.string(), flights: z.string() }));
    for (const { id, totalAmount } of NotShown.parse(picks.notShown)) {
      expect([picks.cheapest, picks.fastest, picks.cheapestDirect]).toContain(id);
      expect(offers.map((shown) => shown.id)).not.toContain(id);
      const read = await agent.ask(z.looseObject({}), "display_offer_conditions", { offerId: id });
      expect(read).toMatchObject({ totalAmount });
    }
  }
});
