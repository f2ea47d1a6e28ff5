import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { readApiDescription } from "../../../test/support/api-description.ts";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";
import { newFundedTenant, stranger } from "../../../test/support/treasury.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";

/** Orders of flights and stays, as their tenant reads them. */
let world: StaysWorld;
const ids: string[] = [];

beforeAll(async () => {
  world = await openStays("shared");
  for (let count = 0; count < 2; count += 1) {
    const [offer] = await world.search();
    ids.push((await world.book({ offerId: offer?.id ?? "" })).orderId);
  }
  const stay = await world.bookStay((await world.quoted()).id);
  ids.push(z.object({ orderId: z.string() }).parse(stay.body.result).orderId);
});
afterAll(() => world?.close());

const get = (path: string, key = world.service.apiKey) =>
  world.service.send(path, { headers: { authorization: `Bearer ${key}` } });
const Page = z.object({ orders: z.array(z.looseObject({ orderId: z.string() })), nextCursor: z.string().nullable() });
const page = async (query = "") => Page.parse((await get(`/api/orders${query}`)).body);

test("are listed newest first, page by page", async () => {
  const all = await page();
  expect(all.orders.map(({ orderId }) => orderId)).toEqual(ids.toReversed());
  expect(all.orders).toMatchObject([
    { kind: "stay", status: "confirmed", ticketing: null, totalCurrency: "USD", sandbox: true },
    { kind: "flight", status: "confirmed", pnr: expect.stringMatching(/^ZZ/) },
    { kind: "flight" },
  ]);
  expect(all.nextCursor).toBeNull();
  const first = await page("?limit=2");
  expect(first.orders.map(({ orderId }) => orderId)).toEqual(ids.toReversed().slice(0, 2));
  const second = await page(`?limit=2&cursor=${first.nextCursor}`);
  expect([second.orders.map(({ orderId }) => orderId), second.nextCursor]).toEqual([ids.slice(0, 1), null]);
});

test("show what calls did to them, and are found by their status", async () => {
  const [, , stayId = ""] = ids;
  const { cancellationId, refundAmount } = await world.result("cancel_order_quote", { orderId: stayId });
  await world.result("confirm_cancel_order", { cancellationId });
  expect((await page("?status=cancelled")).orders.map(({ orderId }) => orderId)).toEqual([stayId]);
  expect((await page("?status=confirmed")).orders).toHaveLength(2);
  const order = (await get(`/api/orders/${stayId}`)).body;
  expect(order).toMatchObject({
    kind: "stay",
    status: "cancelled",
    cancellation: { details: { cancellationId, refundAmount } },
    changes: [],
    slices: [],
  });
  expect(order.refunds).toHaveLength(refundAmount === "0.00" ? 0 : 1);
});

test("say where the airports of their flights are, and nothing of places that nobody knows", async () => {
  const [flightId = "", , stayId = ""] = ids;
  const places = async (orderId: string) => (await get(`/api/orders/${orderId}`)).body.airports;
  expect(await places(flightId)).toMatchObject([
    { iataCode: "LHR", cityName: "London", latitude: expect.closeTo(51.47, 1), longitude: expect.closeTo(-0.46, 1) },
    { iataCode: "JFK", cityName: "New York", latitude: expect.closeTo(40.64, 1), longitude: expect.closeTo(-73.78, 1) },
  ]);
  expect(await places(stayId)).toEqual([]);
  const unknown = `update booking set order_slices = jsonb_set(order_slices, '{0,segments,0,origin}', '"QQQ"') where order_id = $1`;
  // News of the order, such as its tickets, store its journey anew.
  const withoutOrigin = async () => {
    await world.service.sql(unknown, [flightId]);
    return await places(flightId);
  };
  await expect.poll(withoutOrigin).toMatchObject([{ iataCode: "JFK" }]);
});

