import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inDays, openAgent } from "../../../test/support/agent.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

/** Failed calls tell an agent enough for its next call to succeed. */
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

const issues = (...expected: [path: string, message: RegExp][]) =>
  expected.map(([path, message]) => ({ path, message: expect.stringMatching(message) }));

test("all errors are reported at once, with the codes and today's date", async () => {
  const yesterday = inDays(-2);
  const today = Temporal.Now.plainDateISO("UTC").toString().slice(0, 7);
  const wrong = { origin: "London", destination: "JFK", departureDate: yesterday, passengers: 12, cabin: "first" };
  const { isError, said, text } = await agent.call("search_flights", wrong);
  expect(isError, text).toBe(true);
  expect(said.issues).toEqual(
    expect.arrayContaining(
      issues(
        ["origin", /London is LON \(airports (LHR, LGW|.*LHR)/],
        ["departureDate", new RegExp(`before today, ${today}`)],
        ["passengers", /groups of up to 9 each/],
        ["cabin", /did you mean "cabinClass"/],
      ),
    ),
  );
  expect(said.issues).toHaveLength(4);
  expect(said.detail).toMatch(/3 more/);
});

test("an unknown city is found by a tool; numbers are whole", async () => {
  const wrong = { origin: "Lodnon", destination: "JFK", departureDate: inDays(30), passengers: 1.5 };
  expect((await agent.call("search_flights", wrong)).said.issues).toEqual(
    issues(["origin", /find_airports_nearby/], ["passengers", /whole number, not 1.5/]),
  );
});

test("rules over several arguments are reported beside errors of single ones", async () => {
  const wrong = { location: "London", checkInDate: inDays(-3), checkOutDate: inDays(-5), guests: 12 };
  expect((await agent.call("search_hotels", wrong)).said.issues).toEqual(
    issues(
      ["checkInDate", /before today, \d{4}/],
      ["guests", /must be at most 9/],
      ["checkOutDate", /after the check-in date/],
    ),
  );
});

test("the problem in a result has no HTTP status, which it has over dispatch", async () => {
  const args = { offerId: "off_0000Nothing" };
  const { said, isError } = await agent.call("display_offer_conditions", args);
  expect(isError).toBe(true);
  expect(said).toMatchObject({ code: "offer_not_found", ok: false, title: "Offer not found" });
  expect(said).not.toHaveProperty("status");
  expect(said.type).toBe(`${service.appUrl}/docs/errors/offer_not_found`);
  const page = await fetch(`${String(said.type)}.md`);
  expect(await page.text()).toMatch(/^# offer_not_found\n[\s\S]*\[book_flight\]\(/);
  expect((await service.call("display_offer_conditions", args)).body).toMatchObject({ status: 500 });
});

test("a place written by its airport's name is answered with the code", async () => {
  const search = { origin: "Heathrow", destination: "Kennedy airport", departureDate: inDays(30) };
  const { issues } = (await agent.call("search_flights", search)).said;
  expect(issues).toEqual([
    { path: "origin", message: "must be an IATA code: London Heathrow Airport is LHR" },
    { path: "destination", message: "must be an IATA code: John F. Kennedy International Airport is JFK" },
  ]);
});

test("a search without results names the argument that emptied it", async () => {
  const search = { origin: "LHR", destination: "EDI", departureDate: inDays(30) };
  expect((await agent.call("search_flights", search)).isError).toBe(false);
  const { said, text } = await agent.call("search_flights", { ...search, cabinClass: "first" });
  expect(said, text).toMatchObject({ code: "no_offers", emptiedBy: ["cabinClass"] });
  expect(said.detail).toMatch(/economy/);
});

describe("an unknown tool", () => {
  test.each([
    ["serach_flights", "search_flights"],
    ["searchFlights", "search_flights"],
    ["book_fligth", "book_flight"],
  ])("%s is offered %s", async (name, near) => {
    await expect(agent.call(name)).rejects.toThrow(`Did you mean "${near}"?`);
  });

  test.each(["cancel_flight", "book_trip", "read_balance"])(
    "%s is offered nothing that does something else",
    async (name) => {
      await expect(agent.call(name)).rejects.toThrow(/there is no tool with this name\.$/);
    },
  );
});
