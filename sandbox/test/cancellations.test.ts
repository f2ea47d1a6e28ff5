// Undoing orders, and airline credits, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import {
  arm,
  Cancellation,
  Credit,
  CustomerUser,
  cents,
  checkLedgerAddsUp,
  daysAhead,
  getOrder,
  hold,
  instantBody,
  ledger,
  Order,
  Payment,
  parseData,
  parseError,
  pay,
  pickOffer,
  search,
  tick,
} from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});

const order = async (data: unknown) => parseError(await sandbox.call("POST", "/air/orders", data));
const payFor = (orderId: string, payment: Record<string, unknown>) =>
  sandbox.call("POST", "/air/payments", { order_id: orderId, payment });

async function createCredit(airline: string, amount: string) {
  const body = {
    airline_iata_code: airline,
    amount,
    amount_currency: "USD",
    code: "1257403287231",
    type: "mco",
    issued_on: daysAhead(-10),
    expires_at: daysAhead(300),
  };
  return parseData(await sandbox.call("POST", "/air/airline_credits", body), Credit, 201);
}

describe("cancelling", () => {
  async function quote(orderId: string) {
    return parseData(await sandbox.call("POST", "/air/order_cancellations", { order_id: orderId }), Cancellation, 201);
  }
  const confirm = (id: string) => sandbox.call("POST", `/air/order_cancellations/${id}/actions/confirm`);

  test("a paid order: quote, then confirm, then the money is back by the fare's terms", async () => {
    for (const brand of ["Basic", "Standard", "Flex"]) {
      const offer = await pickOffer(sandbox, (candidate) => candidate.slices[0]?.fare_brand_name === brand);
      const held = await hold(sandbox, offer);
      await pay(sandbox, held);
      const before = cents((await ledger(sandbox)).balance.amount);
      const terms = offer.conditions.refund_before_departure;
      const expected = terms.allowed ? cents(offer.total_amount) - cents(terms.penalty_amount ?? "0.00") : 0n;
      const quoted = await quote(held.id);
      expect(cents(quoted.refund_amount), brand).toBe(expected);
      expect(quoted.confirmed_at).toBeNull();
      expect((await getOrder(sandbox, held.id)).cancelled_at).toBeNull();
      expect(parseData(await confirm(quoted.id), Cancellation).confirmed_at).not.toBeNull();
      expect((await getOrder(sandbox, held.id)).cancelled_at).not.toBeNull();
      const books = await ledger(sandbox);
      expect(cents(books.balance.amount) - before).toBe(expected);
      checkLedgerAddsUp(books);
      expect(parseError(await confirm(quoted.id))).toMatchObject({ code: "already_cancelled" });
    }
  });

  test("an unpaid hold: nothing to refund; only the newest quote counts, for half an hour", async () => {
    const held = await hold(sandbox, await pickOffer(sandbox));
    const old = await quote(held.id);
    const newer = await quote(held.id);
    expect(newer).toMatchObject({ refund_amount: "0.00", refund_to: "awaiting_payment" });
    expect(parseError(await confirm(old.id))).toMatchObject({ code: "order_cancellation_stale" });
    await tick(sandbox, 31 * 60);
    expect(parseError(await confirm(newer.id))).toMatchObject({ code: "order_cancellation_expired" });
    const newest = await quote(held.id);
    await confirm(newest.id);
    expect(parseError(await sandbox.call("POST", "/air/order_cancellations", { order_id: held.id }))).toMatchObject({
      code: "already_cancelled",
    });
    expect(
      parseData(await sandbox.call("GET", `/air/order_cancellations/${newest.id}`), Cancellation).confirmed_at,
    ).not.toBeNull();
    const listed = parseData(
      await sandbox.call("GET", `/air/order_cancellations?order_id=${held.id}`),
      z.array(Cancellation),
    );
    expect(listed.map((row) => row.id)).toEqual([newest.id, newer.id, old.id]);
  });

  test("LTN-SYD refunds as airline credit", async () => {
    const offer = await pickOffer(sandbox, (candidate) => candidate.slices[0]?.fare_brand_name === "Flex", {
      origin: "LTN",
      destination: "SYD",
    });
    const paid = parseData(await sandbox.call("POST", "/air/orders", instantBody(offer)), Order, 201);
    const quoted = await quote(paid.id);
    expect(quoted).toMatchObject({ refund_amount: "0.00", refund_to: "airline_credits" });
    const confirmed = parseData(await confirm(quoted.id), Cancellation);
    expect(confirmed.airline_credits.map((credit) => credit.credit_amount)).toEqual([offer.total_amount]);
  });
});