test("are found by traveler and by days of travel, with their route, dates and travelers", async () => {
  const Listed = z.object({
    orders: z.array(
      z.looseObject({
        orderId: z.string(),
        kind: z.string(),
        startsOn: z.string(),
        endsOn: z.string(),
        travelers: z.array(z.looseObject({ userId: z.string().optional() })),
      }),
    ),
  });
  const find = async (args: object) => Listed.parse(await world.result("list_orders", args)).orders;
  const all = await find({});
  expect(all.map(({ orderId }) => orderId)).toEqual(ids.toReversed());
  const [stay, flight] = all;
  expect(flight).toMatchObject({ what: "LHR to JFK", travelers: [{ givenName: expect.any(String) }] });
  expect(stay).toMatchObject({ what: expect.stringMatching(/[a-z]/i) });
  const findIds = async (args: object) => (await find(args)).map(({ orderId }) => orderId);
  const { startsOn = "", endsOn = "" } = stay ?? {};
  const next = (date: string, days: number) => Temporal.PlainDate.from(date).add({ days }).toString();
  expect(await findIds({ kind: "stay", from: endsOn, to: endsOn })).toEqual([stay?.orderId]);
  expect(await findIds({ kind: "stay", from: startsOn, to: startsOn })).toEqual([stay?.orderId]);
  expect(await findIds({ kind: "stay", from: next(endsOn, 1) })).toEqual([]);
  expect(await findIds({ kind: "stay", to: next(startsOn, -1) })).toEqual([]);
  const userId = flight?.travelers[0]?.userId;
  expect(await findIds({ userId, kind: "flight" })).toEqual(ids.slice(0, 2).toReversed());
  expect(await findIds({ userId: "user_nobody" })).toEqual([]);
});

test("match the API description", async () => {
  const api = readApiDescription((await get("/api/openapi.json")).text);
  expect(api.answerProblems("/api/orders", "get", await get("/api/orders"))).toEqual([]);
  for (const id of [...ids, "ord_none"]) {
    expect(api.answerProblems("/api/orders/{orderId}", "get", await get(`/api/orders/${id}`))).toEqual([]);
  }
});

test("are hidden from other tenants, and need a key that may read flights", async () => {
  const other = await newFundedTenant(world.service, "Others");
  const [id = ""] = ids;
  const theirs = await get(`/api/orders/${id}`, other.apiKey);
  const none = await get("/api/orders/ord_none", other.apiKey);
  expect([theirs.status, theirs.body.code, theirs.body.detail]).toEqual([404, "not_found", none.body.detail]);
  expect((await get("/api/orders", other.apiKey)).body).toEqual({ orders: [], nextCursor: null });
  expect((await get("/api/orders", "ak_none")).status).toBe(401);
  for (const odd of ["%00", "a%00b", "%ff", "%ed%a0%80"]) {
    const answer = await get(`/api/orders/${odd}`);
    expect([answer.status, answer.body.code], odd).toEqual([404, "not_found"]);
  }
});

test("show travelers' names only to keys that may read travelers", async () => {
  const { tenantId } = world.service;
  const travelersFor = async (orderId: string, ...scopes: string[]) => {
    const key = { tenantId, environment: "sandbox", scopes, actor: "test" } as const;
    const { apiKey } = await world.service.operator((identity) => identity.mintKey(key));
    const answer = await world.service.call("read_order", { orderId }, { key: apiKey });
    expect(answer.status, answer.text).toBe(200);
    return { travelers: Object(answer.body.result).travelers, text: answer.text };
  };
  const [flightId = "", , stayId = ""] = ids;
  for (const [orderId, scope] of [
    [stayId, "stays:read"],
    [flightId, "flights:read"],
  ] as const) {
    const whole = await travelersFor(orderId, scope, "travelers:read");
    const [{ givenName, familyName }] = z
      .tuple([z.looseObject({ givenName: z.string(), familyName: z.string() })])
      .parse(whole.travelers);
    const masked = await travelersFor(orderId, scope);
    expect(masked.travelers).toEqual([{ givenName: `${givenName[0]}***`, familyName: `${familyName[0]}***` }]);
    for (const name of [givenName, familyName]) expect(masked.text).not.toContain(name);
  }
});

