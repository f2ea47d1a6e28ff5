import { expect, test } from "vitest";
import { startDuffel } from "../../../../test/support/duffel-harness.ts";
import type { OrderRequest } from "../../../ports/supplier/flights.ts";
import { wireOffer, wireOrder } from "../__fixtures__/wire.ts";

const order: OrderRequest = {
  offerId: wireOffer.id,
  services: [],
  bookingId: "bkg_1",
  totalAmount: "354.20",
  totalCurrency: "USD",
  passengers: [
    {
      id: "pas_1",
      title: "ms",
      gender: "f",
      givenName: "Ada",
      familyName: "Lovelace",
      bornOn: "1990-12-10",
      email: "ada@example.test",
      phoneNumber: "+442071234567",
      customerUserId: "icu_1",
      loyaltyAccounts: [{ airlineIataCode: "BA", accountNumber: "12345678" }],
      identityDocument: { number: "123456789", issuingCountryIso2: "GB", expiresOn: "2032-01-01" },
    },
  ],
};

test("a hold sends the travelers and our booking id, and no payment", async () => {
  await using duffel = await startDuffel(() => ({ status: 201, json: { data: wireOrder } }));
  expect(await duffel.flights.holdOrder(order)).toEqual({
    id: "ord_1",
    pnr: "ZZ7K2Q",
    offerId: wireOffer.id,
    bookingId: "bkg_1",
    totalAmount: "354.20",
    totalCurrency: "USD",
    paid: false,
    cancelled: false,
    ticketed: false,
    creditAppliedAmount: null,
    services: [],
    slices: [],
    conditions: { refundBeforeDeparture: null, changeBeforeDeparture: null },
    passengers: [],
    voidWindowEndsAt: null,
    tickets: [],
    paymentRequiredBy: "2026-11-23T10:00:00Z",
    priceGuaranteeExpiresAt: null,
  });
  expect(duffel.requests.map((request) => request.body)).toEqual([
    {
      data: {
        type: "hold",
        selected_offers: [wireOffer.id],
        metadata: { booking_id: "bkg_1" },
        users: ["icu_1"],
        passengers: [
          {
            id: "pas_1",
            title: "ms",
            gender: "f",
            given_name: "Ada",
            family_name: "Lovelace",
            born_on: "1990-12-10",
            email: "ada@example.test",
            phone_number: "+442071234567",
            user_id: "icu_1",
            loyalty_programme_accounts: [{ airline_iata_code: "BA", account_number: "12345678" }],
            identity_documents: [
              {
                type: "passport",
                unique_identifier: "123456789",
                issuing_country_code: "GB",
                expires_on: "2032-01-01",
              },
            ],
          },
        ],
      },
    },
  ]);
});

const paidOrder = {
  ...wireOrder,
  documents: [{ type: "electronic_ticket", unique_identifier: "999-1", passenger_ids: ["pas_1"] }],
  payment_status: { awaiting_payment: false, paid_at: "2026-11-20T10:02:00Z", payment_required_by: null },
};

test.each([
  { credit: "100.00", total: "354.20", payment: [{ type: "balance", amount: "254.20", currency: "USD" }] },
  { credit: "500.00", total: "354.20", payment: [] },
  { credit: "354.20", total: "354.20", payment: [] },
])(
  "a credit of $credit against $total leaves the rest to the balance, and what it covered is read back",
  async ({ credit, total, payment }) => {
    await using duffel = await startDuffel((request) => {
      if (request.path === "/air/airline_credits/acd_1") {
        return {
          status: 200,
          json: { data: { id: "acd_1", airline_iata_code: "BA", credit_amount: credit, credit_currency: "USD" } },
        };
      }
      if (request.path === "/air/payments") {
        const payments = [
          { id: "pay_1", type: "airline_credit", amount: "99.50", currency: "USD", status: "succeeded" },
          { id: "pay_2", type: "balance", amount: "254.70", currency: "USD", status: "succeeded" },
          { id: "pay_3", type: "airline_credit", amount: "1.00", currency: "USD", status: "failed" },
        ];
        return { status: 200, json: { data: payments, meta: null } };
      }
      return { status: 201, json: { data: paidOrder } };
    });
    const made = await duffel.flights.instantOrder({
      ...order,
      totalAmount: total,
      airlineCreditId: "acd_1",
      mostFromBalance: "254.20",
    });
    expect(made).toMatchObject({ paid: true, ticketed: true, creditAppliedAmount: "99.50" });
    const sent = duffel.requests.find((request) => request.method === "POST");
    expect(sent?.body).toMatchObject({
      data: { type: "instant", payments: [{ type: "airline_credit", airline_credit_id: "acd_1" }, ...payment] },
    });
  },
);

