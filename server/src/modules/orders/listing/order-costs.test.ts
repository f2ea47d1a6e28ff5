import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openStays, type StaysWorld } from "../../../../test/support/stays-service.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import { shareCost } from "./order-costs.ts";

/** The costs of travelers by a stay of three, a flight that was changed, and one that was cancelled. */
let world: StaysWorld;
const ids = { stay: "", changed: "", cancelled: "" };
let availableBefore = 0n;

const GUESTS = ["Ana", "Bo", "Cy"].map((givenName) => ({ givenName, familyName: "Ferreira" }));
const Booked = z.looseObject({ orderId: z.string(), chargedUsdc: z.string() });
const micro = (amount: unknown): bigint => parseDecimal(z.string().parse(amount)) ?? -1n;

async function available(): Promise<bigint> {
  const { available: money } = await world.result("check_treasury", {});
  return micro(z.object({ USDC: z.string() }).parse(money).USDC);
}

beforeAll(async () => {
  world = await openStays("shared");
}, 60_000);
afterAll(() => world?.close());

async function buy(): Promise<void> {
  availableBefore = await available();
  const { first } = await world.searchHotels({}, { guests: GUESTS.length });
  const { id: quoteId } = await world.quoted(first.cheapestRate.id);
  ids.stay = Booked.parse((await world.bookStay(quoteId, { guests: GUESTS })).body.result).orderId;

  const order = await world.bookFlexible();
  ids.changed = order.orderId;
  const { changeId, due } = await world.selectChange(order);
  await world.result("confirm_order_change", { changeId, payment: { type: "balance", ...due } });

  const { orderId } = await world.bookFlexible();
  ids.cancelled = orderId;
  const { cancellationId } = await world.result("cancel_order_quote", { orderId });
  await world.result("confirm_cancel_order", { cancellationId });
  await world.result("hold_flight", { offerId: (await world.flexibleOffer()).id });
}

const Spent = z.object({ orders: z.number(), costUsdc: z.string() });
const Sums = Spent.extend({
  byCurrency: z.array(Spent.extend({ currency: z.string() })),
  byTraveler: z.array(Spent.extend({ givenName: z.string(), familyName: z.string(), userId: z.string().optional() })),
  how: z.string(),
});
const Listed = z.object({
  orders: z.array(z.looseObject({ orderId: z.string(), costUsdc: z.string(), shareUsdc: z.string() })),
  nextCursor: z.string().nullable(),
  sums: Sums.optional(),
});
const list = async (args: object = {}, options = {}) => Listed.parse(await world.result("list_orders", args, options));

test("one call says what was spent on whom, and it is what left the wallet", async () => {
  await buy();
  const { orders, sums } = await list();
  const spent = availableBefore - (await available());
  expect(spent).toBeGreaterThan(0n);
  expect(sums).toMatchObject({ orders: 3, costUsdc: formatDecimal(spent) });
  expect(sums?.byTraveler.reduce((sum, { costUsdc }) => sum + micro(costUsdc), 0n)).toBe(spent);
  expect(sums?.byCurrency.reduce((sum, { costUsdc }) => sum + micro(costUsdc), 0n)).toBe(spent);
  const cost = (orderId: string) => micro(orders.find((order) => order.orderId === orderId)?.costUsdc);
  const shares = shareCost(cost(ids.stay), 3).map((share) => formatDecimal(share));
  const ofGuests = GUESTS.map(({ givenName }) => sums?.byTraveler.find((one) => one.givenName === givenName));
  expect(ofGuests.map((one) => one?.costUsdc)).toEqual(shares);
  expect(orders).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ orderId: ids.stay, shareUsdc: shares[2], totalUsdc: formatDecimal(cost(ids.stay)) }),
      expect.objectContaining({ status: "held", wasPaid: false, costUsdc: "0.00" }),
      expect.objectContaining({ orderId: ids.cancelled, status: "cancelled" }),
    ]),
  );
  const changed = orders.find(({ orderId }) => orderId === ids.changed);
  expect(changed?.costUsdc).toBe(changed?.totalUsdc);
  const cancelled = orders.find(({ orderId }) => orderId === ids.cancelled);
  expect(cost(ids.cancelled)).toBe(micro(cancelled?.totalUsdc) - micro(cancelled?.refundedUsdc));
});

test("the sums are of all that match, on the first page only, and of one traveler if asked for", async () => {
  const { sums } = await list();
  const first = await list({ limit: 1 });
  expect(first.sums).toEqual(sums);
  expect((await list({ limit: 1, cursor: first.nextCursor })).sums).toBeUndefined();
  const flights = await list({ kind: "flight", limit: 1 });
  expect(flights.sums).toMatchObject({ orders: 2, byTraveler: [{ orders: 2 }] });
  const { userId } = flights.sums?.byTraveler[0] ?? {};
  expect((await list({ userId })).sums?.byTraveler).toEqual(flights.sums?.byTraveler);
  const today = Temporal.Now.plainDateISO("UTC");
  expect((await list({ bookedFrom: `${today.subtract({ days: 1 })}`, bookedTo: `${today}` })).sums).toEqual(sums);
  expect((await list({ bookedFrom: `${today.add({ days: 1 })}` })).orders).toEqual([]);
  expect((await list({ bookedTo: `${today.subtract({ days: 2 })}` })).sums).toMatchObject({
    orders: 0,
    byTraveler: [],
  });
});

async function readCsv(path: string, key = world.service.apiKey) {
  const { status, text, headers } = await world.service.send(path, { headers: { authorization: `Bearer ${key}` } });
  expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  const [names = "", ...lines] = text.trimEnd().split("\r\n");
  return lines.map((line) => Object.fromEntries(names.split(",").map((name, at) => [name, line.split(",")[at]])));
}

test("as CSV, each traveler of an order has a line, and the shares add up to the same", async () => {
  const { sums } = await list();
  const lines = await readCsv("/api/orders/export");
  expect(lines.reduce((sum, { shareUsdc }) => sum + micro(shareUsdc), 0n)).toBe(micro(sums?.costUsdc));
  const ofStay = lines.filter(({ orderId }) => orderId === ids.stay);
  expect(ofStay.map(({ givenName, travelersOfOrder }) => [givenName, travelersOfOrder])).toEqual(
    GUESTS.map(({ givenName }) => [givenName, "3"]),
  );
  const { userId } = sums?.byTraveler.find((one) => one.userId !== undefined) ?? {};
  const flights = await readCsv(`/api/orders/export?userId=${userId}&kind=flight&status=confirmed`);
  expect(flights.map(({ orderId }) => orderId)).toEqual([ids.changed]);
  const movements = await readCsv("/api/movements/export");
  const Moved = z.object({ movements: z.array(z.looseObject({ id: z.string() })) });
  const moved = Moved.parse(await world.result("list_movements", { limit: 200 }));
  expect(movements.map(({ id }) => id)).toEqual(moved.movements.map(({ id }) => id));
});

test("keys that may not read travelers get sums without names", async () => {
  const key = { tenantId: world.service.tenantId, environment: "sandbox", actor: "test" } as const;
  const { apiKey } = await world.service.operator((identity) =>
    identity.mintKey({ ...key, scopes: ["flights:read", "stays:read"] }),
  );
  const { sums } = await list({}, { key: apiKey });
  expect(sums?.byTraveler.map(({ givenName }) => givenName)).toEqual(expect.arrayContaining(["A***", "B***", "C***"]));
  expect(JSON.stringify(sums)).not.toContain("Ferreira");
  const lines = await readCsv("/api/orders/export", apiKey);
  expect(JSON.stringify(lines)).not.toContain("Ferreira");
});
