import { expect, test } from "vitest";
import { startDuffel } from "../../../../test/support/duffel-harness.ts";
import type { OrderRequest } from "../../../ports/supplier/flights.ts";
import { richOrder } from "../__fixtures__/rich.ts";
import {
  wireBag,
  wireCancellation,
  wireChange,
  wireChangeOffer,
  wireChangeRequest,
  wireCredit,
  wireOrderDetails,
  wireSeatMap,
} from "../__fixtures__/servicing.ts";
import { wireOffer, wireOrder } from "../__fixtures__/wire.ts";

/** Flight requests after the search, over the wire: what is sent, and how the answers are mapped. */

const offerWithServices = (services: unknown) => ({ ...wireOffer, available_services: services });
const ancillaries = (services: unknown, maps: unknown) => (request: { path: string }) =>
  request.path === "/air/seat_maps"
    ? { status: 200, json: { data: maps } }
    : { status: 200, json: { data: offerWithServices(services) } };

test("bags and free seats of an offer, seats with their cabin position and the cheapest first", async () => {
  const insurance = { id: "ase_any", type: "cancel_for_any_reason", total_amount: "9.00", total_currency: "USD" };
  const cabinBag = { ...wireBag, id: "ase_cabin", metadata: { type: "carry_on", maximum_weight_kg: null } };
  await using duffel = await startDuffel(ancillaries([wireBag, insurance, cabinBag], [wireSeatMap]));
  const found = await duffel.flightServicing.listAncillaries("off_1");
  expect(found.hasSeatMap).toBe(true);
  expect(found.bags).toEqual([
    {
      id: "ase_bag",
      kind: "checked",
      maximumQuantity: 2,
      maximumWeightKilograms: 23,
      passengerIds: ["pas_1"],
      segmentIds: ["seg_1"],
      totalAmount: "30.00",
      totalCurrency: "USD",
    },
    expect.objectContaining({ id: "ase_cabin", kind: "carry_on", maximumWeightKilograms: null }),
  ]);
  expect(found.seats.map((seat) => [seat.designator, seat.position, seat.isExitRow, seat.totalAmount])).toEqual([
    ["14E", "window", true, "9.50"],
    ["15A", "window", false, "20.00"],
    ["14B", "middle", true, "25.00"],
    ["14C", "aisle", true, "35.00"],
    ["14A", "window", true, "40.00"],
  ]);
  expect(found.seats.map(({ airlineSays }) => airlineSays)).toEqual([[], ["No children"], [], ["Extra legroom"], []]);
  expect(found.seats[0]).toMatchObject({
    id: "ase_14E",
    passengerId: "pas_1",
    segmentId: "seg_1",
    cabinClass: "economy",
  });
  expect(duffel.requests.map(({ path, query }) => [path, query]).sort()).toEqual([
    ["/air/offers/off_1", { return_available_services: "true" }],
    ["/air/seat_maps", { offer_id: "off_1" }],
  ]);
});

test("an airline without a seat map, and an unreadable seat", async () => {
  await using bare = await startDuffel(ancillaries(null, []));
  expect(await bare.flightServicing.listAncillaries("off_1")).toEqual({ bags: [], seats: [], hasSeatMap: false });

  const [cabin] = wireSeatMap.cabins;
  const bent = { type: "seat", designator: null, available_services: [] };
  const service = { id: "ase_1A", passenger_id: "pas_1", total_amount: "1.00", total_currency: "USD" };
  const atDoor = { type: "seat", designator: "1A", available_services: [service] };
  const rows = [{ sections: [{ elements: [{ type: "exit_row" }, bent, atDoor] }] }, ...(cabin?.rows ?? [])];
  await using odd = await startDuffel(
    ancillaries([{ ...wireBag, total_amount: "x" }, wireBag], [{ ...wireSeatMap, cabins: [{ ...cabin, rows }] }]),
  );
  const found = await odd.flightServicing.listAncillaries("off_1");
  expect([found.bags.length, found.seats.length]).toEqual([1, 6]);
  expect(found.seats[0]).toMatchObject({ designator: "1A", isExitRow: true });
  expect(odd.lines.map(({ fields }) => fields)).toEqual([{ left: 2 }]);
});