test("if the supplier lists no payments by credit, the credit covered what the balance did not pay", async () => {
  const acd = { id: "acd_1", airline_iata_code: "BA", credit_amount: "100.00", credit_currency: "USD" };
  let listed: unknown[] = [];
  await using duffel = await startDuffel(({ method, path }) => {
    if (path === "/air/payments") return { status: 200, json: { data: listed, meta: null } };
    return method === "GET" ? { status: 200, json: { data: acd } } : { status: 201, json: { data: paidOrder } };
  });
  const byCredit = { ...order, airlineCreditId: "acd_1", mostFromBalance: "254.20" };
  expect((await duffel.flights.instantOrder(byCredit)).creditAppliedAmount).toBe("100.00");
  listed = [{ id: "pay_2", type: "balance", amount: "254.20", currency: "USD", status: "succeeded" }];
  expect((await duffel.flights.instantOrder(byCredit)).creditAppliedAmount).toBe("100.00");
  acd.credit_amount = "900.00";
  expect((await duffel.flights.instantOrder(byCredit)).creditAppliedAmount).toBe("354.20");
});

test("a credit that is spent, expired, in another currency, worth less than expected or unknown is refused before anything is sent", async () => {
  const good = { id: "acd_1", airline_iata_code: "BA", credit_amount: "100.00", credit_currency: "USD" };
  let credit: object | undefined;
  await using duffel = await startDuffel(() =>
    credit === undefined ? { status: 404, json: { errors: [] } } : { status: 200, json: { data: credit } },
  );
  const refused = [
    { ...good, spent_at: "2026-11-01T00:00:00Z" },
    { ...good, invalidated_at: "2026-11-01T00:00:00Z" },
    { ...good, expires_at: "2026-11-19" },
    { ...good, credit_currency: "EUR" },
    { ...good, credit_amount: "99.99" },
    undefined,
  ];
  for (credit of refused) {
    await expect(
      duffel.flights.instantOrder({ ...order, airlineCreditId: "acd_1", mostFromBalance: "254.20" }),
    ).rejects.toMatchObject({
      code: "credit_not_applicable",
    });
  }
  expect(duffel.requests.filter((request) => request.method === "POST")).toEqual([]);
  expect(await duffel.flights.getAirlineCredit("acd_1")).toBeUndefined();
  credit = { ...good, expires_at: "2026-11-20", user_id: "icu_1" };
  expect(await duffel.flights.getAirlineCredit("acd_1")).toEqual({
    id: "acd_1",
    airlineIataCode: "BA",
    amount: "100.00",
    currency: "USD",
    customerUserId: "icu_1",
    usable: true,
  });
});

test("the look-up by booking reads every page of the offer's orders and keeps ours", async () => {
  await using duffel = await startDuffel((request) => {
    if (request.path === "/air/payments") return { status: 200, json: { data: [], meta: null } };
    const other = { ...wireOrder, id: "ord_other", metadata: { booking_id: "bkg_2" } };
    const foreign = { id: "ord_foreign", metadata: {} };
    return request.query.after === "page2"
      ? { status: 200, json: { data: [paidOrder, foreign], meta: { limit: 200, after: null, before: null } } }
      : { status: 200, json: { data: [other], meta: { limit: 200, after: "page2", before: null } } };
  });
  const found = await duffel.flights.findOrdersByBooking(wireOffer.id, "bkg_1");
  expect(found.map((one) => [one.id, one.paid, one.ticketed])).toEqual([["ord_1", true, true]]);
  const lists = duffel.requests.filter((request) => request.path === "/air/orders");
  expect(lists.map((request) => request.query)).toEqual([
    { offer_id: wireOffer.id, limit: "200" },
    { offer_id: wireOffer.id, limit: "200", after: "page2" },
  ]);
});

test("an unreadable order of ours is not reported as missing", async () => {
  const unreadable = { id: "ord_1", metadata: { booking_id: "bkg_1" } };
  await using duffel = await startDuffel(() => ({ status: 200, json: { data: [unreadable], meta: null } }));
  await expect(duffel.flights.findOrdersByBooking(wireOffer.id, "bkg_1")).rejects.toMatchObject({
    code: "provider_unavailable",
  });
});

test("an endless list of orders is not reported as empty", async () => {
  const page = { data: Array.from({ length: 200 }, () => ({ id: "ord_of_others" })), meta: { after: "more" } };
  await using duffel = await startDuffel(() => ({ status: 200, json: page }));
  await expect(duffel.flights.findOrdersByBooking(wireOffer.id, "bkg_1")).rejects.toMatchObject({
    code: "provider_unavailable",
  });
});

