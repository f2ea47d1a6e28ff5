import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { readApiDescription } from "../../../test/support/api-description.ts";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";
import { newFundedTenant } from "../../../test/support/treasury.ts";

/** Orders of flights and stays as their tenant reads them. */
let world: StaysWorld;
const ids: string[] = [];

beforeAll(async () => {
  world = await openStays();
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

test("show what a call did to them, and are found by their status", async () => {
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

test("answer as the API description says", async () => {
  const api = readApiDescription((await get("/api/openapi.json")).text);
  expect(api.answerProblems("/api/orders", "get", await get("/api/orders"))).toEqual([]);
  for (const id of [...ids, "ord_none"]) {
    expect(api.answerProblems("/api/orders/{orderId}", "get", await get(`/api/orders/${id}`))).toEqual([]);
  }
});

test("are nobody else's, and need a key that may read flights", async () => {
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

test.each([["?limit=0"], ["?limit=201"], ["?cursor=ord_1"], ["?status=open"]])("%s is refused", async (query) => {
  const { status, body } = await get(`/api/orders${query}`);
  expect([status, body.code]).toEqual([400, "invalid_input"]);
});
