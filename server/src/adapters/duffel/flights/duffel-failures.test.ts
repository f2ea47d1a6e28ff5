import { inspect } from "node:util";
import { expect, test } from "vitest";
import { DEAD_PORT } from "../../../../test/support/dead-port.ts";
import { duffelAt, startDuffel, startSilentDuffel } from "../../../../test/support/duffel-harness.ts";
import type { Answer } from "../../../../test/support/scripted-server.ts";
import { Failure } from "../../../domain/errors.ts";
import type { FlightSearch, Flights, OrderRequest } from "../../../ports/supplier/flights.ts";
import { wireError, wireOffer, wireOrder } from "../__fixtures__/wire.ts";

const CANARY = "canary-7f3a supplier says no";

const query: FlightSearch = {
  origin: "LHR",
  destination: "JFK",
  departureDate: "2027-01-19",
  cabinClass: "economy",
  passengers: [{ loyaltyAccounts: [] }],
  privateFares: {},
  airlineCreditIds: [],
};
const order: OrderRequest = {
  offerId: wireOffer.id,
  bookingId: "bkg_1",
  totalAmount: "354.20",
  totalCurrency: "USD",
  passengers: [],
  services: [],
};

const calls = {
  search: (flights: Flights) => flights.searchOffers(query),
  getOffer: (flights: Flights) => flights.getOffer("off_1"),
  getOrder: (flights: Flights) => flights.getOrder("ord_1"),
  lookup: (flights: Flights) => flights.findOrdersByBooking("off_1", "bkg_1"),
  airports: (flights: Flights) => flights.findAirports({ text: "x" }),
  hold: (flights: Flights) => flights.holdOrder(order),
  instant: (flights: Flights) => flights.instantOrder(order),
  pay: (flights: Flights) => flights.payOrder("ord_1", "354.20", "USD"),
  listBags: (flights: Flights) => flights.listOrderBags("ord_1"),
  addBags: (flights: Flights) =>
    flights.addBags("ord_1", [{ id: "ase_1", quantity: 1 }], { amount: "35.00", currency: "USD" }),
  createCustomer: (flights: Flights) =>
    flights.createCustomer({ email: "a@example.test", givenName: "A", familyName: "B", phoneNumber: null }),
};
type CallName = keyof typeof calls;

async function requireFailure(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Failure) return error;
  throw new Error(`expected a Failure, got ${inspect(error)}`);
}

async function ask(call: CallName, answer: Answer) {
  if (answer === "hang") {
    await using silent = await startSilentDuffel();
    return { error: await requireFailure(silent.giveUp(calls[call](silent.flights))), requests: silent.requests };
  }
  await using duffel = await startDuffel(() => answer);
  return { error: await requireFailure(calls[call](duffel.flights)), requests: duffel.requests };
}

/** Callers must not see the supplier's text in a failure; the log may. */
function expectNoSupplierText(error: Failure): void {
  const visible = JSON.stringify([error.message, error.code, error.detail, error.issues, error.extra]);
  expect(visible).not.toContain("canary");
  expect(error.detail).toBeTruthy();
}

function answered(status: number, type: string, code: string | number, source?: unknown): Answer {
  return { status, json: wireError(type, code, CANARY, source) };
}

