// Orders, payments, tickets, cancellations, credits and the books, over HTTP.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import {
  CustomerUser,
  cents,
  checkLedgerAddsUp,
  daysAhead,
  getOrder,
  hold,
  instantBody,
  ledger,
  Offer,
  Order,
  orderBody,
  Payment,
  parseData,
  parseError,
  pay,
  pickOffer,
  search,
  tick,
  traveler,
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

describe("documents of passengers", () => {
  const passport = {
    type: "passport",
    unique_identifier: "925076473",
    issuing_country_code: "GB",
    expires_on: "2040-01-01",
  };
  const withDocuments = (offer: Offer, identity_documents: unknown[]) =>
    orderBody(offer, { passengers: offer.passengers.map(({ id }) => traveler(id, { identity_documents })) });

  test("of every one where the offer wants them, one of each, of a type that the airline takes", async () => {
    const wanting = await pickOffer(sandbox, undefined, { origin: "LHR", destination: "DEL" });
    expect(wanting).toMatchObject({
      passenger_identity_documents_required: true,
      supported_passenger_identity_document_types: ["passport"],
    });
    const at = "/passengers/0/identity_documents";
    for (const body of [orderBody(wanting), withDocuments(wanting, [])])
      expect(await order(body)).toMatchObject({ status: 422, code: "validation_required", pointer: at });
    const { expires_on: _, ...endless } = passport;
    const refused: [unknown[], string, string][] = [
      [[passport, passport], "validation_length", at],
      [[{ ...passport, type: "tax_id" }], "validation_inclusion", `${at}/0/type`],
      [[endless], "validation_required", `${at}/0`],
    ];
    for (const [documents, code, pointer] of refused)
      expect(await order(withDocuments(wanting, documents))).toMatchObject({ code, pointer });
    expect((await sandbox.call("POST", "/air/orders", withDocuments(wanting, [passport]))).status).toBe(201);
  });

  test("of none where the airline takes none", async () => {
    const inland = await pickOffer(sandbox, undefined, { origin: "JFK", destination: "LAX" });
    expect(inland).toMatchObject({
      passenger_identity_documents_required: false,
      supported_passenger_identity_document_types: [],
    });
    expect(await order(withDocuments(inland, [passport]))).toMatchObject({ code: "validation_inclusion" });
    expect((await sandbox.call("POST", "/air/orders", orderBody(inland))).status).toBe(201);
  });
});

describe("a held order", () => {
  test("is held, paid, and ticketed a moment later", async () => {
    const offer = await pickOffer(sandbox);
    const held = await hold(sandbox, offer, { metadata: { booking: "b-1" } });
    expect(held).toMatchObject({
      type: "hold",
      total_amount: offer.total_amount,
      documents: [],
      metadata: { booking: "b-1" },
    });
    expect(held.payment_status).toMatchObject({ awaiting_payment: true, paid_at: null });
    const before = await ledger(sandbox);
    const payment = await pay(sandbox, held);
    expect(payment).toMatchObject({
      order_id: held.id,
      type: "balance",
      amount: offer.total_amount,
      status: "succeeded",
    });
    const paid = await getOrder(sandbox, held.id);
    expect(paid.payment_status).toMatchObject({ awaiting_payment: false, paid_at: expect.any(String) });
    await tick(sandbox, 2);
    const ticketed = await getOrder(sandbox, held.id);
    expect(ticketed.documents.map((document) => document.passenger_ids)).toEqual([[offer.passengers[0]?.id]]);
    const after = await ledger(sandbox);
    expect(cents(before.balance.amount) - cents(after.balance.amount)).toBe(cents(offer.total_amount));
    checkLedgerAddsUp(after);
    expect(
      parseData(await sandbox.call("GET", `/air/payments?order_id=${held.id}`), z.array(Payment)).map((row) => row.id),
    ).toEqual([payment.id]);
    expect(parseData(await sandbox.call("GET", `/air/payments/${payment.id}`), Payment)).toMatchObject({
      id: payment.id,
    });
  });

  test("tickets come without a tick too", async () => {
    const held = await hold(sandbox, await pickOffer(sandbox));
    await pay(sandbox, held);
    await vi.waitFor(async () => expect((await getOrder(sandbox, held.id)).documents.length).toBe(1), {
      timeout: 90_000,
      interval: 100,
    });
  });

  test("all that fell due has happened when a tick answers", async () => {
    const offer = await pickOffer(sandbox);
    const held = await Promise.all(Array.from({ length: 12 }, () => hold(sandbox, offer)));
    for (const order of held) await pay(sandbox, order);
    await tick(sandbox, 2);
    const tickets = await Promise.all(held.map(async (order) => (await getOrder(sandbox, order.id)).documents.length));
    expect(tickets).toEqual(held.map(() => 1));
  });

  test("lapses when it is not paid in time", async () => {
    const held = await hold(sandbox, await pickOffer(sandbox));
    await tick(sandbox, 73 * 3600);
    const lapsed = await getOrder(sandbox, held.id);
    expect(lapsed.payment_status).toMatchObject({ awaiting_payment: false, paid_at: null });
    const payment = { type: "balance", amount: held.total_amount, currency: "USD" };
    expect(parseError(await payFor(held.id, payment))).toMatchObject({
      status: 422,
      type: "invalid_state_error",
      code: "past_payment_required_by_date",
    });
  });

  test("is paid with the exact amount, once", async () => {
    const held = await hold(sandbox, await pickOffer(sandbox));
    const payment = { type: "balance", amount: held.total_amount, currency: "USD" };
    expect(parseError(await payFor(held.id, { ...payment, amount: "1.00" }))).toMatchObject({
      code: "payment_amount_does_not_match_order_amount",
    });
    expect(parseError(await payFor(held.id, { ...payment, currency: "GBP" }))).toMatchObject({
      code: "payment_currency_does_not_match_order_currency",
    });
    expect(parseError(await payFor("ord_none", payment))).toMatchObject({ status: 404 });
    const outcomes = await Promise.all([payFor(held.id, payment), payFor(held.id, payment), payFor(held.id, payment)]);
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual([201, 422, 422]);
    expect(parseError(await payFor(held.id, payment))).toMatchObject({ code: "already_paid" });
    checkLedgerAddsUp(await ledger(sandbox));
  });
});

