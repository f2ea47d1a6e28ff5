import { inspect } from "node:util";
import { expect, test } from "vitest";
import { DEAD_PORT } from "../../../../test/support/dead-port.ts";
import { duffelAt, NOW, startDuffel, startSilentDuffel } from "../../../../test/support/duffel-harness.ts";
import type { Answer } from "../../../../test/support/scripted-server.ts";
import { Failure } from "../../../domain/errors.ts";
import {
  wireCancellation,
  wireChange,
  wireNegotiatedRate,
  wireOrderDetails,
  wireQuote,
  wireStayBooking,
} from "../__fixtures__/servicing.ts";
import { wireError } from "../__fixtures__/wire.ts";

/** Every servicing failure at the supplier, with the code that callers get for it. */

const CANARY = "canary-91cc supplier says no";
type Duffel = Pick<ReturnType<typeof duffelAt>, "flightServicing" | "stayBookings">;

const booking = {
  quoteId: "quo_1",
  bookingId: "bkg_1",
  email: "a@example.test",
  phoneNumber: "+442071234567",
  guests: [],
  customerUserIds: [],
};
const slices = {
  add: [{ origin: "LHR", destination: "JFK", departureDate: "2027-02-01" }],
  remove: [{ sliceId: "sli_1" }],
};

const reads = {
  ancillaries: ({ flightServicing }: Duffel) => flightServicing.listAncillaries("off_1"),
  price: ({ flightServicing }: Duffel) => flightServicing.priceServices("off_1", []),
  order: ({ flightServicing }: Duffel) => flightServicing.getOrderDetails("ord_1"),
  quote: ({ flightServicing }: Duffel) => flightServicing.quoteCancellation("ord_1"),
  cancellation: ({ flightServicing }: Duffel) => flightServicing.getCancellation("ore_1"),
  request: ({ flightServicing }: Duffel) => flightServicing.requestChange("ord_1", slices),
  changeOffer: ({ flightServicing }: Duffel) => flightServicing.getChangeOffer("oco_1"),
  select: ({ flightServicing }: Duffel) => flightServicing.selectChangeOffer("oco_1"),
  change: ({ flightServicing }: Duffel) => flightServicing.getChange("oce_1"),
  credits: ({ flightServicing }: Duffel) => flightServicing.listAirlineCredits("icu_1", 5),
  quoteStay: ({ stayBookings }: Duffel) => stayBookings.quoteStay("rat_1"),
  stayQuote: ({ stayBookings }: Duffel) => stayBookings.getQuote("quo_1"),
  stay: ({ stayBookings }: Duffel) => stayBookings.getStay("bok_1"),
  findStays: ({ stayBookings }: Duffel) => stayBookings.findStaysByBooking("bkg_1", NOW),
  updateRate: ({ stayBookings }: Duffel) => stayBookings.updateNegotiatedRate("nre_1", { displayName: "x" }),
  deleteRate: ({ stayBookings }: Duffel) => stayBookings.deleteNegotiatedRate("nre_1"),
};
const commits = {
  confirmCancellation: ({ flightServicing }: Duffel) => flightServicing.confirmCancellation("ore_1"),
  confirmChange: ({ flightServicing }: Duffel) =>
    flightServicing.confirmChange("oce_1", { amount: "10.00", currency: "USD" }),
  bookStay: ({ stayBookings }: Duffel) => stayBookings.bookStay(booking),
  cancelStay: ({ stayBookings }: Duffel) => stayBookings.cancelStay("bok_1"),
};
const createRate = ({ stayBookings }: Duffel) =>
  stayBookings.createNegotiatedRate({ displayName: "x", rateAccessCode: "y", accommodationIds: ["acc_1"] });
const calls = { ...reads, ...commits, createRate };
type CallName = keyof typeof calls;

async function requireFailure(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Failure) return error;
  throw new Error(`expected a Failure, got ${inspect(error)}`);
}

function answered(status: number, type: string, code: string, pointer?: string): Answer {
  const source = pointer === undefined ? undefined : { pointer, field: pointer.split("/").at(-1) };
  return { status, json: wireError(type, code, CANARY, source) };
}
const state = (code: string) => answered(422, "invalid_state_error", code);
const refused = (code: string, pointer?: string) => answered(422, "validation_error", code, pointer);
const airline = (code: string) => answered(422, "airline_error", code);
const missing = answered(404, "invalid_request_error", "not_found");