const table: [CallName, Answer, string, number][] = [
  // call, answer, our code, requests that reach the supplier
  ["search", answered(500, "api_error", "internal_server_error"), "provider_unavailable", 1],
  ["search", answered(502, "airline_error", "airline_internal"), "provider_unavailable", 1],
  ["search", answered(503, "api_error", "service_unavailable"), "provider_unavailable", 2],
  ["search", answered(504, "api_error", "gateway_timeout"), "provider_timeout", 1],
  ["search", answered(429, "rate_limit_error", "rate_limit_exceeded"), "provider_unavailable", 1],
  ["search", answered(401, "authentication_error", "access_token_not_found"), "provider_unavailable", 1],
  ["search", answered(403, "invalid_request_error", "insufficient_permissions"), "provider_unavailable", 1],
  ["search", answered(400, "invalid_request_error", "missing_version_header"), "provider_unavailable", 1],
  [
    "search",
    answered(422, "validation_error", "validation_format", { pointer: "/slices/0/origin", field: "origin" }),
    "invalid_input",
    1,
  ],
  ["search", answered(422, "validation_error", "validation_required", "iberia"), "provider_unavailable", 1],
  ["search", { status: 502, text: `<html>${CANARY}</html>` }, "provider_unavailable", 1],
  ["search", { status: 302, headers: { location: "/elsewhere" } }, "provider_unavailable", 1],
  ["search", { status: 200, text: `{"data": ${CANARY}` }, "provider_unavailable", 1],
  ["search", { status: 200, json: { data: { offers: CANARY } } }, "provider_unavailable", 1],
  ["search", { truncated: `{"data":{"offers":[` }, "provider_unavailable", 2],
  ["search", "reset", "provider_unavailable", 2],
  ["search", "hang", "provider_timeout", 1],
  ["getOffer", answered(404, "invalid_request_error", "not_found"), "offer_not_found", 1],
  ["getOffer", answered(422, "validation_error", "validation_format"), "offer_not_found", 1],
  ["getOffer", answered(422, "invalid_state_error", "offer_no_longer_available"), "offer_expired", 1],
  ["getOffer", { status: 200, json: { data: { ...wireOffer, expires_at: CANARY } } }, "provider_unavailable", 1],
  ["getOrder", answered(404, "invalid_request_error", "not_found"), "order_not_found", 1],
  ["getOrder", answered(400, "validation_error", "validation_format"), "order_not_found", 1],
  ["lookup", answered(500, "api_error", "internal_server_error"), "provider_unavailable", 1],
  ["lookup", { status: 200, json: { data: CANARY } }, "provider_unavailable", 1],
  ["airports", answered(422, "validation_error", "validation_length"), "provider_unavailable", 1],
  ["hold", answered(422, "invalid_state_error", "offer_no_longer_available"), "offer_expired", 1],
  ["hold", answered(422, "invalid_state_error", "offer_expired"), "offer_expired", 1],
  ["hold", answered(422, "validation_error", "price_changed"), "price_changed", 1],
  ["hold", answered(422, "invalid_state_error", "invalid_order_create_type"), "hold_not_available", 1],
  ["hold", answered(404, "invalid_request_error", "not_found"), "offer_not_found", 1],
  [
    "hold",
    answered(422, "validation_error", "validation_format", { pointer: "/passengers/0/born_on" }),
    "booking_rejected",
    1,
  ],
  [
    "hold",
    answered(422, "validation_error", "validation_format", { pointer: "/services/0" }),
    "service_not_available",
    1,
  ],
  ["hold", answered(422, "airline_error", "airline_unknown", "iberia"), "outcome_unknown", 1],
  ["hold", answered(422, "airline_error", 7001), "outcome_unknown", 1],
  // As recorded: with the status of a refused token.
  ["hold", answered(401, "airline_error", "airline_unknown", "iberia"), "outcome_unknown", 1],
  ["instant", answered(403, "airline_error", 7001), "outcome_unknown", 1],
  ["search", answered(401, "airline_error", "airline_unknown", "iberia"), "provider_unavailable", 1],
  ["hold", answered(422, "invalid_request_error", 7001), "booking_rejected", 1],
  ["hold", { status: 403, text: "Feature not enabled" }, "provider_unavailable", 1],
  ["search", answered(422, "airline_error", "airline_unknown"), "provider_unavailable", 1],
  ["hold", answered(422, "airline_error", "duplicate_booking"), "booking_rejected", 1],
  [
    "hold",
    answered(422, "validation_error", "validation_inclusion", { field: "0", pointer: "/selected_offers/0" }),
    "offer_not_found",
    1,
  ],
  ["hold", { status: 409, text: `<html>${CANARY}</html>` }, "booking_rejected", 1],
  ["hold", answered(401, "authentication_error", "expired_access_token"), "provider_unavailable", 1],
  ["hold", answered(429, "rate_limit_error", "rate_limit_exceeded"), "provider_unavailable", 1],
  ["hold", answered(503, "api_error", "service_unavailable"), "provider_unavailable", 1],
  ["hold", answered(502, "api_error", "order_not_created"), "provider_unavailable", 1],
  ["hold", answered(502, "airline_error", "airline_internal"), "outcome_unknown", 1],
  ["hold", answered(500, "api_error", "internal_server_error"), "outcome_unknown", 1],
  ["hold", answered(504, "api_error", "gateway_timeout"), "outcome_unknown", 1],
  ["hold", { status: 408, text: CANARY }, "outcome_unknown", 1],
  ["hold", { status: 202, json: { data: null } }, "outcome_unknown", 1],
  ["hold", { status: 202, json: { data: wireOrder } }, "outcome_unknown", 1],
  ["hold", { status: 204 }, "outcome_unknown", 1],
  ["hold", { status: 307, headers: { location: "/air/orders" } }, "outcome_unknown", 1],
  ["hold", { status: 201, text: `{"data": ${CANARY}` }, "outcome_unknown", 1],
  ["hold", { status: 201, json: { data: { ...wireOrder, id: null, note: CANARY } } }, "outcome_unknown", 1],
  ["hold", { truncated: `{"data":{"id":"ord_1"`, status: 201 }, "outcome_unknown", 1],
  ["hold", { truncated: `{"errors":[`, status: 422 }, "outcome_unknown", 1],
  ["hold", "reset", "outcome_unknown", 1],
  ["hold", "hang", "outcome_unknown", 1],
  ["instant", answered(422, "validation_error", "payment_amount_does_not_match_offer_amount"), "price_changed", 1],
  ["instant", answered(422, "invalid_request_error", "insufficient_balance"), "provider_unavailable", 1],
  ["instant", answered(422, "validation_error", "ineligible_airline_credit"), "credit_not_applicable", 1],
  [
    "instant",
    answered(422, "validation_error", "validation_format", { pointer: "/payments/0/airline_credit_id" }),
    "credit_not_applicable",
    1,
  ],
  ["instant", "reset", "outcome_unknown", 1],
  ["pay", answered(404, "invalid_request_error", "not_found"), "order_not_found", 1],
  ["pay", answered(422, "invalid_state_error", "past_payment_required_by_date"), "offer_expired", 1],
  ["pay", answered(422, "invalid_state_error", "already_cancelled"), "booking_rejected", 1],
  ["pay", answered(422, "invalid_state_error", "schedule_changed"), "booking_rejected", 1],
  ["pay", answered(422, "validation_error", "payment_amount_does_not_match_order_amount"), "price_changed", 1],
  [
    "pay",
    { status: 200, json: { data: { id: "pay_1", type: "balance", status: "failed", failure_reason: CANARY } } },
    "booking_rejected",
    1,
  ],
  ["pay", { status: 200, json: { data: { id: "pay_1", type: "balance", status: "pending" } } }, "outcome_unknown", 1],
  ["pay", answered(500, "api_error", "internal_server_error"), "outcome_unknown", 1],
  ["pay", "hang", "outcome_unknown", 1],
  ["listBags", answered(404, "invalid_request_error", "not_found"), "order_not_found", 1],
  ["listBags", answered(503, "api_error", "service_unavailable"), "provider_unavailable", 2],
  ["listBags", { status: 200, json: { data: CANARY } }, "provider_unavailable", 1],
  ["listBags", "reset", "provider_unavailable", 2],
  ["listBags", "hang", "provider_timeout", 1],
  ["addBags", answered(404, "invalid_request_error", "not_found"), "order_not_found", 1],
  ["addBags", answered(422, "validation_error", "validation_inclusion"), "service_not_available", 1],
  ["addBags", answered(422, "invalid_state_error", "already_cancelled"), "service_not_available", 1],
  ["addBags", answered(422, "validation_error", "price_changed"), "price_changed", 1],
  ["addBags", answered(422, "validation_error", "payment_amount_does_not_match_order_amount"), "price_changed", 1],
  ["addBags", answered(422, "airline_error", "insufficient_balance"), "provider_unavailable", 1],
  ["addBags", answered(503, "api_error", "service_unavailable"), "provider_unavailable", 1],
  ["addBags", answered(422, "airline_error", "airline_unknown"), "outcome_unknown", 1],
  ["addBags", answered(500, "api_error", "internal_server_error"), "outcome_unknown", 1],
  ["addBags", { status: 202, json: { data: null } }, "outcome_unknown", 1],
  ["addBags", { status: 200, json: { data: { ...wireOrder, total_amount: CANARY } } }, "outcome_unknown", 1],
  ["addBags", { truncated: `{"data":{"id":"ord_1"`, status: 200 }, "outcome_unknown", 1],
  ["addBags", "reset", "outcome_unknown", 1],
  ["addBags", "hang", "outcome_unknown", 1],
  ["createCustomer", "reset", "provider_unavailable", 1],
  ["createCustomer", answered(422, "validation_error", "validation_format", { field: "email" }), "invalid_input", 1],
];