describe("airline credits", () => {
  test("are offered by their airline only, and pay a part of an instant order", async () => {
    const credit = await createCredit("BA", "50.00");
    const found = await search(sandbox, { origin: "LHR", destination: "JFK", airline_credit_ids: [credit.id] });
    for (const offer of found.offers)
      expect(offer.available_airline_credit_ids).toEqual(offer.owner.iata_code === "BA" ? [credit.id] : []);
    const mine = (airline: string) => found.offers.find((candidate) => candidate.owner.iata_code === airline);
    const [offer, foreign] = [mine("BA"), mine("VS")];
    if (offer === undefined || foreign === undefined) throw new Error("both airlines fly this route");
    const rest = (total: string) => (Number(total) - 50).toFixed(2);
    const payments = (total: string) => [
      { type: "airline_credit", airline_credit_id: credit.id },
      { type: "balance", amount: rest(total), currency: "USD" },
    ];
    expect(await order(instantBody(foreign, { payments: payments(foreign.total_amount) }))).toMatchObject({
      code: "ineligible_airline_credit",
    });
    const before = cents((await ledger(sandbox)).balance.amount);
    const paid = parseData(
      await sandbox.call("POST", "/air/orders", instantBody(offer, { payments: payments(offer.total_amount) })),
      Order,
      201,
    );
    const listed = parseData(await sandbox.call("GET", `/air/payments?order_id=${paid.id}`), z.array(Payment));
    expect(listed.map((payment) => [payment.type, payment.amount]).sort()).toEqual([
      ["airline_credit", "50.00"],
      ["balance", rest(offer.total_amount)],
    ]);
    expect(before - cents((await ledger(sandbox)).balance.amount)).toBe(cents(rest(offer.total_amount)));
    expect(parseData(await sandbox.call("GET", `/air/airline_credits/${credit.id}`), Credit).spent_at).not.toBeNull();
    expect(await order(instantBody(offer, { payments: payments(offer.total_amount) }))).toMatchObject({
      code: "ineligible_airline_credit",
    });
    checkLedgerAddsUp(await ledger(sandbox));
  });

  test("pay for nothing that is held: they are spent with an order's own request", async () => {
    const held = await hold(sandbox, await pickOffer(sandbox, (candidate) => candidate.owner.iata_code === "BA"));
    const credit = await createCredit("BA", "20.00");
    const byCredit = { type: "airline_credit", airline_credit_id: credit.id };
    expect(parseError(await payFor(held.id, byCredit))).toMatchObject({
      status: 422,
      code: "validation_inclusion",
      pointer: "/payment/type",
    });
    expect(parseData(await sandbox.call("GET", `/air/airline_credits/${credit.id}`), Credit).spent_at).toBeNull();
    const part = { type: "balance", amount: (Number(held.total_amount) - 20).toFixed(2), currency: "USD" };
    expect(parseError(await payFor(held.id, part))).toMatchObject({
      code: "payment_amount_does_not_match_order_amount",
    });
    expect((await getOrder(sandbox, held.id)).payment_status.awaiting_payment).toBe(true);
    checkLedgerAddsUp(await ledger(sandbox));
  });

  test("what is left of a credit becomes a new one; a refused ticketing gives it back", async () => {
    const credit = await createCredit("BA", "5000.00");
    const offer = await pickOffer(sandbox, (candidate) => candidate.owner.iata_code === "BA");
    await arm(sandbox, { match: { path: "/air/orders", method: "POST" }, fault: "ticketing_failed" });
    const payments = [{ type: "airline_credit", airline_credit_id: credit.id }];
    const paid = parseData(await sandbox.call("POST", "/air/orders", instantBody(offer, { payments })), Order, 201);
    const credits = async () =>
      parseData(
        await sandbox.call("GET", "/air/airline_credits"),
        z.array(Credit.extend({ order_id: z.string().nullable() })),
      );
    const left = (await credits()).find((row) => row.order_id === paid.id);
    expect(cents(left?.amount ?? "0.00") + cents(offer.total_amount)).toBe(500_000n);
    await tick(sandbox, 2);
    expect((await credits()).find((row) => row.id === credit.id)?.spent_at).toBeNull();
    expect((await credits()).find((row) => row.id === left?.id)?.invalidated_at).not.toBeNull();
  });
});

test("credits are listed by their owner, page by page; expired and withdrawn ones pay nothing", async () => {
  const body = { email: "owner@example.com", given_name: "Ada", family_name: "Lovelace" };
  const user = parseData(await sandbox.call("POST", "/identity/customer/users", body), CustomerUser, 201);
  const issue = async (expires: number) => {
    const credit = {
      airline_iata_code: "BA",
      amount: "30.00",
      amount_currency: "USD",
      code: "E-30",
      type: "eticket",
      issued_on: daysAhead(-10),
      expires_at: daysAhead(expires),
      user_id: user.id,
    };
    return parseData(await sandbox.call("POST", "/air/airline_credits", credit), Credit, 201).id;
  };
  // The sandbox's day may be ahead of the machine's by the ticks of other tests.
  const ids = [await issue(20), await issue(300), await issue(300)];
  const Page = z.object({ data: z.array(Credit), meta: z.object({ after: z.string().nullable() }) });
  const page = async (query: string) =>
    Page.parse((await sandbox.call("GET", `/air/airline_credits?user_id=${user.id}&limit=2${query}`)).body);
  const first = await page("");
  const second = await page(`&after=${first.meta.after}`);
  expect([...first.data, ...second.data].map((credit) => credit.id)).toEqual([...ids].reverse());
  expect(second.meta.after).toBeNull();

  const [soon = "", withdrawn = "", good = ""] = ids;
  await tick(sandbox, 25 * 86_400);
  await sandbox.control("POST", `/_sandbox/airline_credits/${withdrawn}/invalidate`);
  const offer = await pickOffer(sandbox, (candidate) => candidate.owner.iata_code === "BA");
  const rest = (Number(offer.total_amount) - 30).toFixed(2);
  const using = (id: string) =>
    instantBody(offer, {
      payments: [
        { type: "airline_credit", airline_credit_id: id },
        { type: "balance", amount: rest, currency: "USD" },
      ],
    });
  const before = await ledger(sandbox);
  for (const id of [soon, withdrawn])
    expect(await order(using(id))).toMatchObject({ code: "ineligible_airline_credit" });
  expect((await ledger(sandbox)).balance).toEqual(before.balance);
  parseData(await sandbox.call("POST", "/air/orders", using(good)), Order, 201);
});