const refusals: [CallName, Answer, string][] = [
  ["ancillaries", missing, "offer_not_found"],
  ["ancillaries", state("offer_no_longer_available"), "offer_expired"],
  ["price", state("offer_expired"), "offer_expired"],
  ["order", missing, "order_not_found"],
  ["quote", missing, "order_not_found"],
  ["quote", refused("validation_inclusion", "/order_id"), "order_not_found"],
  ["quote", state("already_cancelled"), "already_cancelled"],
  ["quote", state("schedule_changed"), "order_not_cancellable"],
  ["quote", airline("airline_unknown"), "provider_unavailable"],
  ["cancellation", missing, "cancellation_not_found"],
  ["confirmCancellation", missing, "cancellation_not_found"],
  ["confirmCancellation", state("already_cancelled"), "already_cancelled"],
  ["confirmCancellation", state("already_confirmed"), "already_confirmed"],
  ["confirmCancellation", state("order_cancellation_stale"), "cancellation_stale"],
  ["confirmCancellation", state("order_cancellation_expired"), "cancellation_expired"],
  ["confirmCancellation", state("schedule_changed"), "cancellation_stale"],
  ["confirmCancellation", airline("airline_internal"), "outcome_unknown"],
  ["request", missing, "order_not_found"],
  ["request", state("already_cancelled"), "order_not_changeable"],
  ["request", state("schedule_changed"), "order_not_changeable"],
  ["request", airline("airline_unknown"), "provider_unavailable"],
  ["request", refused("validation_inclusion", "/slices/remove/0/slice_id"), "invalid_input"],
  ["request", refused("validation_date_in_past", "/slices/add/0/departure_date"), "invalid_input"],
  ["changeOffer", missing, "change_offer_not_found"],
  ["changeOffer", state("order_change_offer_expired"), "change_expired"],
  ["select", refused("validation_inclusion", "/selected_order_change_offer"), "change_offer_not_found"],
  ["select", state("offer_expired"), "change_expired"],
  ["select", state("offer_no_longer_available"), "change_expired"],
  ["select", state("already_cancelled"), "order_not_changeable"],
  ["select", refused("price_changed", "/payment/amount"), "price_changed"],
  ["change", missing, "change_not_found"],
  ["confirmChange", missing, "change_not_found"],
  ["confirmChange", state("already_confirmed"), "already_confirmed"],
  ["confirmChange", state("already_cancelled"), "order_not_changeable"],
  ["confirmChange", state("order_change_expired"), "change_expired"],
  ["confirmChange", state("offer_no_longer_available"), "change_expired"],
  ["confirmChange", refused("price_changed", "/payment/amount"), "price_changed"],
  ["confirmChange", refused("payment_amount_does_not_match_order_amount", "/payment/amount"), "price_changed"],
  ["confirmChange", refused("payment_currency_does_not_match_order_currency"), "price_changed"],
  ["confirmChange", refused("validation_required", "/payment"), "price_changed"],
  ["confirmChange", airline("insufficient_balance"), "provider_unavailable"],
  ["confirmChange", airline("airline_unknown"), "outcome_unknown"],
  ["credits", missing, "provider_unavailable"],
  ["quoteStay", missing, "rate_not_found"],
  ["quoteStay", refused("validation_inclusion", "/rate_id"), "rate_not_found"],
  ["quoteStay", state("rate_unavailable"), "rate_unavailable"],
  ["quoteStay", state("rate_expired"), "rate_unavailable"],
  ["quoteStay", state("search_result_expired"), "rate_unavailable"],
  ["quoteStay", state("something_new"), "rate_unavailable"],
  ["stayQuote", missing, "quote_not_found"],
  ["bookStay", missing, "quote_not_found"],
  ["bookStay", refused("validation_inclusion", "/quote_id"), "quote_not_found"],
  ["bookStay", refused("price_changed", "/quote_id"), "price_changed"],
  ["bookStay", state("quote_expired"), "quote_expired"],
  ["bookStay", state("rate_unavailable"), "rate_unavailable"],
  ["bookStay", refused("validation_format", "/phone_number"), "invalid_input"],
  ["bookStay", refused("validation_absence", "/loyalty_programme_account_number"), "invalid_input"],
  ["bookStay", refused("validation_inclusion", "/users"), "booking_rejected"],
  ["bookStay", airline("insufficient_balance"), "provider_unavailable"],
  ["bookStay", airline("duplicate_booking"), "booking_rejected"],
  ["bookStay", answered(502, "api_error", "order_not_created"), "provider_unavailable"],
  ["stay", missing, "booking_not_found"],
  ["cancelStay", missing, "booking_not_found"],
  ["cancelStay", state("already_cancelled"), "already_cancelled"],
  ["cancelStay", state("something_new"), "not_cancellable"],
  ["updateRate", missing, "negotiated_rate_not_found"],
  ["updateRate", refused("validation_inclusion", "/accommodation_ids/0"), "invalid_input"],
  ["createRate", refused("validation_length", "/rate_access_code"), "invalid_input"],
  ["createRate", refused("validation_inclusion", "/chain_id"), "provider_unavailable"],
  ["createRate", "reset", "provider_unavailable"],
  ["createRate", { status: 202, json: { data: {} } }, "provider_unavailable"],
];