describe("rules of orders", () => {
  test("bodies are checked field by field", async () => {
    const offer = await pickOffer(sandbox);
    const [passenger] = offer.passengers;
    const id = passenger?.id ?? "";
    const cases: [Record<string, unknown>, string, string][] = [
      [{ passengers: [traveler(id, { title: undefined })] }, "validation_inclusion", "/passengers/0/title"],
      [{ passengers: [traveler(id, { gender: "x" })] }, "validation_inclusion", "/passengers/0/gender"],
      [{ passengers: [traveler(id, { born_on: undefined })] }, "validation_required", "/passengers/0/born_on"],
      [{ passengers: [traveler(id, { born_on: "1990-02-30" })] }, "validation_format", "/passengers/0/born_on"],
      [{ passengers: [traveler(id, { email: "nobody" })] }, "validation_format", "/passengers/0/email"],
      [{ passengers: [traveler(id, { phone_number: "020 8016" })] }, "validation_format", "/passengers/0/phone_number"],
      [{ passengers: [traveler("pas_other")] }, "validation_inclusion", "/passengers/0/id"],
      [{ passengers: [traveler(id), traveler(id)] }, "validation_inclusion", "/passengers/1/id"],
      [
        { payments: [{ type: "balance", amount: offer.total_amount, currency: "USD" }] },
        "validation_absence",
        "/payments",
      ],
      [{ services: [{ id: "ase_1", quantity: 1 }] }, "validation_absence", "/services"],
      [{ selected_offers: ["off_none"] }, "validation_inclusion", "/selected_offers/0"],
      [{ metadata: { key: "x".repeat(501) } }, "validation_length", "/metadata/key"],
      [
        { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, "v"])) },
        "validation_format",
        "/metadata",
      ],
      [{ users: ["icu_none"] }, "validation_inclusion", "/users"],
    ];
    const before = (await ledger(sandbox)).orders.length;
    const unstorable = orderBody(offer, { metadata: { key: "a\u0000b" } });
    expect(await order(unstorable)).toMatchObject({ status: 422, type: "validation_error" });
    for (const [changes, code, pointer] of cases) {
      expect(await order(orderBody(offer, changes)), pointer).toMatchObject({
        status: 422,
        type: "validation_error",
        code,
        pointer,
      });
    }
    expect((await ledger(sandbox)).orders.length).toBe(before);
  });

  test("all passengers of the offer are named", async () => {
    const offer = await pickOffer(sandbox, undefined, { passengers: [{ type: "adult" }, { type: "adult" }] });
    const [first = ""] = offer.passengers.map((passenger) => passenger.id);
    expect(await order(orderBody(offer, { passengers: [traveler(first)] }))).toMatchObject({
      code: "validation_length",
      pointer: "/passengers",
    });
    await hold(sandbox, offer);
  });

  test("instant orders are paid exactly", async () => {
    const offer = await pickOffer(sandbox);
    const payments = (amount: string, currency = "USD") => [{ type: "balance", amount, currency }];
    expect(await order(instantBody(offer, { payments: [] }))).toMatchObject({
      code: "validation_required",
      pointer: "/payments",
    });
    for (const amount of ["1.00", "99999.00"]) {
      expect(await order(instantBody(offer, { payments: payments(amount) }))).toMatchObject({
        code: "payment_amount_does_not_match_order_amount",
      });
    }
    expect(await order(instantBody(offer, { payments: payments(offer.total_amount, "EUR") }))).toMatchObject({
      code: "payment_currency_does_not_match_order_currency",
    });
    const paid = parseData(await sandbox.call("POST", "/air/orders", instantBody(offer)), Order, 201);
    expect(paid.payment_status).toMatchObject({
      awaiting_payment: false,
      paid_at: expect.any(String),
      payment_required_by: null,
    });
    checkLedgerAddsUp(await ledger(sandbox));
  });

  test("an offer that must be paid at once cannot be held", async () => {
    const found = await search(sandbox, { origin: "STN", destination: "DUB" });
    const offer = found.offers.find((candidate) => candidate.payment_requirements.requires_instant_payment);
    if (offer === undefined) throw new Error("no offer of this route must be paid at once");
    expect(await order(orderBody(offer))).toMatchObject({
      type: "invalid_state_error",
      code: "invalid_order_create_type",
    });
  });

  test("every infant travels with an adult of its own", async () => {
    const offer = await pickOffer(sandbox, undefined, {
      passengers: [{ type: "adult" }, { type: "infant_without_seat" }],
    });
    const [adult = "", infant = ""] = offer.passengers.map((passenger) => passenger.id);
    const baby = traveler(infant, { born_on: daysAhead(-200) });
    expect(await order(orderBody(offer, { passengers: [traveler(adult), baby] }))).toMatchObject({
      code: "validation_required",
    });
    expect(
      await order(
        orderBody(offer, { passengers: [traveler(adult, { infant_passenger_id: infant }), traveler(infant)] }),
      ),
    ).toMatchObject({
      pointer: "/passengers/1/born_on",
    });
    await hold(sandbox, offer, { passengers: [traveler(adult, { infant_passenger_id: infant }), baby] });
  });

  test("the same offer ordered twice makes two orders", async () => {
    const offer = await pickOffer(sandbox);
    const [first, second] = [await hold(sandbox, offer), await hold(sandbox, offer)];
    expect(first.id).not.toBe(second.id);
    expect(first.slices[0]?.id).not.toBe(second.slices[0]?.id);
    const found = parseData(await sandbox.call("GET", `/air/orders?offer_id=${offer.id}`), z.array(Order));
    expect(found.map((row) => row.id)).toEqual([second.id, first.id]);
    const books = await ledger(sandbox);
    expect(books.orders.filter((entry) => entry.offer_id === offer.id).length).toBe(2);
  });

  test("offers expire after half an hour", async () => {
    const offer = await pickOffer(sandbox);
    await tick(sandbox, 29 * 60);
    expect((await sandbox.call("GET", `/air/offers/${offer.id}`)).status).toBe(200);
    await tick(sandbox, 61);
    expect(parseError(await sandbox.call("GET", `/air/offers/${offer.id}`))).toMatchObject({
      type: "invalid_state_error",
      code: "offer_no_longer_available",
    });
    expect(await order(orderBody(offer))).toMatchObject({ type: "invalid_state_error", code: "offer_expired" });
  });

  test("the fixed routes of the order stage", async () => {
    const poor = await pickOffer(sandbox, undefined, { origin: "LGW", destination: "STN" });
    expect(await order(instantBody(poor))).toMatchObject({ type: "airline_error", code: "insufficient_balance" });
    const moving = await pickOffer(sandbox, undefined, { origin: "LHR", destination: "STN" });
    expect(await order(instantBody(moving))).toMatchObject({ code: "price_changed" });
    const dearer = parseData(await sandbox.call("GET", `/air/offers/${moving.id}`), Offer);
    expect(Number(dearer.total_amount)).toBeGreaterThan(Number(moving.total_amount));
    expect(await order(instantBody(dearer))).toMatchObject({ code: "offer_no_longer_available" });
  });
});