test.each(
  table.map(([call, answer, code, count]) => ({ call, code, count, answer, shown: inspect(answer).slice(0, 90) })),
)("$call answered with $shown is $code after $count request(s)", async ({ call, answer, code, count }) => {
  const { error, requests } = await ask(call, answer);
  expect(error.code).toBe(code);
  expectNoSupplierText(error);
  expect(requests).toHaveLength(count);
});

test.each(["search", "getOffer", "hold", "pay"] as const)(
  "%s: a refused connection means that nothing happened",
  async (call) => {
    const duffel = duffelAt(`http://127.0.0.1:${DEAD_PORT}`);
    expect((await requireFailure(calls[call](duffel.flights))).code).toBe("provider_unavailable");
    duffel.http.close();
  },
);

test("a product that the operator's account lacks is reported to the caller and in the log", async () => {
  let answer: Answer = { status: 403, text: CANARY };
  await using duffel = await startDuffel(() => answer);
  for (const call of [calls.search, calls.hold, calls.search, calls.hold]) {
    if (duffel.requests.length === 2) answer = answered(403, "invalid_request_error", "unavailable_feature");
    const error = await requireFailure(call(duffel.flights));
    expect(error.detail).toContain("has not enabled this product");
    expectNoSupplierText(error);
  }
  expect(duffel.lines.map(({ message }) => message)).toEqual(
    Array.from({ length: 4 }, () => "the supplier has not enabled this product for the configured account"),
  );
});