test("a lapsed hold does not count as a paid order", async () => {
  const lapsed = { ...wireOrder, payment_status: { awaiting_payment: false, paid_at: null } };
  await using duffel = await startDuffel(() => ({ status: 200, json: { data: lapsed } }));
  expect(await duffel.flights.getOrder("ord_1")).toMatchObject({ paid: false, ticketed: false });
});

test("undoing a hold quotes and confirms; a paid order is left alone and a cancelled one needs nothing", async () => {
  let current: object = wireOrder;
  let refund = "0.00";
  await using duffel = await startDuffel((request) =>
    request.method === "GET"
      ? { status: 200, json: { data: current } }
      : { status: 200, json: { data: { id: "ore_1", order_id: "ord_1", refund_amount: refund } } },
  );
  const posts = () => duffel.requests.filter((request) => request.method === "POST").map((request) => request.path);
  await duffel.flights.cancelUnpaidOrder("ord_1");
  expect(posts()).toEqual(["/air/order_cancellations", "/air/order_cancellations/ore_1/actions/confirm"]);

  refund = "354.20";
  await expect(duffel.flights.cancelUnpaidOrder("ord_1")).rejects.toMatchObject({ code: "booking_rejected" });
  expect(posts()).toHaveLength(3);
  current = { ...wireOrder, documents: paidOrder.documents };
  await expect(duffel.flights.cancelUnpaidOrder("ord_1")).rejects.toMatchObject({ code: "booking_rejected" });
  current = { ...wireOrder, cancelled_at: "2026-11-20T11:00:00Z" };
  await duffel.flights.cancelUnpaidOrder("ord_1");
  expect(posts()).toHaveLength(3);
});

test("customers are found by e-mail address ignoring case, created and changed", async () => {
  const wire = { id: "icu_1", email: "Ada@Example.test", given_name: "Ada", family_name: "L", phone_number: null };
  await using duffel = await startDuffel((request) =>
    request.method === "GET"
      ? request.path === "/identity/customer/users"
        ? { status: 200, json: { data: [{ ...wire, id: "icu_0", email: "other@example.test" }, wire], meta: null } }
        : { status: 200, json: { data: { ...wire, group: { id: "usg_1", name: "Ours" } } } }
      : { status: 200, json: { data: wire } },
  );
  const ada = { id: "icu_1", email: "Ada@Example.test", givenName: "Ada", familyName: "L", phoneNumber: null };
  expect(await duffel.flights.findCustomersByEmail("ada@example.test")).toEqual([ada]);
  expect(await duffel.flights.findCustomersByEmail("nobody@example.test")).toEqual([]);
  const { id, ...customer } = ada;
  expect(await duffel.flights.createCustomer(customer)).toEqual(ada);
  expect(await duffel.flights.updateCustomer(id, { ...customer, phoneNumber: "+442071234567" })).toEqual(ada);
  expect(duffel.requests.at(-1)).toMatchObject({
    method: "PUT",
    path: "/identity/customer/users/icu_1",
    body: { data: { given_name: "Ada", phone_number: "+442071234567", group_id: "usg_1" } },
  });
});

test("bags of an order are read and added at their exact price, and returned with the order", async () => {
  const bag = {
    id: "ase_9",
    type: "baggage",
    maximum_quantity: 1,
    passenger_ids: ["pas_1"],
    segment_ids: ["seg_1"],
    total_amount: "35.00",
    total_currency: "USD",
    metadata: { type: "checked", maximum_weight_kg: 23 },
  };
  const booked = { ...bag, id: "ser_1", quantity: 1 };
  await using duffel = await startDuffel(({ method }) =>
    method === "GET"
      ? { status: 200, json: { data: [bag, { ...bag, total_amount: "x" }, { id: "ase_8", type: "seat" }] } }
      : { status: 200, json: { data: { ...paidOrder, services: [booked] } } },
  );
  const listed = await duffel.flights.listOrderBags("ord_1");
  expect(listed).toEqual([
    {
      id: "ase_9",
      kind: "checked",
      maximumQuantity: 1,
      maximumWeightKilograms: 23,
      passengerIds: ["pas_1"],
      segmentIds: ["seg_1"],
      totalAmount: "35.00",
      totalCurrency: "USD",
    },
  ]);
  const payment = { amount: "35.00", currency: "USD" };
  const order = await duffel.flights.addBags("ord_1", [{ id: "ase_9", quantity: 1 }], payment);
  expect(order).toMatchObject({ id: "ord_1", paid: true, services: [{ id: "ser_1", kind: "bag", quantity: 1 }] });
  expect(duffel.requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
    { method: "GET", path: "/air/orders/ord_1/available_services", body: undefined },
    {
      method: "POST",
      path: "/air/orders/ord_1/services",
      body: {
        data: { payment: { type: "balance", ...payment }, add_services: [{ id: "ase_9", quantity: 1 }] },
      },
    },
  ]);
});
