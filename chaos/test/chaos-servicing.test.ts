import { describe, expect, test } from "vitest";
import type { Intent } from "../src/intents.ts";
import type { ServicingBooks } from "../src/servicing/books.ts";
import {
  checkActions,
  checkCredits,
  checkFinal,
  checkMoney,
  checkOrders,
  checkPurses,
} from "../src/servicing/check-books.ts";
import { checkAnswered, checkOnce, checkRefused } from "../src/servicing/check-effects.ts";

const TENANT = "ten_1";
const OPENING = 1_000n;

/** A flight that was changed for money and cancelled into a credit, a stay that was cancelled, and a hold that nobody paid. */
function sound() {
  const client = { call: () => Promise.reject(new Error("nobody calls")), put: () => Promise.resolve() };
  const traveler = { client, tenantId: TENANT, userId: "ada" };
  const intent = (tool: string, subject: string, result: unknown): Intent => ({
    sequence: 1,
    traveler,
    request: { tool, args: {} },
    subject,
    answers: [1, 2].map(() => ({
      kind: "ok",
      result,
      meterId: undefined,
      priceMicroUsdc: undefined,
      replayed: false,
      signed: true,
    })),
  });
  const refused: Intent = {
    ...intent("book_flight", "off_2", undefined),
    answers: [{ kind: "refused", code: "price_changed", retryable: false }],
  };
  const booking = { tenant_id: TENANT, state: "booked", order_status: "cancelled" };
  const action = { tenant_id: TENANT, state: "done" };
  const order = { booking_reference: "ZZ1", metadata: { booking_id: "bkg_1" } };
  const payment = {
    order_id: "ord_1",
    type: "balance",
    status: "succeeded",
    airline_credit_id: null,
    pays_for: "order",
  };
  const confirmed_at = "2027-01-01T00:00:00Z";
  const books: ServicingBooks = {
    bookings: [
      {
        ...booking,
        id: "bkg_1",
        kind: "flight",
        offer_id: "off_1",
        order_id: "ord_1",
        total: 120n,
        charged: 100n,
      },
      { ...booking, id: "bkg_3", kind: "stay", offer_id: "quo_1", order_id: "bok_1", total: 50n, charged: 50n },
      {
        ...booking,
        id: "bkg_2",
        kind: "flight",
        offer_id: "off_2",
        order_id: null,
        total: 70n,
        charged: 0n,
        state: "failed",
      },
    ],
    actions: [
      {
        ...action,
        id: "act_1",
        kind: "flight_change",
        subject_id: "oce_1",
        booking_id: "bkg_1",
        order_id: "ord_1",
        charged: 20n,
        refunded: 0n,
        credits: [],
      },
      {
        ...action,
        id: "act_2",
        kind: "flight_cancellation",
        subject_id: "ore_1",
        booking_id: "bkg_1",
        order_id: "ord_1",
        charged: 0n,
        refunded: 30n,
        credits: [{ id: "acd_1", amount: 90n }],
      },
      {
        ...action,
        id: "act_3",
        kind: "stay_cancellation",
        subject_id: "bok_1",
        booking_id: "bkg_3",
        order_id: "bok_1",
        charged: 0n,
        refunded: 40n,
        credits: [],
      },
    ],
    purses: [{ tenant_id: TENANT, balance: OPENING - 100n }],
    collection: 100n,
    supplier: {
      orders: [
        { ...order, id: "ord_1", offer_id: "off_1", state: "cancelled", total_amount: 120n },
        { ...order, id: "ord_2", offer_id: "off_2", state: "lapsed", total_amount: 70n, metadata: {} },
      ],
      payments: [
        { ...payment, id: "pay_1", amount: 100n },
        { ...payment, id: "pay_2", amount: 20n, pays_for: "change" },
      ],
      cancellations: [
        { id: "ore_1", order_id: "ord_1", confirmed_at, refund_amount: 30n, credit_refund_amount: 90n },
        { id: "ore_0", order_id: "ord_1", confirmed_at: null, refund_amount: 30n, credit_refund_amount: 90n },
      ],
      changes: [{ id: "oce_1", order_id: "ord_1", confirmed_at, payment_id: "pay_2", refund_amount: 0n }],
      credits: [{ id: "acd_1", order_id: "ord_1", amount: 90n }],
      refunds: [{ amount: 30n }, { amount: 40n }],
      stayBookings: [
        {
          id: "bok_1",
          quote_id: "quo_1",
          status: "cancelled",
          total_amount: 50n,
          paid_amount: 50n,
          metadata: { booking_id: "bkg_3" },
        },
      ],
      stayCancellations: [{ booking_id: "bok_1", refund_amount: 40n }],
    },
  };
  const journal = [
    intent("book_flight", "off_1", { orderId: "ord_1", pnr: "ZZ1" }),
    intent("confirm_order_change", "oce_1", { orderId: "ord_1", changeId: "oce_1" }),
    intent("confirm_cancel_order", "ore_1", { orderId: "ord_1", kind: "flight" }),
    intent("book_stay", "quo_1", { orderId: "bok_1" }),
    intent("confirm_cancel_order", "scq_1", { orderId: "bok_1", kind: "stay" }),
    refused,
  ];
  return { books, supplier: books.supplier, journal };
}
type Sound = ReturnType<typeof sound>;