test("services are priced by the supplier's price for each", async () => {
  await using duffel = await startDuffel(ancillaries([wireBag], [wireSeatMap]));
  const { priceServices } = duffel.flightServicing;
  const wanted = [
    { id: "ase_bag", quantity: 2 },
    { id: "ase_14E", quantity: 1 },
  ];
  expect(await priceServices("off_1", wanted)).toEqual({
    servicesAmount: "69.50",
    totalAmount: "423.70",
    totalCurrency: "USD",
    services: [
      {
        id: "ase_bag",
        quantity: 2,
        kind: "bag",
        totalAmount: "60.00",
        eachAmount: "30.00",
        bag: { kind: "checked", maximumWeightKilograms: 23 },
        passengerIds: ["pas_1"],
        segmentIds: ["seg_1"],
      },
      {
        id: "ase_14E",
        quantity: 1,
        kind: "seat",
        totalAmount: "9.50",
        eachAmount: "9.50",
        bag: null,
        passengerIds: ["pas_1"],
        segmentIds: ["seg_1"],
      },
    ],
  });
  expect(await priceServices("off_1", [])).toMatchObject({ servicesAmount: "0.00", totalAmount: "354.20" });
  const refused = [
    [{ id: "ase_nowhere", quantity: 1 }],
    [{ id: "ase_bag", quantity: 3 }],
    [{ id: "ase_14E", quantity: 2 }],
    [...wanted, { id: "ase_bag", quantity: 1 }],
    // The same passenger on the same segment.
    [...wanted, { id: "ase_14A", quantity: 1 }],
  ];
  for (const services of refused) {
    await expect(priceServices("off_1", services)).rejects.toMatchObject({ code: "service_not_available" });
  }
});

const order: OrderRequest = {
  offerId: wireOffer.id,
  bookingId: "bkg_1",
  passengers: [],
  services: [{ id: "ase_bag", quantity: 2 }],
  totalAmount: "414.20",
  totalCurrency: "USD",
};
const paid = { ...wireOrder, payment_status: { paid_at: "2026-11-20T10:02:00Z" } };

test("an order with services is paid at once, with a credit and the balance; a hold with services is refused before sending", async () => {
  const credit = wireCredit("acd_1", "icu_1", "2026-11-01T10:00:00Z");
  await using duffel = await startDuffel((request) => {
    if (request.method === "POST") return { status: 201, json: { data: paid } };
    return { status: 200, json: { data: request.path.includes("credits") ? credit : [] } };
  });
  await expect(duffel.flights.holdOrder(order)).rejects.toMatchObject({ code: "hold_not_available" });
  expect(duffel.requests).toHaveLength(0);
  await duffel.flights.instantOrder(order);
  await duffel.flights.instantOrder({ ...order, airlineCreditId: "acd_1", mostFromBalance: "294.20" });
  const sent = duffel.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
  const services = [{ id: "ase_bag", quantity: 2 }];
  expect(sent).toMatchObject([
    { data: { type: "instant", services, payments: [{ type: "balance", amount: "414.20", currency: "USD" }] } },
    {
      data: {
        services,
        payments: [
          { type: "airline_credit", airline_credit_id: "acd_1" },
          { type: "balance", amount: "294.20", currency: "USD" },
        ],
      },
    },
  ]);
  await duffel.flights.instantOrder({ ...order, services: [] });
  expect(duffel.requests.at(-1)?.body).not.toHaveProperty("data.services");
});

test("all fields of an order", async () => {
  await using duffel = await startDuffel(() => ({ status: 200, json: { data: richOrder } }));
  const flight = { flightNumber: "BA117", origin: "LHR", destination: "JFK" };
  const flights = [{ ...flight, departingAt: "2027-01-19T11:20:00", arrivingAt: "2027-01-19T14:25:00" }];
  const booked = { quantity: 1, passengerIds: ["pas_1"], segmentIds: ["seg_1"], totalCurrency: "USD" };
  const segment = {
    stops: [
      {
        airport: "JFK",
        arrivingAt: "2027-01-19T12:20:00",
        departingAt: "2027-01-19T13:05:00",
        durationMinutes: 45,
      },
    ],
    passengers: [
      { passengerId: "pas_1", cabinClass: "economy", baggage: [{ type: "checked", quantity: 1 }], seat: "14B" },
    ],
  };
  expect(await duffel.flightServicing.getOrderDetails("ord_1")).toEqual({
    id: "ord_1",
    pnr: "ZZ7K2Q",
    bookingId: "bkg_1",
    owner: { iataCode: "BA", name: "British Airways" },
    totalAmount: "354.20",
    totalCurrency: "USD",
    paid: true,
    cancelledAt: null,
    ticketed: true,
    documents: [{ type: "electronic_ticket", number: "000-1234567890", passengerIds: ["pas_1"] }],
    slices: [
      expect.objectContaining({
        id: "sli_1",
        origin: "LHR",
        destination: "JFK",
        durationMinutes: 485,
        changeBeforeDeparture: null,
        segments: [expect.objectContaining(segment)],
      }),
    ],
    passengers: [{ id: "pas_1", givenName: "Ada", familyName: "Lovelace" }],
    services: [
      { id: "ser_1", kind: "bag", ...booked, designator: null, maximumWeightKilograms: 23, totalAmount: "30.00" },
      { id: "ser_2", kind: "seat", ...booked, designator: "14B", maximumWeightKilograms: null, totalAmount: "15.00" },
    ],
    voidWindowEndsAt: "2026-11-21T10:02:00Z",
    conditions: {
      refundBeforeDeparture: { allowed: true, penaltyAmount: "100.00", penaltyCurrency: "USD" },
      changeBeforeDeparture: null,
    },
    airlineChanges: [
      { id: "aic_1", detectedAt: "2026-11-20T11:00:00Z", actionTaken: null, removed: flights, added: flights },
    ],
    availableActions: ["cancel", "change"],
  });
  const cancelled = { ...wireOrderDetails, cancellation: { confirmed_at: "2026-11-20T12:00:00Z" } };
  await using ended = await startDuffel(() => ({ status: 200, json: { data: cancelled } }));
  expect((await ended.flightServicing.getOrderDetails("ord_1")).cancelledAt).toBe("2026-11-20T12:00:00Z");
});

