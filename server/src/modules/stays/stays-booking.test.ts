import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";
import { newFundedTenant, requireResult, stranger } from "../../../test/support/treasury.ts";
import { parseDecimal } from "../../domain/money.ts";

/** Stays at the supplier's sandbox, over dispatch. */
let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("own");
});
afterAll(() => world.close());

/** The supplier's clock is moved in the sandbox. */
const LATE_MILLISECONDS = 600_000;
const BOOKINGS = "/stays/bookings";
const statusAndCode = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code];

describe("a stay", () => {
  it("is found, quoted and booked, and is paid from the wallet", async () => {
    const quote = await world.quoted();
    expect(quote).toMatchObject({
      accommodation: { id: world.hotel.id, name: world.hotel.name },
      totalAmount: world.hotel.cheapestRate.totalAmount,
      totalCurrency: "USD",
      rooms: 1,
      guests: 1,
      cancellationPolicy: { refundable: false, timeline: [] },
      negotiatedRateId: null,
      source: "embedded-sandbox",
      sandbox: true,
    });
    const answer = await world.bookStay(quote.id);
    expect(answer.status, answer.text).toBe(200);
    const [booked, ...others] = await world.stayBookings(quote.id);
    expect(others).toEqual([]);
    expect(answer.body.result).toMatchObject({
      orderId: booked?.id,
      reference: booked?.reference,
      bookingId: booked?.metadata.booking_id,
      quoteId: quote.id,
      status: "confirmed",
      accommodationName: world.hotel.name,
      totalAmount: quote.totalAmount,
      chargedUsdc: quote.totalAmount,
      rate: { from: "USD", to: "USDC", value: "1" },
      cancellationPolicy: quote.cancellationPolicy,
      confirmedAt: expect.any(String),
      sandbox: true,
    });
    expect(booked).toMatchObject({ status: "confirmed", paid_amount: quote.totalAmount });
    await world.expectSameBooks();
  });

  it("is booked once, however many calls there are at once", async () => {
    const { id } = await world.quoted();
    const answers = await Promise.all(Array.from({ length: 16 }, () => world.untilEnded(() => world.bookStay(id))));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") !== "true")).toHaveLength(1);
    const again = await world.bookStay(id, { email: "somebody.else@example.com" });
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    const [first, ...others] = new Set(answers.map(({ body }) => JSON.stringify(body.result)));
    expect(others).toEqual([]);
    expect(again.body.result).toEqual({
      ...JSON.parse(first ?? ""),
      notApplied: ["email"],
      next: expect.stringContaining("a different email"),
    });
    expect(await world.stayBookings(id)).toHaveLength(1);
    await world.expectSameBooks();
  });

  it("keeps where it is, also once the search that told it is forgotten", async () => {
    const { id } = await world.quoted();
    const { service } = world;
    const { orderId } = Object(requireResult(await world.bookStay(id)));
    await service.sql("delete from seen_offer where tenant_id = $1", [service.tenantId]);
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const read = async () => Object((await service.send(`/api/orders/${orderId}`, { headers })).body).stay;
    const { latitude, longitude } = (await read()).position;
    // In Lisbon.
    expect(Math.abs(latitude - 38.72)).toBeLessThan(0.3);
    expect(Math.abs(longitude + 9.14)).toBeLessThan(0.3);
    // As it was booked before positions were kept.
    await service.sql("update booking set stay_position = null where order_id = $1", [orderId]);
    expect(await read()).toMatchObject({ accommodationName: world.hotel.name, position: null });
  });

  it("is not a flight: book_flight does not answer with it", async () => {
    const { id } = await world.quoted();
    expect((await world.bookStay(id)).status).toBe(200);
    expect(statusAndCode(await world.service.call("book_flight", { offerId: id }))).toEqual([500, "offer_not_found"]);
  });
});