/** Names of what does not hold. */
function failing({ books, supplier, journal }: Sound): string[] {
  return [
    checkOnce(supplier, books.bookings),
    checkAnswered(journal, supplier),
    checkRefused(journal, supplier, books.bookings),
    checkFinal(books),
    checkOrders(books),
    checkActions(books),
    checkMoney(books),
    checkPurses(books, OPENING),
    checkCredits(books),
  ].flatMap(({ invariant, problems }) => (problems.length > 0 ? [invariant] : []));
}

describe("every invariant", () => {
  const first = <Item extends object>(list: readonly Item[]): object => list[0] ?? {};
  const spoilers: [string, string, (facts: Sound) => unknown][] = [
    ["an order was made twice", "at most one", ({ supplier }) => supplier.orders.push({ ...paidAgain(supplier) })],
    [
      "bags were added twice",
      "at most one order",
      ({ supplier }) => {
        const bags = { ...requirePayment(supplier), amount: 0n, pays_for: "services" };
        supplier.payments.push({ ...bags, id: "pay_4" }, { ...bags, id: "pay_5" });
      },
    ],
    [
      "a payment was made twice",
      "at most one",
      ({ supplier }) => Object.assign(first(supplier.changes), { payment_id: null }),
    ],
    [
      "a cancellation was made twice",
      "at most one",
      ({ supplier }) => Object.assign(supplier.cancellations[1] ?? {}, { confirmed_at: "2027-01-01T00:00:00Z" }),
    ],
    ["a stay was booked twice", "at most one", ({ supplier }) => supplier.stayBookings.push(...supplier.stayBookings)],
    [
      "an answered change did not take place",
      "every answered success",
      ({ supplier }) => Object.assign(first(supplier.changes), { confirmed_at: null }),
    ],
    ["an answered stay is not there", "every answered success", ({ supplier }) => supplier.stayBookings.splice(0)],
    [
      "two answers differ",
      "every answered success",
      ({ journal }) => Object.assign(journal[0]?.answers[1] ?? {}, { result: { orderId: "ord_1", pnr: "ZZ2" } }),
    ],
    [
      "what was refused happened",
      "what was refused",
      ({ journal }) => Object.assign(journal[5] ?? {}, { subject: "off_1" }),
    ],
    ["an action is open", "every booking", ({ books }) => Object.assign(first(books.actions), { state: "sent" })],
    ["a total differs", "orders at the supplier", ({ books }) => Object.assign(first(books.bookings), { total: 1n })],
    [
      "an order is not cancelled in our books",
      "orders at the supplier",
      ({ books }) => Object.assign(first(books.bookings), { order_status: "confirmed" }),
    ],
    [
      "a booking failed whose order is paid",
      "orders at the supplier",
      ({ books }) => Object.assign(first(books.bookings), { state: "failed" }),
    ],
    ["a cancellation is not in our books", "cancellations and changes", ({ books }) => books.actions.splice(1, 1)],
    [
      "a stay's cancellation did not take place",
      "cancellations and changes",
      ({ supplier }) => supplier.stayCancellations.pop(),
    ],
    [
      "a tenant paid too much",
      "each booking cost",
      ({ books }) => Object.assign(first(books.bookings), { charged: 101n }),
    ],
    [
      "a refund is missing",
      "each booking cost",
      ({ books }) => Object.assign(books.actions[2] ?? {}, { refunded: 0n }),
    ],
    ["a treasury is off", "treasuries and", ({ books }) => Object.assign(first(books.purses), { balance: 1n })],
    ["the collection is off", "treasuries and", ({ books }) => Object.assign(books, { collection: 99n })],
    ["a credit was not issued", "airline credits", ({ supplier }) => supplier.credits.pop()],
  ];

  function paidAgain({ orders, payments }: Sound["supplier"]) {
    const [order] = orders;
    if (order === undefined) throw new Error("there is no order");
    payments.push({ ...requirePayment({ payments }), id: "pay_3", order_id: "ord_3", amount: 1n });
    return { ...order, id: "ord_3" };
  }

  function requirePayment({ payments: [payment] }: Pick<Sound["supplier"], "payments">) {
    if (payment === undefined) throw new Error("there is no payment");
    return payment;
  }

  test("holds for sound books", () => {
    expect(failing(sound())).toEqual([]);
  });

  test.each(spoilers)("fails when %s", (_, invariant, spoil) => {
    const facts = sound();
    spoil(facts);
    expect(failing(facts).filter((name) => name.startsWith(invariant))).toHaveLength(1);
  });
});