test.each(refusals.map(([call, answer, code]) => ({ call, code, answer, shown: inspect(answer).slice(0, 90) })))(
  "$call answered with $shown is $code",
  async ({ call, answer, code }) => {
    await using duffel = await startDuffel(() => answer);
    const error = await requireFailure(calls[call](duffel));
    expect(error.code).toBe(code);
    const visible = JSON.stringify([error.message, error.detail, error.issues, error.extra]);
    expect(visible).not.toContain("canary");
    expect(error.detail).toBeTruthy();
  },
);

test("a refused value is named by the caller's own argument", async () => {
  await using duffel = await startDuffel(() => refused("validation_inclusion", "/slices/add/0/origin"));
  const error = await requireFailure(reads.request(duffel));
  expect(error.issues).toEqual([{ path: "slices.add", message: "the supplier does not accept this value" }]);
});

/** Answers that no request of a kind may accept. */
const lost: [string, Answer][] = [
  ["500", answered(500, "api_error", "internal_server_error")],
  ["502", { status: 502, text: `<html>${CANARY}</html>` }],
  ["a page instead of JSON", { status: 200, text: CANARY }],
  ["a cut answer", { truncated: '{"data":{"id":"x"' }],
  ["a list", { status: 200, json: { data: [CANARY] } }],
  ["nothing", { status: 204 }],
  ["another record", { status: 200, json: { data: { id: "x", status: "pending" } } }],
  ["202", { status: 202, json: { data: {} } }],
  ["202 without a body", { status: 202 }],
  ["a reset connection", "reset"],
  ["a redirect", { status: 307, headers: { location: "/elsewhere" } }],
];
const commitNames = ["confirmCancellation", "confirmChange", "bookStay", "cancelStay"] as const;

test.each(commitNames.flatMap((call) => lost.map(([what, answer]) => ({ call, what, answer }))))(
  "$call answered with $what is sent once and has an unknown outcome",
  async ({ call, answer }) => {
    await using duffel = await startDuffel(() => answer);
    expect((await requireFailure(commits[call](duffel))).code).toBe("outcome_unknown");
    expect(duffel.requests).toHaveLength(1);
  },
);

test.each([
  ["confirmCancellation", wireCancellation],
  ["confirmChange", wireChange],
  ["bookStay", { ...wireStayBooking, status: "cancelled" }],
  ["cancelStay", wireStayBooking],
] as const)("%s is open when its answer does not say that it is done", async (call, data) => {
  await using duffel = await startDuffel(() => ({ status: 200, json: { data } }));
  expect((await requireFailure(commits[call](duffel))).code).toBe("outcome_unknown");
});

test.each(commitNames)("%s: a time-out is an unknown outcome", async (call) => {
  await using silent = await startSilentDuffel();
  expect((await requireFailure(silent.giveUp(commits[call](silent)))).code).toBe("outcome_unknown");
  expect(silent.requests).toHaveLength(1);
});

test.each(commitNames)("%s: busy, unavailable and refused connections did nothing", async (call) => {
  let answer: Answer = { status: 503, text: "" };
  await using busy = await startDuffel(() => answer);
  expect((await requireFailure(commits[call](busy))).code).toBe("provider_unavailable");
  answer = {
    status: 429,
    json: wireError("rate_limit_error", "rate_limit_exceeded", CANARY),
    headers: { "ratelimit-reset": "Fri, 20 Nov 2026 10:00:42 GMT", "ratelimit-remaining": "0" },
  };
  const limited = await requireFailure(commits[call](busy));
  expect([limited.code, limited.retryAfterSeconds]).toEqual(["provider_unavailable", 42]);
  expect(busy.requests).toHaveLength(2);

  const nobody = duffelAt(`http://127.0.0.1:${DEAD_PORT}`);
  expect((await requireFailure(commits[call](nobody))).code).toBe("provider_unavailable");
  nobody.http.close();
});

