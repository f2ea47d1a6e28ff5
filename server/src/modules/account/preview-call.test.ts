import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBuyer } from "../../../test/support/paid.ts";
import type { CallOptions, TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** `test/plans.test.ts` shows for every tool that the preview of an accepted call agrees with the call. */

let service: TestService;
let tripId: string;
let bookingId: string;
let own: string;
beforeAll(async () => {
  service = await openSharedService();
  ({ address: own } = Object(requireResult(await service.call("check_treasury", {}))));
  ({ tripId } = Object(requireResult(await service.call("prefund_trip", { budgetUsdc: "500" }))));
  ({ bookingId } = Object(requireResult(await service.call("reserve_booking", { tripId, upperBoundUsdc: "250" }))));
});
afterAll(() => service?.[Symbol.asyncDispose]());

const ADDRESS = "0x00000000000000000000000000000000000a11ce";
const NO_HASH = `0x${"00".repeat(32)}`;
const HASH = `0x${"17".repeat(32)}`;

const preview = async (tool: string, args: object, options: CallOptions = {}) =>
  requireResult(await service.call("preview_call", { tool, args }, options));

/** Makes the call and expects the same refusal. */
async function expectSameRefusal(tool: string, args: object, options: CallOptions = {}) {
  const { accepted, problem, movements } = await preview(tool, args, options);
  const { status, body } = await service.call(tool, args, options);
  expect(status, tool).not.toBe(200);
  const { traceId: _, title: __, type: ___, status: ____, ok: _____, ...said } = body;
  expect({ accepted, problem, movements }, tool).toEqual({ accepted: false, problem: said, movements: [] });
  return said;
}

const keyWith = async (...scopes: string[]) => {
  const input = { tenantId: service.tenantId, environment: "sandbox", scopes, actor: "test" } as const;
  return (await service.operator((identity) => identity.mintKey(input))).apiKey;
};

describe("preview_call", () => {
  const commit = (change: object) => ({
    bookingId,
    vendorAddress: ADDRESS,
    costMicroUsdc: "200000000",
    itineraryHash: HASH,
    ...change,
  });

  const given = (change: object) => ({
    bookingId,
    vendorAddress: ADDRESS,
    vendorAmountUsdc: "200",
    itineraryHash: HASH,
    ...change,
  });

  it.each<[string, () => [string, object]]>([
    ["invalid_input", () => ["search_flights", { origin: "Paris" }]],
    ["tool_not_found", () => ["swap_everything", {}]],
    ["insufficient_balance", () => ["send_tokens", { to: ADDRESS, amount: "900000" }]],
    ["insufficient_balance", () => ["prefund_trip", { budgetUsdc: "900000" }]],
    ["insufficient_budget", () => ["reserve_booking", { tripId, upperBoundUsdc: "400" }]],
    ["trip_not_found", () => ["reserve_booking", { tripId: NO_HASH, upperBoundUsdc: "1" }]],
    ["trip_not_found", () => ["close_trip", { tripId: NO_HASH }]],
    ["booking_not_found", () => ["settle_booking", { bookingId: NO_HASH }]],
    ["wrong_state", () => ["settle_booking", { bookingId }]],
    ["wrong_state", () => ["confirm_flight", { bookingId, ticketOrderHash: HASH }]],
    ["exceeds_reservation", () => ["confirm_booking", commit({ costMicroUsdc: "260000000" })]],
    ["invalid_input", () => ["confirm_booking", commit({ vendorAddress: own })]],
    ["invalid_input", () => ["commit_booking", given({ vendorAddress: own })]],
    ["invalid_input", () => ["commit_booking", given({ escrowAddress: ADDRESS })]],
    ["invalid_input", () => ["prefund_trip", { budgetUsdc: "1", linkOrigin: "https://elsewhere.example" }]],
    ["invalid_input", () => ["send_tokens", { to: own, amount: "1" }]],
    ["invalid_input", () => ["settle_split", { supplier: own, gross: "1" }]],
    ["wrong_state", () => ["reserve_booking", { tripId, bookingId, upperBoundUsdc: "1" }]],
    ["insufficient_budget", () => ["log_agent_action", { tripId, feeMicroUsdc: "400000000" }]],
    ["trip_not_found", () => ["log_agent_action", { tripId: NO_HASH }]],
    ["booking_not_found", () => ["cancel_booking", { bookingId, tripId: NO_HASH, reason: "timeout" }]],
    ["booking_not_settled", () => ["generate_booking_invoice", { bookingId }]],
  ])("reports %s as the call does", async (code, made) => {
    expect(await expectSameRefusal(...made())).toMatchObject({ code });
  });

  it("reports each step's refusal for a booking that is committed, cancelled or settled", async () => {
    const other = { ticketOrderHash: `0x${"20".repeat(32)}` };
    const reserved = async () =>
      Object(requireResult(await service.call("reserve_booking", { tripId, upperBoundUsdc: "10" }))).bookingId;
    const amounts = { vendorAddress: ADDRESS, vendorAmountUsdc: "9", itineraryHash: HASH };
    const id = await reserved();
    const committed = { bookingId: id, ...amounts };
    requireResult(await service.call("commit_booking", committed));
    // The same call is accepted again; a different one is refused.
    expect(await preview("commit_booking", committed)).toMatchObject({ accepted: true, movements: [] });
    const refused = async (tool: string, args: object) =>
      expect(await expectSameRefusal(tool, args)).toMatchObject({ code: "wrong_state" });
    await refused("commit_booking", { ...committed, vendorAmountUsdc: "8" });
    await refused("settle_booking", { bookingId: id });
    requireResult(await service.call("confirm_flight", { bookingId: id, ticketOrderHash: HASH }));
    await refused("confirm_flight", { bookingId: id, ...other });
    requireResult(await service.call("settle_booking", { bookingId: id }));
    await refused("cancel_booking", { bookingId: id, tripId, reason: "timeout" });
    const gone = await reserved();
    requireResult(await service.call("cancel_booking", { bookingId: gone, tripId, reason: "timeout" }));
    await refused("commit_booking", { bookingId: gone, ...amounts });
    await refused("confirm_flight", { bookingId: gone, ticketOrderHash: HASH });
    await refused("settle_booking", { bookingId: gone });
  });

  it("applies 3 % with a ceiling of 25 to 200 and to more, without a commit", async () => {
    const policy = { markupConfig: { strategy: "static", bps: 300 }, ceilingMicroUsdc: "25000000" };
    requireResult(await service.call("activate_tenant_pricing_policy", policy));
    const asked = await preview("confirm_booking", commit({}));
    expect(asked).toMatchObject({
      accepted: true,
      movements: [
        { amount: "200.00", from: "booking_reservation", to: ADDRESS, part: "cost", isLater: true },
        { amount: "6.00", from: "booking_reservation", to: "treasury", part: "markup" },
        { amount: "2.00", from: "booking_reservation", to: "collection", part: "service_fee" },
      ],
      totals: [{ token: "USDC", amount: "208.00" }],
      // The markup comes back; the rest and the call are paid.
      inAllUsdc: "202.005",
      inAllParts: { paidToOthersUsdc: "202.00", callPriceUsdc: "0.005" },
    });
    const over = commit({ markupBps: 1_500 });
    expect(await expectSameRefusal("confirm_booking", over)).toMatchObject({ code: "ceiling_exceeded" });
    const { bookings } = requireResult(await service.call("read_trip", { tripId }));
    expect(bookings).toContainEqual(expect.objectContaining({ bookingId, state: "reserved" }));
  });

  it("reports what a booking costs, and until when it can be undone at what cost, by its offer", async () => {
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 45 }).toString();
    const search = { origin: "LHR", destination: "JFK", departureDate };
    const { offers } = Object(requireResult(await service.call("search_flights", search)));
    const [{ id, totalAmount, slices, fares }] = offers;
    const flexible = fares.find(({ refundable }: { refundable: boolean }) => refundable);
    const [{ departingAt }] = slices[0].segments;
    const undoableUntil = Temporal.PlainDateTime.from(departingAt).toZonedDateTime("Europe/London").toInstant();
    const paid = (amount: string) => [{ amount, from: "treasury", to: "collection", isLater: false }];
    const basic = await preview("book_flight", { offerId: id });
    expect(basic.inAllUsdc).toBe((Number(totalAmount) + 0.02).toFixed(2));
    expect(basic).toMatchObject({
      movements: paid(totalAmount),
      irreversible: [{ undo: "never", undoableUntil: null }],
    });
    const form = expect.stringContaining("as money or airline credit");
    expect(await preview("book_flight", { offerId: flexible.id })).toMatchObject({
      movements: paid(flexible.totalAmount),
      irreversible: [
        {
          what: form,
          undo: "until",
          undoableUntil: undoableUntil.toString(),
          undoCostUsdc: flexible.refundPenaltyAmount,
        },
      ],
    });
    const conditions = requireResult(await service.call("display_offer_conditions", { offerId: flexible.id }));
    expect(conditions.summary).toContainEqual(form);
  });

  it("needs the scope of the previewed tool, and none of its own", async () => {
    const key = await keyWith("flights:read");
    const search = { query: "London" };
    expect(await preview("find_airports_nearby", search, { key })).toMatchObject({ accepted: true });
    const tried = ["send_tokens", { to: ADDRESS, amount: "1" }, { key }] as const;
    expect(await expectSameRefusal(...tried)).toMatchObject({ code: "missing_scope", scope: "treasury:spend" });
  });

  it("reports what is left of the cap and of the wallet, and that the cap leaves no room", async () => {
    const { spending } = Object(requireResult(await service.call("read_account", {})));
    const cap = BigInt(spending.spentMicroUsdc) + 500n + 5_499n;
    const setCap = (monthlyCapMicroUsdc: bigint) =>
      service.operator((identity) => identity.setTenant(service.tenantId, { monthlyCapMicroUsdc }, "test"));
    const args = { to: ADDRESS, amount: "1" };
    await setCap(cap + 5_000n);
    // A preview is charged after it has answered.
    expect((await preview("send_tokens", args)).allowances).toMatchObject([
      { name: "monthly cap", left: "0.010499", leftAfter: "0.005499" },
      { name: "treasury wallet", token: "USDC" },
    ]);
    await setCap(cap);
    expect(await expectSameRefusal("send_tokens", args)).toMatchObject({ code: "spend_cap_exceeded" });
    await setCap(100_000_000n);
  });

  it("reports what is left of limits, and that one of them refuses", async () => {
    const { tenantId } = service;
    const setDay = (perDay: bigint | undefined) =>
      service.operator(({ spending: { spendLimits } }) =>
        spendLimits.set(tenantId, "sandbox", undefined, { perDay }, "test"),
      );
    // The trip's share counts, too.
    await setDay(510_000_000n);
    const { allowances } = await preview("send_tokens", { to: ADDRESS, amount: "4" });
    expect(allowances).toContainEqual({ name: "tenant perDay", token: "USDC", left: "10.00", leftAfter: "6.00" });
    const said = await expectSameRefusal("send_tokens", { to: ADDRESS, amount: "11" });
    expect(said).toMatchObject({ code: "spend_limit_exceeded", limit: "perDay" });
    await setDay(undefined);
  });

  it("reports that a preview of a preview is accepted, without its contents", async () => {
    const nested = { tool: "send_tokens", args: { to: ADDRESS, amount: "900000" } };
    expect(await preview("preview_call", nested)).toMatchObject({ accepted: true, priceMicroUsdc: "500" });
  });

  it("can be bought as a single call, besides with a key", async () => {
    const buyer = createBuyer(service);
    const args = { tool: "send_tokens", args: { to: ADDRESS, amount: "1" } };
    const { status, body } = await buyer.buy("preview_call", args, { authorization: `Bearer ${service.apiKey}` });
    expect([status, body.result]).toMatchObject([200, { accepted: true, paidBy: "payment" }]);
  });
});