describe("a booking that the supplier does not answer", () => {
  it("is found to be done or not, is made once, and is paid once", async () => {
    const done = ["reset_after_effect", "truncated_json", "accepted_then_done", "late_effect"];
    const undone = ["timeout", "http_500", "accepted_then_failed"];
    const open = [];
    for (const fault of [...done, ...undone]) {
      const quote = await world.quoted();
      await world.arm(BOOKINGS, fault, LATE_MILLISECONDS);
      expect(statusAndCode(await world.unanswered(world.bookStay(quote.id))), fault).toEqual([500, "outcome_unknown"]);
      open.push({ fault, quote });
    }
    await world.advance(LATE_MILLISECONDS / 1_000);
    for (const { fault, quote } of open) {
      if (!done.includes(fault)) continue;
      await expect
        .poll(() => world.stayBookings(quote.id), { message: fault })
        .toMatchObject([{ status: "confirmed" }]);
    }
    await world.endQuietTime();
    await Promise.all(
      open.map(async ({ fault, quote }) => {
        const answer = await world.untilKnown(() => world.bookStay(quote.id));
        // The first call's row shows a failure that had no effect; the second call then booked.
        expect(answer.status, `${fault}: ${answer.text}`).toBe(200);
        const confirmed = (await world.stayBookings(quote.id)).filter(({ status }) => status === "confirmed");
        expect(confirmed, fault).toMatchObject([{ paid_amount: quote.totalAmount }]);
        expect(answer.body.result).toMatchObject({ orderId: confirmed[0]?.id, chargedUsdc: quote.totalAmount });
        const rows = await world.service.sql("select state from booking where offer_id = $1 order by id", [quote.id]);
        const ended = done.includes(fault) ? ["booked"] : ["failed", "booked"];
        expect(
          rows.map(({ state }) => state),
          fault,
        ).toEqual(ended);
      }),
    );
    await world.expectSameBooks();
  });
});

describe("a refused booking costs nothing", () => {
  it.each([
    ["http_503", "provider_unavailable"],
    ["rate_limited", "provider_unavailable"],
    ["insufficient_balance", "provider_unavailable"],
    ["sold_out", "rate_unavailable"],
    ["price_changed", "price_changed"],
    ["offer_expired", "quote_expired"],
  ])("%s is %s", async (fault, code) => {
    const { id } = await world.quoted();
    await world.arm(BOOKINGS, fault);
    expect(statusAndCode(await world.bookStay(id))).toEqual([500, code]);
    expect(await world.stayBookings(id)).toEqual([]);
    await world.expectSameBooks();
    // It was this once.
    expect((await world.bookStay(id)).status).toBe(200);
    expect(await world.stayBookings(id)).toHaveLength(1);
  });

  it("because of missing money names the amount, and the supplier is not asked", async () => {
    const poor = await newFundedTenant(world.service, "Poor");
    const { id, totalAmount } = await world.quoted();
    const to = stranger();
    const sent = await world.service.call("send_tokens", { to, token: "USDC", amount: "99999.00" }, poor.as);
    expect(sent.status, sent.text).toBe(200);
    const answer = await world.bookStay(id, {}, poor.as);
    expect(statusAndCode(answer)).toEqual([500, "insufficient_balance"]);
    expect(parseDecimal(String(answer.body.missingUsdc))).toBe((parseDecimal(totalAmount) ?? 0n) - 1_000_000n);
    expect(await world.stayBookings(id)).toEqual([]);
  });

  it("while money is stopped", async () => {
    const { id } = await world.quoted();
    await world.service.sql("update chain_network set stopped_because = 'a test' where network = 'sandbox'");
    const answer = await world.bookStay(id);
    await world.service.sql("update chain_network set stopped_because = null where network = 'sandbox'");
    expect(statusAndCode(answer)).toEqual([500, "settlement_stopped"]);
    expect(await world.stayBookings(id)).toEqual([]);
  });
});

describe("a quote", () => {
  it.each([
    ["http_503", "provider_unavailable"],
    ["sold_out", "rate_unavailable"],
    ["offer_expired", "rate_unavailable"],
  ])("%s is %s", async (fault, code) => {
    // A read is repeated after a failure.
    await world.armOften("/stays/quotes", fault);
    const answer = await world.service.call("quote_stay", { rateId: world.rateId });
    await world.disarm();
    expect(statusAndCode(answer)).toEqual([500, code]);
  });

  it("has the current price, which the booking uses", async () => {
    await world.arm("/stays/quotes", "price_changed");
    const quote = await world.quoted();
    const listed = parseDecimal(world.hotel.cheapestRate.totalAmount) ?? 0n;
    expect(parseDecimal(quote.totalAmount)).toBeGreaterThan(listed);
    const answer = await world.bookStay(quote.id);
    expect(answer.body.result, answer.text).toMatchObject({ chargedUsdc: quote.totalAmount });
    await world.expectSameBooks();
  });

  it("and a rate that are unknown are not found", async () => {
    expect(statusAndCode(await world.service.call("quote_stay", { rateId: "rat_0000Nothing" }))).toEqual([
      500,
      "rate_not_found",
    ]);
    expect(statusAndCode(await world.bookStay("quo_0000Nothing"))).toEqual([500, "quote_not_found"]);
    expect(statusAndCode(await world.bookStay("../bookings"))).toEqual([500, "quote_not_found"]);
  });
});