test("a cancellation is quoted, read and confirmed", async () => {
  const confirmedAt = "2026-11-20T10:05:00Z";
  await using duffel = await startDuffel((request) => ({
    status: 200,
    json: {
      data: request.path.endsWith("/confirm") ? { ...wireCancellation, confirmed_at: confirmedAt } : wireCancellation,
    },
  }));
  const { quoteCancellation, getCancellation, confirmCancellation } = duffel.flightServicing;
  const quote = await quoteCancellation("ord_1");
  expect(quote).toEqual({
    id: "ore_1",
    orderId: "ord_1",
    refundAmount: "254.20",
    refundCurrency: "USD",
    refundTo: "balance",
    credits: [
      { id: "acd_9", airlineIataCode: null, amount: "50.00", currency: "USD", code: null, passengerId: "pas_1" },
    ],
    expiresAt: "2026-11-20T10:30:00Z",
    confirmedAt: null,
  });
  expect(await getCancellation("ore_1")).toEqual(quote);
  expect(await confirmCancellation("ore_1")).toEqual({ ...quote, confirmedAt });
  expect(duffel.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["POST", "/air/order_cancellations", { data: { order_id: "ord_1" } }],
    ["GET", "/air/order_cancellations/ore_1", undefined],
    ["POST", "/air/order_cancellations/ore_1/actions/confirm", { data: {} }],
  ]);
});

test("a change is requested, selected, paid from the operator's balance and confirmed", async () => {
  const confirmed = { ...wireChange, confirmed_at: "2026-11-20T10:05:00Z" };
  const answers: Record<string, unknown> = {
    "/air/order_change_requests": wireChangeRequest,
    "/air/order_change_offers/oco_1": wireChangeOffer,
    "/air/order_changes": wireChange,
    "/air/order_changes/oce_1": wireChange,
    "/air/order_changes/oce_1/actions/confirm": confirmed,
  };
  await using duffel = await startDuffel(({ path }) => ({ status: 200, json: { data: answers[path] } }));
  const servicing = duffel.flightServicing;
  const slice = { origin: "LHR", destination: "JFK", departureDate: "2027-02-01" };
  const add = [{ ...slice, cabinClass: "business" }, slice];
  const request = await servicing.requestChange("ord_1", { add, remove: [{ sliceId: "sli_1" }] });
  expect(request).toMatchObject({ id: "ocr_1", orderId: "ord_1" });
  expect(request.offers).toEqual([
    {
      id: "oco_1",
      changeTotalAmount: "-12.30",
      changeTotalCurrency: "USD",
      penaltyAmount: "20.00",
      penaltyCurrency: "USD",
      refundTo: "original_form_of_payment",
      expiresAt: "2026-11-20T10:30:00Z",
      slices: { add: [expect.objectContaining({ id: "sli_1" })], remove: [expect.objectContaining({ id: "sli_1" })] },
    },
  ]);
  expect(await servicing.getChangeOffer("oco_1")).toEqual({ ...request.offers[0], orderId: null });
  const change = await servicing.selectChangeOffer("oco_1");
  expect(change).toMatchObject({ id: "oce_1", orderId: "ord_1", changeTotalAmount: "-12.30", confirmedAt: null });
  expect(await servicing.getChange("oce_1")).toEqual(change);
  const payment = { amount: "40.00", currency: "USD" };
  expect((await servicing.confirmChange("oce_1", payment)).confirmedAt).toBe(confirmed.confirmed_at);
  await servicing.confirmChange("oce_1", undefined);
  expect(duffel.requests.filter(({ method }) => method === "POST").map(({ body }) => body)).toEqual([
    {
      data: {
        order_id: "ord_1",
        slices: {
          add: [
            { origin: "LHR", destination: "JFK", departure_date: "2027-02-01", cabin_class: "business" },
            { origin: "LHR", destination: "JFK", departure_date: "2027-02-01" },
          ],
          remove: [{ slice_id: "sli_1" }],
        },
      },
    },
    { data: { selected_order_change_offer: "oco_1" } },
    { data: { payment: { type: "balance", ...payment } } },
    { data: {} },
  ]);
});

