import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type Escrow, openEscrow } from "../../../test/support/escrow.ts";
import type { CallOptions, TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult, stranger } from "../../../test/support/treasury.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";

/** An enforced policy against calls that book, change and pay. */

let service: TestService;
let escrow: Escrow;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});
beforeEach(() => enforce(null));

const put = (path: string, body: unknown) =>
  service.send(path, {
    method: "PUT",
    headers: { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function enforce(document: object | null): Promise<void> {
  if (document !== null) expect((await put("/api/policies/enforced", { document })).status).toBeLessThan(300);
  const answer = await put("/api/policy-enforcement", { policyId: document === null ? null : "enforced" });
  expect(answer.status, answer.text).toBe(200);
}

const day = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
const Offers = z.object({ offers: z.array(z.looseObject({ id: z.string(), totalAmount: z.string() })).min(1) });

async function offers(query: object = {}, as: CallOptions = {}) {
  const flight = { origin: "LHR", destination: "JFK", departureDate: day(60), ...query };
  return Offers.parse(requireResult(await service.call("search_flights", flight, as))).offers;
}
async function offer(query: object = {}, as: CallOptions = {}) {
  const [first] = await offers(query, as);
  if (first === undefined) throw new Error("no offer");
  return first;
}
const book = (offerId: string, options: CallOptions = {}) => service.call("book_flight", { offerId }, options);
const bookings = () => service.sql("select id from booking where tenant_id = $1", [service.tenantId]);
const denying = (priceUsdOver: number) => ({
  rules: [{ id: "dear", severity: "deny", when: { kind: "flight", priceUsdOver } }],
});

it("is named by read_account, with its current version", async () => {
  const enforced = async () => requireResult(await service.call("read_account", {})).enforcedPolicy;
  expect(await enforced()).toBeNull();
  const version = z.object({ version: z.int() });
  const { body } = await put("/api/policies/enforced", { document: denying(1) });
  await put("/api/policy-enforcement", { policyId: "enforced" });
  expect(await enforced()).toEqual({ policyId: "enforced", version: version.parse(body).version });
});

describe("book_flight", () => {
  it("is denied, or needs an approval, with the broken rules, and nothing is booked or paid", async () => {
    const { id, totalAmount } = await offer();
    const before = await bookings();
    await enforce(denying(1));
    const denied = await book(id, { headers: { "idempotency-key": `denied ${id}` } });
    expect([denied.status, denied.body]).toMatchObject([
      403,
      {
        code: "policy_denied",
        retryable: false,
        policyId: "enforced",
        violations: [{ rule: "rules.dear", severity: "deny", limit: "1.00", actual: totalAmount, unit: "USD" }],
      },
    ]);
    await enforce({ flight: { maxPrice: { default: 1 }, carriers: { preferred: ["ZZ"] } } });
    const waiting = await book(id, { headers: { "idempotency-key": `denied ${id}` } });
    expect([waiting.status, waiting.body]).toMatchObject([
      403,
      {
        code: "approval_required",
        retryable: true,
        decision: "require_approval",
        violations: [{ rule: "flight.maxPrice" }, { rule: "flight.carriers.preferred", severity: "warn" }],
      },
    ]);
    expect(await bookings()).toEqual(before);

    // A refusal is not final: the same call with the same key succeeds once the policy allows it.
    await enforce({ flight: { maxPrice: { default: 100_000 } } });
    const booked = await book(id, { headers: { "idempotency-key": `denied ${id}` } });
    expect(booked.status, booked.text).toBe(200);
    // A completed call is not judged again, with or without its key.
    await enforce(denying(0));
    for (const headers of [{ "idempotency-key": `denied ${id}` }, {}]) {
      const again = await book(id, { headers });
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    }
  });

  it("is judged by the whole offer as the search showed it", async () => {
    const { id } = await offer({ departureDate: day(10), returnDate: day(14) });
    const broken: [string, object][] = [
      ["flight.advancePurchaseDays", { flight: { advancePurchaseDays: { international: 14 } } }],
      ["flight.itinerary.maxDurationHours", { flight: { itinerary: { maxDurationHours: 1 } } }],
      ["destinations.blockedCountries", { destinations: { blockedCountries: ["US"] } }],
      ["travelDates.maxDays", { travelDates: { maxDays: 4 } }],
      ["travelDates.blackouts", { travelDates: { blackouts: [{ from: day(12), to: day(12) }] } }],
      ["booking.allowed", { booking: { allowed: [{ booker: "user_boss", travelers: "anyone" }] } }],
    ];
    for (const [rule, document] of broken) {
      await enforce(document);
      expect((await book(id)).body.violations, rule).toMatchObject([{ rule }]);
    }
    await enforce({
      flight: {
        maxCabin: { default: "economy" },
        advancePurchaseDays: { international: 9 },
        carriers: { blocked: ["ZZ"] },
        itinerary: { maxStops: 3 },
        emissions: { maxKgPerPassenger: 5_000 },
        maxPrice: { dynamic: { basis: "lowest_logical", plusPercent: 10_000, windowHours: 24 } },
      },
      destinations: { blockedCountries: ["GB"], riskLevels: { US: 1 }, approvalFromLevel: 2 },
      travelDates: { maxDays: 6 },
      booking: { severity: "deny", allowed: [{ booker: "*", travelers: "self" }] },
    });
    const booked = await book(id);
    expect(booked.status, booked.text).toBe(200);
  });

  it("compared with the cheapest comparable offer allows that one and not the most expensive", async () => {
    const found = (await offers({ departureDate: day(61) })).toSorted(
      (a, b) => Number(a.totalAmount) - Number(b.totalAmount),
    );
    await enforce({ flight: { maxPrice: { dynamic: { basis: "lowest_logical", windowHours: 48 } } } });
    const dearest = await book(found.at(-1)?.id ?? "");
    expect(dearest.body).toMatchObject({ violations: [{ rule: "flight.maxPrice.dynamic" }], notEvaluated: [] });
  });

  it("for an offer that the tenant has not seen, or with services of unknown price, is not allowed", async () => {
    const other = await newFundedTenant(service, "Another searcher");
    const { id } = await offer({ departureDate: day(62) }, { tenantId: other.tenantId, key: other.apiKey });
    await enforce(denying(1_000_000));
    expect((await book(id)).body).toMatchObject({
      code: "approval_required",
      decision: "require_approval",
      notEvaluated: [{ rule: "rules.dear", missing: ["priceUsd"] }],
      detail: expect.stringContaining("display_offer_conditions"),
    });
    // Known once this tenant's key has looked at it.
    expect((await service.call("display_offer_conditions", { offerId: id })).status).toBe(200);
    const services = await service.call("book_flight", { offerId: id, services: [{ id: "ser_1", quantity: 1 }] });
    expect(services.body).toMatchObject({
      code: "approval_required",
      decision: "require_approval",
      notEvaluated: [{ missing: ["priceUsd"] }],
      detail: expect.stringMatching(/at least \d+.* list_flight_ancillaries/),
    });
    expect((await book(id)).status).toBe(200);
  });

  it.each([
    ["the limit of flights", { flight: { maxPrice: { default: 1, severity: "deny" } } }, "flight.maxPrice"],
    ["a rule of the tenant's own", denying(1), "rules.dear"],
  ])("over %s is denied with services of unknown price and a credit, as without them", async (_, document, rule) => {
    const { id } = await offer({ departureDate: day(66) });
    await enforce(document);
    const withServices = { offerId: id, services: [{ id: "ser_1", quantity: 1 }] };
    for (const asked of [{ offerId: id }, withServices, { ...withServices, airlineCreditId: "acd_0000Nobody" }]) {
      const { body } = await service.call("book_flight", asked);
      expect(body).toMatchObject({ code: "policy_denied", decision: "deny", violations: [{ rule, severity: "deny" }] });
    }
  });

  it("with listed services is judged by the fare and the services together", async () => {
    const { id, totalAmount } = await offer({ departureDate: day(67) });
    const listed = z.object({ seats: z.array(z.object({ id: z.string(), totalAmount: z.string() })) });
    // The fare alone is within the limit.
    await enforce({ flight: { maxPrice: { default: Number(totalAmount), severity: "deny" } } });
    const { seats } = listed.parse(requireResult(await service.call("list_flight_ancillaries", { offerId: id })));
    const seat = seats.find((one) => Number(one.totalAmount) > 0);
    const asked = { offerId: id, services: [{ id: seat?.id, quantity: 1 }] };
    const together = (parseDecimal(totalAmount) ?? 0n) + (parseDecimal(seat?.totalAmount ?? "") ?? 0n);
    expect((await service.call("book_flight", asked)).body).toMatchObject({
      code: "policy_denied",
      violations: [{ rule: "flight.maxPrice", actual: formatDecimal(together) }],
      notEvaluated: [],
    });
    await enforce({ flight: { maxPrice: { default: Number(totalAmount) } } });
    const { body } = await service.call("book_flight", asked);
    expect(body.code).toBe("approval_required");
    const approval = await service.send(`/api/approvals/${String(body.approvalId)}`, {
      headers: { authorization: `Bearer ${service.operatorKey}` },
    });
    const amount = formatDecimal(together);
    expect(approval.body).toMatchObject({ amount, isMinimum: false, evidence: { payments: [{ amount }] } });
  });

  it("at a price that has risen since the tenant saw it is refused until it is viewed again", async () => {
    const { id } = await offer({ departureDate: day(63) });
    await service.sql(
      `update seen_offer set offer = jsonb_set(offer, '{totalAmount}', '"1.00"') where tenant_id = $1 and offer_id = $2`,
      [service.tenantId, id],
    );
    await enforce(denying(2));
    expect((await book(id)).body).toMatchObject({ code: "price_changed", seenAmount: "1.00" });
    await service.call("display_offer_conditions", { offerId: id });
    expect((await book(id)).body.code).toBe("policy_denied");
  });
});

it("book_stay is limited by its city's price per night", async () => {
  const query = { location: "London", checkInDate: day(60), checkOutDate: day(62) };
  const Found = z.object({ accommodations: z.array(z.object({ cheapestRate: z.object({ id: z.string() }) })).min(1) });
  const { accommodations } = Found.parse(requireResult(await service.call("search_hotels", query)));
  const quote = requireResult(await service.call("quote_stay", { rateId: accommodations[0]?.cheapestRate.id }));
  const args = {
    quoteId: quote.id,
    email: "ada@example.com",
    phoneNumber: "+442080160508",
    guests: [{ givenName: "Ada", familyName: "Lovelace" }],
  };
  await enforce({ hotel: { maxNightly: { severity: "deny", default: 100_000, byCity: { LON: 1, PAR: 100_000 } } } });
  const refused = await service.call("book_stay", args);
  expect(refused.body).toMatchObject({
    code: "policy_denied",
    violations: [{ rule: "hotel.maxNightly", limit: "1.00" }],
  });
  expect(Number(z.array(z.object({ actual: z.string() })).parse(refused.body.violations)[0]?.actual)).toBeCloseTo(
    Number(quote.totalAmount) / 2,
    2,
  );
  await enforce({ destinations: { blockedCountries: ["GB"] } });
  expect((await service.call("book_stay", args)).body.code).toBe("policy_denied");
  await enforce({
    hotel: { maxNightly: { default: 1, byCity: { LON: 100_000 } } },
    destinations: { blockedCountries: ["FR"] },
  });
  const booked = await service.call("book_stay", args);
  expect(booked.status, booked.text).toBe(200);
});

it("confirm_order_change is judged by the changed order", async () => {
  const { id } = await offer({ cabinClass: "business", departureDate: day(64) });
  const booked = z
    .object({ orderId: z.string(), totalAmount: z.string(), slices: z.array(z.object({ id: z.string() })) })
    .parse(requireResult(await book(id)));
  const slices = {
    add: [{ origin: "LHR", destination: "JFK", departure_date: day(75) }],
    remove: [{ slice_id: booked.slices[0]?.id }],
  };
  // The airline offers changes once the order is ticketed.
  const [cheapest] = await vi.waitFor(
    async () => {
      const { offers: some } = requireResult(
        await service.call("request_order_change", { orderId: booked.orderId, slices }),
      );
      return z
        .array(z.object({ id: z.string() }))
        .min(1)
        .parse(some);
    },
    { timeout: 20_000, interval: 250 },
  );
  const change = requireResult(await service.call("select_order_change_offer", { offerId: cheapest?.id }));
  const due = z.object({ amount: z.string(), currency: z.string() }).parse(change.due);
  const args = { changeId: change.changeId, payment: { type: "balance", ...due } };
  await enforce(denying(1));
  expect((await service.call("confirm_order_change", args)).body).toMatchObject({
    code: "policy_denied",
    violations: [
      { actual: formatDecimal((parseDecimal(booked.totalAmount) ?? 0n) + (parseDecimal(due.amount) ?? 0n)) },
    ],
  });
  await enforce({ travelDates: { latest: day(70) } });
  expect((await service.call("confirm_order_change", args)).body).toMatchObject({
    code: "approval_required",
    violations: [{ rule: "travelDates.latest" }],
  });
  await enforce(denying(1_000_000));
  const confirmed = await service.call("confirm_order_change", args);
  expect(confirmed.status, confirmed.text).toBe(200);
});

it("transfers and reservations are limited as payments, to the micro-unit", async () => {
  await enforce({ payments: { severity: "deny", maxAmountUsd: 5 } });
  const send = (amount: string, token = "USDC") => service.call("send_tokens", { to: stranger(), amount, token });
  expect((await send("5.000001")).body).toMatchObject({
    code: "policy_denied",
    violations: [{ rule: "payments.maxAmountUsd", limit: "5.00", actual: "5.000001" }],
  });
  expect((await send("5", "EURC")).body.code).toBe("policy_denied");
  const sent = await send("5");
  expect(sent.status, sent.text).toBe(200);

  const tripId = await escrow.prefund("20");
  const reserve = (upperBoundUsdc: string) => service.call("reserve_booking", { tripId, upperBoundUsdc });
  expect((await reserve("5.01")).body.code).toBe("policy_denied");

  const recipient = stranger();
  await enforce({ rules: [{ id: "to", severity: "deny", when: { kind: "payment", recipients: [recipient] } }] });
  expect((await service.call("send_tokens", { to: recipient, amount: "1", token: "USDC" })).body.code).toBe(
    "policy_denied",
  );
});

it("another environment's setting, or a policy without a current version, binds nobody", async () => {
  await enforce(denying(0));
  await service.sql("update travel_policy_enforcement set network = 'production' where tenant_id = $1", [
    service.tenantId,
  ]);
  const sent = await service.call("send_tokens", { to: stranger(), amount: "1", token: "USDC" });
  expect(sent.status, sent.text).toBe(200);
  await service.sql("delete from travel_policy_enforcement where tenant_id = $1", [service.tenantId]);
  expect((await put("/api/policy-enforcement", { policyId: "nobody-has-it" })).body.code).toBe("invalid_input");
  await put("/api/policies/later", { document: denying(0), effectiveFrom: day(3) });
  expect((await put("/api/policy-enforcement", { policyId: "later" })).body.code).toBe("invalid_input");
});