test("a stay shows the wishes that it was booked with", async () => {
  const wished = { accommodationSpecialRequests: "A cot, and a step-free room" };
  const { result } = (await world.bookStay((await world.quoted()).id, wished)).body;
  const read = (orderId: unknown) => world.result("read_order", { orderId });
  expect((await read(Object(result).orderId)).stay).toMatchObject(wished);
  expect((await read(ids[2])).stay).toMatchObject({ accommodationSpecialRequests: null });
});

test.each([["?limit=0"], ["?limit=201"], ["?cursor=ord_1"], ["?status=open"]])("%s is refused", async (query) => {
  const { status, body } = await get(`/api/orders${query}`);
  expect([status, body.code]).toEqual([400, "invalid_input"]);
});

/** Compares the wallet's movements with the calls that made them, the chain and the wallet. */
describe("the wallet's movements", () => {
  const Movement = z.looseObject({
    id: z.string(),
    direction: z.enum(["in", "out"]),
    kind: z.string(),
    token: z.string(),
    amount: z.string(),
    state: z.string(),
    transferId: z.string().nullable(),
    txHash: z.string().nullable(),
  });
  const Sums = z.array(z.object({ token: z.string(), in: z.string(), out: z.string() }));
  const Movements = z.object({ movements: z.array(Movement), pageSums: Sums, nextCursor: z.string().nullable() });
  const movements = async (args = {}, options = {}) =>
    Movements.parse(await world.result("list_movements", args, options));
  const Charged = z.object({ orderId: z.string(), bookingId: z.string(), chargeTransferId: z.string() });
  async function refundableRate() {
    const { accommodations } = await world.searchHotels();
    return accommodations.flatMap(({ rates }) => rates).find(({ refundable }) => refundable)?.id;
  }
  const newest = async () => (await movements({ limit: 1 })).movements[0];

  test("each call that moved money is listed, with its purpose and its transaction", async () => {
    const [offer] = await world.search();
    const booked = await world.result("book_flight", { offerId: offer?.id ?? "" });
    const flight = Charged.parse(booked);
    expect(await newest()).toMatchObject({
      direction: "out",
      kind: "order_payment",
      amount: booked.chargedUsdc,
      counterpart: "collection",
      orderId: flight.orderId,
      bookingId: flight.bookingId,
      transferId: flight.chargeTransferId,
      text: `Payment of an order: flight LHR to JFK (${booked.pnr})`,
    });
    const stayed = await world.bookStay((await world.quoted(await refundableRate())).id);
    const stay = Charged.parse(stayed.body.result);
    expect(await newest()).toMatchObject({ orderId: stay.orderId, transferId: stay.chargeTransferId });
    expect((await newest())?.text).toMatch(/^Payment of an order: stay at .+ \(Sandbox\) \(ZZ\w+\)$/);

    const { cancellationId } = await world.result("cancel_order_quote", { orderId: stay.orderId });
    const cancelled = await world.result("confirm_cancel_order", { cancellationId });
    expect(cancelled).toMatchObject({ chargeTransferId: null, refundTransferId: expect.stringMatching(/^ctx_/) });
    await expect.poll(newest).toMatchObject({
      direction: "in",
      kind: "order_refund",
      amount: cancelled.refundedUsdc,
      counterpart: "collection",
      orderId: stay.orderId,
      transferId: cancelled.refundTransferId,
      state: "confirmed",
      txHash: cancelled.refundTxHash,
      text: expect.stringMatching(/^Refund of an order: stay at .*, for its cancellation$/),
    });
    const { address: own } = await world.result("check_treasury", {});
    expect(cancelled.next).toContain(
      `${cancelled.refundedUsdc} USDC were refunded to the treasury wallet ${own} in refundTxHash`,
    );

    const to = stranger();
    const sent = await world.result("send_tokens", { to, amount: "1.50", token: "EURC" });
    expect(await newest()).toMatchObject({
      kind: "transfer",
      token: "EURC",
      amount: "1.50",
      counterpart: to,
      state: "confirmed",
      txHash: sent.txHash,
    });
    const { tripId, txHash } = await world.result("prefund_trip", { budgetUsdc: "40" });
    const budget = { kind: "trip_budget", amount: "40.00", counterpart: "trip_budget", tripId };
    expect(await newest()).toMatchObject({ ...budget, direction: "out", txHash });
    const closed = await world.result("close_trip", { tripId });
    expect(closed.returnedTo).toBe(own);
    await expect.poll(newest).toMatchObject({ ...budget, kind: "trip_return", direction: "in", txHash: closed.txHash });
    expect((await newest())?.text).toMatch(/what was free, by close_trip/);
  });

  test("the transaction of a charge can be read by the id in the booking's answer", async () => {
    const [offer] = await world.search();
    const booked = await world.result("book_flight", { offerId: offer?.id ?? "" });
    const { chargeTransferId, chargedUsdc, chargeTxHash } = booked;
    await expect
      .poll(() => world.result("read_transaction", { transferId: chargeTransferId }))
      .toMatchObject({
        state: "confirmed",
        transfers: [{ amount: chargedUsdc, direction: "out" }],
        blockTime: expect.stringMatching(/^20\d\d-/),
        bookingId: booked.bookingId,
      });
    const [mine] = (await movements({ limit: 1 })).movements;
    expect(mine).toMatchObject({ state: "confirmed", txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(chargeTxHash).toBe(mine?.txHash);
    const day = Temporal.PlainDate.from(String(mine?.at).slice(0, 10));
    expect((await movements({ limit: 1, from: `${day}`, to: `${day}` })).movements).toEqual([mine]);
    expect((await movements({ from: `${day.add({ days: 1 })}` })).movements).toEqual([]);
  });

  test("add up to the wallet, page by page, and are hidden from other tenants", async () => {
    const all = await movements();
    let pages = await movements({ limit: 3 });
    const paged = [...pages.movements];
    while (pages.nextCursor !== null) {
      pages = await movements({ limit: 3, cursor: pages.nextCursor });
      paged.push(...pages.movements);
    }
    expect(paged).toEqual(all.movements);
    const total = (token: string) =>
      all.movements
        .filter((one) => one.token === token && one.state !== "reverted")
        .reduce(
          (sum, { direction, amount }) => sum + (parseDecimal(amount) ?? 0n) * (direction === "in" ? 1n : -1n),
          0n,
        );
    const [dollars] = all.pageSums;
    expect((parseDecimal(dollars?.in ?? "") ?? 0n) - (parseDecimal(dollars?.out ?? "") ?? 0n)).toBe(
      total(dollars?.token ?? ""),
    );
    const { available } = await world.result("check_treasury", {});
    expect(available).toEqual({ USDC: formatDecimal(total("USDC")), EURC: formatDecimal(total("EURC")) });

    const other = await newFundedTenant(world.service, "Others");
    const theirs = (await movements({}, other.as)).movements;
    expect(theirs.map(({ kind, amount }) => [kind, amount])).toEqual([
      ["faucet", "100000.00"],
      ["faucet", "100000.00"],
    ]);
    const key = (
      await world.service.operator((identity) =>
        identity.mintKey({
          tenantId: world.service.tenantId,
          environment: "sandbox",
          scopes: ["flights:read"],
          actor: "test",
        }),
      )
    ).apiKey;
    expect((await world.service.call("list_movements", {}, { key })).body).toMatchObject({ code: "missing_scope" });
  });

  test("a stranger's deposit names its sender", async () => {
    const other = await newFundedTenant(world.service, "Payers");
    const wallet = async (as = {}) => z.string().parse((await world.result("check_treasury", {}, as)).address);
    const { txHash } = await world.result("send_tokens", { to: await wallet(), amount: "3" }, other.as);
    await expect
      .poll(newest)
      .toMatchObject({ kind: "deposit", direction: "in", amount: "3.00", counterpart: await wallet(other.as), txHash });
  });
});