test("unreadable change offers are skipped; the other name of the penalty is understood", async () => {
  const { penalty_total_amount, penalty_total_currency, ...plain } = wireChangeOffer;
  const renamed = { ...plain, penalty_amount: penalty_total_amount, penalty_currency: penalty_total_currency };
  let offers: unknown[] = [{ ...wireChangeOffer, change_total_amount: "--1" }, renamed];
  await using duffel = await startDuffel(() => ({
    status: 201,
    json: { data: { ...wireChangeRequest, order_change_offers: offers } },
  }));
  const wanted = { add: [], remove: [] };
  const found = await duffel.flightServicing.requestChange("ord_1", wanted);
  expect(found.offers.map(({ penaltyAmount }) => penaltyAmount)).toEqual(["20.00"]);
  offers = [];
  expect((await duffel.flightServicing.requestChange("ord_1", wanted)).offers).toEqual([]);
  offers = [{}];
  const nothing = duffel.flightServicing.requestChange("ord_1", wanted);
  await expect(nothing).rejects.toMatchObject({ code: "provider_unavailable" });
});

test("a customer's credits over all pages, newest first, and no other customer's", async () => {
  const pages = [
    [
      wireCredit("acd_old", "icu_1", "2026-01-01T00:00:00Z", { expires_at: "2026-11-19" }),
      wireCredit("acd_theirs", "icu_2", "2026-10-01T00:00:00Z"),
      { id: "acd_bent" },
    ],
    [
      wireCredit("acd_new", "icu_1", "2026-11-01T00:00:00Z"),
      wireCredit("acd_spent", "icu_1", "2026-06-01T00:00:00Z", { spent_at: "2026-07-01T00:00:00Z" }),
    ],
  ];
  await using duffel = await startDuffel(({ query }) => ({
    status: 200,
    json: { data: pages[query.after === undefined ? 0 : 1], meta: { after: query.after === undefined ? "p2" : null } },
  }));
  const found = await duffel.flightServicing.listAirlineCredits("icu_1", 10);
  expect(found.map(({ id, usable }) => [id, usable])).toEqual([
    ["acd_new", true],
    ["acd_spent", false],
    ["acd_old", false],
  ]);
  expect(found[0]).toEqual({
    id: "acd_new",
    airlineIataCode: "BA",
    amount: "120.00",
    currency: "USD",
    code: "BA123",
    name: "British Airways travel credit",
    customerUserId: "icu_1",
    orderId: "ord_1",
    issuedOn: "2026-11-01",
    expiresAt: "2027-11-01",
    spentAt: null,
    invalidatedAt: null,
    usable: true,
  });
  expect(duffel.requests.map(({ query }) => query)).toMatchObject([{ user_id: "icu_1" }, { after: "p2" }]);
  expect(await duffel.flightServicing.listAirlineCredits("icu_1", 1)).toHaveLength(1);
});

const payment = (status: string | null, amount: string, type = "balance") => ({
  id: `pay_${amount}`,
  type,
  amount,
  status,
});
test.each([
  ["failed", [payment("failed", "90.50")], "90.50"],
  [
    "cancelled, beside a credit",
    [payment("cancelled", "90.50"), payment("succeeded", "10.00", "airline_credit")],
    "90.50",
  ],
  ["tried twice", [payment("failed", "90.50"), payment("succeeded", "90.51")], null],
  ["still on its way", [payment("pending", "90.50")], null],
  ["without a status", [payment(null, "90.50")], null],
  ["by a credit alone", [payment("failed", "90.50", "airline_credit")], null],
  ["never", [], null],
])("what the balance paid is given back only when none of it was taken: %s", async (_, payments, returned) => {
  await using duffel = await startDuffel(() => ({ status: 200, json: { data: payments, meta: null } }));
  expect(await duffel.flightServicing.getReturnedPayment("ord_1")).toBe(returned);
  expect(duffel.requests.map(({ path }) => path)).toEqual(["/air/payments"]);
});