test("every commit uses a new connection", async () => {
  await using duffel = await startDuffel(({ path }) => ({
    status: 200,
    json: { data: path.startsWith("/stays") ? wireStayBooking : wireOrderDetails },
  }));
  await reads.order(duffel);
  await reads.order(duffel);
  await commits.bookStay(duffel);
  await commits.bookStay(duffel);
  const used = duffel.requests.map(({ connection }) => connection);
  expect(used[0]).toBe(used[1]);
  expect(new Set(used).size).toBe(3);
});

const answerable = {
  order: wireOrderDetails,
  quote: wireCancellation,
  select: wireChange,
  quoteStay: wireQuote,
  updateRate: wireNegotiatedRate,
  deleteRate: null,
} as const;

test.each(["order", "quote", "select", "quoteStay", "updateRate", "deleteRate"] as const)(
  "%s is repeated once when the connection breaks, and then succeeds",
  async (call) => {
    for (const fault of ["reset", { status: 503, text: "" }, { truncated: "{" }] as const) {
      await using duffel = await startDuffel((_, turn) =>
        turn === 1 ? fault : { status: 200, json: { data: answerable[call] } },
      );
      await reads[call](duffel);
      expect(duffel.requests).toHaveLength(2);
    }
  },
);

const readNames = Object.keys(reads).filter((name) => name !== "deleteRate");
test.each(readNames)("%s: any malformed answer means that the supplier is unavailable", async (name) => {
  const call = Object.entries(reads).find(([known]) => known === name)?.[1];
  if (call === undefined) throw new Error(`no call ${name}`);
  for (const answer of [lost[0], lost[1], lost[2], ["other", { status: 200, json: { data: 7 } }] as const]) {
    await using duffel = await startDuffel(() => answer?.[1] ?? "reset");
    expect((await requireFailure(call(duffel))).code, answer?.[0]).toBe("provider_unavailable");
  }
  await using slow = await startSilentDuffel();
  expect((await requireFailure(slow.giveUp(call(slow)))).code).toBe("provider_timeout");
});

test("a malformed supplier id is never sent", async () => {
  const bad = ["../air/orders", "", "a b", "x".repeat(129), "é"];
  await using duffel = await startDuffel(() => ({ status: 500 }));
  const { flightServicing: flights, stayBookings: stays } = duffel;
  const asked: [string, (id: string) => Promise<unknown>][] = [
    ["offer_not_found", (id) => flights.listAncillaries(id)],
    ["offer_not_found", (id) => flights.priceServices(id, [])],
    ["order_not_found", (id) => flights.getOrderDetails(id)],
    ["order_not_found", (id) => flights.quoteCancellation(id)],
    ["order_not_found", (id) => flights.requestChange(id, slices)],
    ["cancellation_not_found", (id) => flights.getCancellation(id)],
    ["cancellation_not_found", (id) => flights.confirmCancellation(id)],
    ["change_offer_not_found", (id) => flights.getChangeOffer(id)],
    ["change_offer_not_found", (id) => flights.selectChangeOffer(id)],
    ["change_not_found", (id) => flights.getChange(id)],
    ["change_not_found", (id) => flights.confirmChange(id, undefined)],
    ["rate_not_found", (id) => stays.quoteStay(id)],
    ["quote_not_found", (id) => stays.getQuote(id)],
    ["quote_not_found", (id) => stays.bookStay({ ...booking, quoteId: id })],
    ["booking_not_found", (id) => stays.getStay(id)],
    ["booking_not_found", (id) => stays.cancelStay(id)],
    ["negotiated_rate_not_found", (id) => stays.updateNegotiatedRate(id, {})],
  ];
  for (const id of bad) {
    for (const [code, ask] of asked) expect((await requireFailure(ask(id))).code).toBe(code);
    expect(await flights.listAirlineCredits(id, 5)).toEqual([]);
    await stays.deleteNegotiatedRate(id);
  }
  expect(duffel.requests).toHaveLength(0);
});