describe("faults of a cancellation", () => {
  const CONFIRM = { path: "/air/order_cancellations/{id}/actions/confirm", method: "POST" };
  const REQUEST = { path: "/air/order_cancellations", method: "POST" };
  const isFlex = (offer: { slices: { fare_brand_name: string }[] }) => offer.slices[0]?.fare_brand_name === "Flex";

  async function paid(query = {}) {
    const offer = await pickOffer(sandbox, isFlex, query);
    return parseData(await sandbox.call("POST", "/air/orders", instantBody(offer)), Order, 201);
  }
  const quote = async (orderId: string) =>
    parseData(await sandbox.call("POST", "/air/order_cancellations", { order_id: orderId }), Cancellation, 201);
  const confirm = (id: string) => sandbox.call("POST", `/air/order_cancellations/${id}/actions/confirm`);
  const listRefunds = async (id: string) => (await ledger(sandbox)).refunds.filter((entry) => entry.reference === id);

  test("price_changed: the quote is stale, the next one gives back less", async () => {
    const order = await paid();
    const quoted = await quote(order.id);
    await arm(sandbox, { match: CONFIRM, fault: "price_changed" });
    expect(parseError(await confirm(quoted.id))).toMatchObject({ code: "order_cancellation_stale" });
    expect(parseError(await confirm(quoted.id))).toMatchObject({ code: "order_cancellation_stale" });
    const newer = await quote(order.id);
    expect(cents(newer.refund_amount)).toBeLessThan(cents(quoted.refund_amount));
    parseData(await confirm(newer.id), Cancellation);
    expect(await listRefunds(newer.id)).toMatchObject([{ amount: newer.refund_amount }]);
    checkLedgerAddsUp(await ledger(sandbox));
  });

  test("offer_expired: the quote has expired for good", async () => {
    const quoted = await quote((await paid()).id);
    await arm(sandbox, { match: CONFIRM, fault: "offer_expired" });
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(parseError(await confirm(quoted.id))).toMatchObject({ code: "order_cancellation_expired" });
  });

  test("reset_after_effect: cancelled and refunded once", async () => {
    const order = await paid();
    const quoted = await quote(order.id);
    await arm(sandbox, { match: CONFIRM, fault: "reset_after_effect" });
    await expect(confirm(quoted.id)).rejects.toThrow();
    expect((await getOrder(sandbox, order.id)).cancelled_at).not.toBeNull();
    expect(parseError(await confirm(quoted.id))).toMatchObject({ code: "already_cancelled" });
    expect(await listRefunds(quoted.id)).toHaveLength(1);
  });

  test("refund_as_credit: the credits are told in the quote and issued by its confirmation, one for each traveller", async () => {
    const order = await paid({ passengers: [{ type: "adult" }, { age: 8 }, { fare_type: "student" }] });
    await arm(sandbox, { match: REQUEST, fault: "refund_as_credit" });
    const before = (await ledger(sandbox)).balance.amount;
    const quoted = await quote(order.id);
    expect(quoted).toMatchObject({ refund_amount: "0.00", refund_to: "airline_credits" });
    const Promised = z.array(z.looseObject({ id: z.string(), credit_amount: z.string(), passenger_id: z.string() }));
    const promised = Promised.parse(quoted.airline_credits);
    expect(promised.map((credit) => credit.passenger_id)).toEqual(order.passengers.map((passenger) => passenger.id));
    expect(promised.reduce((sum, credit) => sum + cents(credit.credit_amount), 0n)).toBe(cents(order.total_amount));
    const get = (id: string) => sandbox.call("GET", `/air/airline_credits/${id}`);
    for (const credit of promised) expect((await get(credit.id)).status).toBe(404);
    parseData(await confirm(quoted.id), Cancellation);
    for (const credit of promised) expect(parseData(await get(credit.id), Credit).amount).toBe(credit.credit_amount);
    expect((await ledger(sandbox)).balance.amount).toBe(before);
  });
});