describe("reading and marking orders", () => {
  test("lists filter, and metadata is replaced", async () => {
    const user = parseData(
      await sandbox.call("POST", "/identity/customer/users", {
        email: "ada@example.com",
        given_name: "Ada",
        family_name: "Lovelace",
      }),
      CustomerUser,
      201,
    );
    const offer = await pickOffer(sandbox);
    const held = await hold(sandbox, offer, { users: [user.id], metadata: { a: "1" } });
    const list = async (query: string) =>
      parseData(await sandbox.call("GET", `/air/orders?${query}`), z.array(Order)).map((row) => row.id);
    expect(await list(`booking_reference=${held.booking_reference}`)).toEqual([held.id]);
    expect(await list(`user_id=${user.id}`)).toEqual([held.id]);
    expect(await list(`user_id=${user.id}&awaiting_payment=false`)).toEqual([]);
    expect(await list("awaiting_payment=true")).toContain(held.id);
    const marked = parseData(await sandbox.call("PATCH", `/air/orders/${held.id}`, { metadata: { b: "2" } }), Order);
    expect(marked.metadata).toEqual({ b: "2" });
    expect((await getOrder(sandbox, held.id)).metadata).toEqual({ b: "2" });
  });

  test("pages lead through every row, forwards and back", async () => {
    const Page = z.object({
      data: z.array(CustomerUser),
      meta: z.object({ before: z.string().nullable(), after: z.string().nullable() }),
    });
    for (let user = 0; user < 5; user += 1) {
      // An address is had once in a group.
      const group = parseData(
        await sandbox.call("POST", "/identity/customer/user_groups", { name: `G${user}` }),
        z.looseObject({ id: z.string() }),
        201,
      );
      const body = { email: "five@example.com", given_name: `N${user}`, family_name: "X", group_id: group.id };
      parseData(await sandbox.call("POST", "/identity/customer/users", body), CustomerUser, 201);
    }
    const page = async (query: string) =>
      Page.parse((await sandbox.call("GET", `/identity/customer/users?email=five@example.com&limit=2${query}`)).body);
    const names = (found: z.infer<typeof Page>) => found.data.map((user) => user.given_name);
    const first = await page("");
    const second = await page(`&after=${first.meta.after}`);
    const third = await page(`&after=${second.meta.after}`);
    expect([first, second, third].map(names)).toEqual([["N4", "N3"], ["N2", "N1"], ["N0"]]);
    expect([first.meta.before, third.meta.after]).toEqual([null, null]);
    const back = await page(`&before=${third.meta.before}`);
    expect(names(back)).toEqual(["N2", "N1"]);
    expect(names(await page(`&before=${back.meta.before}`))).toEqual(["N4", "N3"]);
    expect(names(await page(`&after=${back.meta.after}`))).toEqual(["N0"]);
    expect(parseError(await sandbox.call("GET", "/identity/customer/users?after=nonsense"))).toMatchObject({
      pointer: "/after",
    });
  });

  test("customer users are found by e-mail and changed", async () => {
    const body = { email: "Grace@example.com", given_name: "Grace", family_name: "Hopper" };
    const user = parseData(await sandbox.call("POST", "/identity/customer/users", body), CustomerUser, 201);
    const found = parseData(
      await sandbox.call("GET", "/identity/customer/users?email=grace@EXAMPLE.com"),
      z.array(CustomerUser),
    );
    expect(found.map((row) => row.id)).toEqual([user.id]);
    const changed = await sandbox.call("PUT", `/identity/customer/users/${user.id}`, {
      ...body,
      given_name: "Amazing",
    });
    expect(parseData(changed, CustomerUser).given_name).toBe("Amazing");
    expect(parseData(await sandbox.call("GET", `/identity/customer/users/${user.id}`), CustomerUser).given_name).toBe(
      "Amazing",
    );
    expect(parseError(await sandbox.call("POST", "/identity/customer/users", { ...body, email: "x" }))).toMatchObject({
      pointer: "/email",
    });
  });
});
