import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type Escrow, openEscrow } from "../../../test/support/escrow.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** The free reads that the dashboard's views are made of. */
let service: TestService;
let escrow: Escrow;
let orderId: string;

beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const found = requireResult(
    await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate }),
  );
  const { offers } = z.object({ offers: z.array(z.object({ id: z.string() })) }).parse(found);
  const booked = requireResult(await service.call("book_flight", { offerId: offers[0]?.id ?? "" }));
  orderId = String(booked.orderId);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

const get = async (path: string, key = service.apiKey) =>
  await service.send(path, { headers: { authorization: `Bearer ${key}` } });

test("an order says where it goes, when, with whom and by whose clocks", async () => {
  const { orders } = z.object({ orders: z.array(z.looseObject({})) }).parse((await get("/api/orders")).body);
  expect(orders[0]).toMatchObject({
    orderId,
    what: "LHR to JFK",
    startsOn: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    travelers: [{ givenName: "Tess", familyName: "Traveler" }],
  });
  expect((await get(`/api/orders/${orderId}`)).body).toMatchObject({
    stay: null,
    travelers: [{ givenName: "Tess" }],
    timeZones: { LHR: "Europe/London", JFK: "America/New_York" },
  });
});

test("names on orders are shortened for a key that may not read travelers", async () => {
  const key = await service.operator(async ({ mintKey }) => {
    const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
    return (await mintKey({ ...owner, scopes: ["flights:read"], actor: "test" })).apiKey;
  });
  const answers = [await get("/api/orders", key), await get(`/api/orders/${orderId}`, key)];
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(text).toContain('"T***"');
    expect(text).not.toContain("Tess");
  }
});

test("movements and the treasury are what the tools say, for nothing", async () => {
  await service.call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "2" });
  const spent = async () =>
    z.object({ totals: z.looseObject({}) }).parse((await get("/api/usage?limit=1")).body).totals;
  const told = requireResult(await service.call("list_movements", { limit: 5 }));
  const treasury = requireResult(await service.call("check_treasury", {}));
  const before = await spent();
  // The page also has what is left after each movement.
  expect((await get("/api/movements?limit=5")).body).toEqual({ ...told, balances: expect.any(Array) });
  expect((await get("/api/treasury")).body).toEqual({ ...treasury, asOf: expect.any(String) });
  expect(await spent()).toEqual(before);
});

test("movements are found by order and by day", async () => {
  const Page = z.object({ movements: z.array(z.looseObject({ orderId: z.string().nullable() })) });
  const list = async (query: string) => Page.parse((await get(`/api/movements?${query}`)).body).movements;
  const paid = await list(`orderId=${orderId}`);
  expect(paid.length).toBeGreaterThan(0);
  expect(new Set(paid.map((movement) => movement.orderId))).toEqual(new Set([orderId]));
  expect(await list("to=2020-01-01")).toEqual([]);
  expect((await get("/api/movements?from=yesterday")).status).toBe(400);
});

test("exchange rates name their day and agree with a quote", async () => {
  const Rates = z.object({ asOf: z.string(), rates: z.array(z.object({ currency: z.string(), usdc: z.string() })) });
  const { asOf, rates } = Rates.parse((await get("/api/exchange-rates")).body);
  const quote = { fromCurrency: "GBP", toCurrency: "USDC", amount: 1 };
  const quoted = requireResult(await service.call("quote_fx", quote));
  expect(rates.find(({ currency }) => currency === "GBP")?.usdc).toBe(quoted.rate);
  expect(asOf).toBe(quoted.asOf);
});

test("usage is summed by tool, key and person", async () => {
  const Groups = z.object({
    groups: z.array(z.looseObject({ name: z.string().nullable(), calls: z.number(), priceMicroUsdc: z.string() })),
    isComplete: z.boolean(),
  });
  const read = async (query: string) => Groups.parse((await get(`/api/usage/groups?${query}`)).body);
  const Records = z.object({ records: z.array(z.looseObject({ tool: z.string(), priceMicroUsdc: z.string() })) });
  const { records } = Records.parse((await get("/api/usage?limit=200")).body);
  const sum = (some: readonly { priceMicroUsdc: string }[]) =>
    some.reduce((total, { priceMicroUsdc }) => total + BigInt(priceMicroUsdc), 0n);
  const byTool = await read("by=tool&days=1");
  expect(byTool.isComplete).toBe(true);
  expect(sum(byTool.groups)).toBe(sum(records));
  expect(byTool.groups.find(({ name }) => name === "book_flight")).toMatchObject({ calls: 1 });
  const prices = byTool.groups.map(({ priceMicroUsdc }) => Number(priceMicroUsdc));
  expect(prices).toEqual(prices.toSorted((one, other) => other - one));
  const byKey = await read("by=key&days=1");
  expect(byKey.groups).toHaveLength(1);
  expect(byKey.groups[0]).toMatchObject({ name: expect.stringMatching(/^key_/), keyName: expect.any(String) });
  expect((await read("by=person")).groups[0]?.name).toMatch(/^svc:key_/);
  expect((await get("/api/usage/groups?days=0")).status).toBe(400);
});

test("a listed trip has the summary that it was funded with", async () => {
  const made = requireResult(
    await service.call("prefund_trip", { budgetUsdc: "5", tripSummary: "Three days in Lisbon" }),
  );
  const Page = z.object({ trips: z.array(z.looseObject({ tripId: z.string() })) });
  const { trips } = Page.parse((await get("/api/trips")).body);
  expect(trips.find(({ tripId }) => tripId === made.tripId)).toMatchObject({ tripSummary: "Three days in Lisbon" });
});

test("an invoice's files are the same as the tool's, and only its tenant asks for them", async () => {
  const bookingId = await escrow.bookingAfter(await escrow.prefund("20"), "settle_booking");
  const invoice = requireResult(await service.call("generate_booking_invoice", { bookingId }));
  const path = `/api/invoices/${invoice.invoiceNumber}/files`;
  const ask = (key: string) => service.send(path, { method: "POST", headers: { authorization: `Bearer ${key}` } });
  const shared = await ask(service.apiKey);
  expect(shared.body).toMatchObject({ pdfUrl: invoice.pdfUrl, jsonUrl: invoice.jsonUrl, hasXml: false });
  expect((await fetch(String(shared.body.pdfUrl))).headers.get("content-type")).toBe("application/pdf");
  expect((await ask("ak_none")).status).toBe(401);
});