test("a refused search names the argument without the supplier's text", async () => {
  const source = { pointer: "/slices/0/departure_date", field: "departure_date" };
  await using duffel = await startDuffel(() => answered(422, "validation_error", "validation_inclusion", source));
  const error = await requireFailure(duffel.flights.searchOffers(query));
  expect(error.issues).toEqual([{ path: "departureDate", message: "the supplier does not accept this value" }]);
  source.field = "origin";
  source.pointer = "/slices/0/origin";
  const place = await requireFailure(duffel.flights.searchOffers(query));
  expect(place.issues).toEqual([{ path: "origin", message: expect.stringMatching(/IATA code of an airport or city/) }]);
});

test("paying a paid order succeeds; the log keeps the supplier's text, never the token", async () => {
  await using duffel = await startDuffel(() => answered(422, "invalid_state_error", "already_paid"));
  await duffel.flights.payOrder("ord_1", "354.20", "USD");
  expect(duffel.requests).toHaveLength(1);
  expect(duffel.lines.map((line) => line.fields.supplierCodes)).toEqual([["already_paid"]]);
});

test("a failure's cause has the supplier's text for the log, and never the token", async () => {
  await using duffel = await startDuffel(() => answered(401, "authentication_error", "access_token_not_found"));
  const error = await requireFailure(duffel.flights.getOffer("off_1"));
  const logged = inspect([error, duffel.lines], { depth: 10 });
  expect(logged).toContain(CANARY);
  expect(logged).not.toContain("duffel_test_token");
  expect(duffel.lines.map((line) => line.level)).toEqual(["error"]);
});

test("a busy supplier's own waiting time is passed on", async () => {
  let headers: Record<string, string> = { "ratelimit-reset": "Fri, 20 Nov 2026 10:00:42 GMT" };
  await using duffel = await startDuffel(() => ({
    status: 429,
    json: wireError("rate_limit_error", "rate_limit_exceeded", CANARY),
    headers,
  }));
  expect((await requireFailure(duffel.flights.getOffer("off_1"))).retryAfterSeconds).toBe(42);
  headers = { "retry-after": "7" };
  expect((await requireFailure(duffel.flights.holdOrder(order))).retryAfterSeconds).toBe(7);
});

test("a read is retried once and then succeeds", async () => {
  for (const fault of ["reset", { status: 503, text: "" }, { truncated: "{" }] as const) {
    await using duffel = await startDuffel((_, turn) =>
      turn === 1 ? fault : { status: 200, json: { data: wireOffer } },
    );
    expect((await duffel.flights.getOffer("off_1")).id).toBe(wireOffer.id);
    expect(duffel.requests).toHaveLength(2);
  }
});

test("every commit uses a new connection, reads share one", async () => {
  await using duffel = await startDuffel((request) =>
    request.method === "POST" ? { status: 201, json: { data: wireOrder } } : { status: 200, json: { data: wireOffer } },
  );
  await duffel.flights.getOffer("off_1");
  await duffel.flights.getOffer("off_1");
  await duffel.flights.holdOrder(order);
  await duffel.flights.holdOrder(order);
  const used = duffel.requests.map((request) => request.connection);
  expect(used[0]).toBe(used[1]);
  expect(new Set(used).size).toBe(3);
});

test("a read whose caller gives up ends at once", async () => {
  const stop = new AbortController();
  await using duffel = await startDuffel(() => {
    stop.abort(new Error("gone"));
    return "hang";
  });
  const error = await requireFailure(duffel.flights.getOffer("off_1", { signal: stop.signal }));
  expect(error.code).toBe("provider_timeout");
});

test("if a credit's share cannot be read back, the order's outcome is unknown", async () => {
  const paid = { ...wireOrder, payment_status: { paid_at: "2026-11-20T10:02:00Z" } };
  await using duffel = await startDuffel((request) => {
    if (request.method === "POST") return { status: 201, json: { data: paid } };
    if (request.path === "/air/payments") return { status: 500, text: CANARY };
    return {
      status: 200,
      json: { data: { id: "acd_1", airline_iata_code: "BA", credit_amount: "9.00", credit_currency: "USD" } },
    };
  });
  const error = await requireFailure(
    duffel.flights.instantOrder({ ...order, airlineCreditId: "acd_1", mostFromBalance: "999.00" }),
  );
  expect(error.code).toBe("outcome_unknown");
  expect(duffel.requests.filter((request) => request.method === "POST")).toHaveLength(1);
});
