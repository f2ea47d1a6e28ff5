import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { inDays } from "../../../test/support/agent.ts";
import { HexText, openEscrow } from "../../../test/support/escrow.ts";
import { embeddedRates } from "../../../test/support/rates.ts";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import { InvoiceDocument } from "../invoices/document.ts";
import { BookingRate, inUsdc as convert, rateBy, requireRate } from "./booking-rate.ts";

/** At these rates, to which sales add 1.5 percent, amounts to the cent are no whole micro-units. */
const rates = (day: string): Answer => ({
  status: 200,
  headers: { "content-type": "text/xml" },
  text: `<gesmes:Envelope xmlns:gesmes="g"><Cube><Cube time='${day}'>
    <Cube currency='USD' rate='1.234567'/><Cube currency='GBP' rate='0.8'/></Cube></Cube></gesmes:Envelope>`,
});
const MARGIN_BPS = 150;
const SELLING = { SANDBOX_CURRENCY: "EUR", SANDBOX_STAYS_IN: "local" };
const EURO = { from: "EUR", to: "USDC", value: "1.253085505", marginBps: MARGIN_BPS, sourceLevel: "live" };
const POUND = { ...EURO, from: "GBP", value: "1.56635688125" };

let source: ScriptedServer;
let service: TestService;
let answer: Answer;
/** Starts behind the machine's time, so that rates are read again when it moves on. */
let hours = -2;
const today = () => Temporal.Now.instant().toZonedDateTimeISO("UTC").toPlainDate();

beforeAll(async () => {
  answer = rates(today().subtract({ days: 6 }).toString());
  source = await startScriptedServer(() => answer);
  // Flights are sold in euros, stays in the currency of their country.
  const environment = { FX_RATES_URL: `${source.url}/daily.xml`, FX_MARGIN_BPS: String(MARGIN_BPS), ...SELLING };
  const clock = { now: () => Temporal.Now.instant().add({ hours }) };
  service = await startTestService(environment, { clock });
  await service.isFunded(service.tenantId);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await source?.close();
});

const Offer = z.looseObject({
  id: z.string(),
  totalAmount: z.string(),
  totalCurrency: z.string(),
  totalUsdc: z.string(),
});
const Fare = z.object({ id: z.string(), refundable: z.boolean(), changeable: z.boolean() });
const Offers = z.object({
  offers: z.array(Offer.extend({ fares: z.array(Fare) })),
});
const Booked = z.looseObject({
  orderId: z.string(),
  totalAmount: z.string(),
  chargedUsdc: z.string(),
  rate: BookingRate,
});
const Available = z.object({ available: z.object({ USDC: z.string() }) });
const micro = (amount: string): bigint => parseDecimal(amount) ?? -1n;
/** As an integer in units of 10^-12. */
function scaled(value: string): bigint {
  const [units = "", places = ""] = value.split(".");
  return BigInt(units + places.padEnd(12, "0"));
}
const worth = (amount: string, rate: string) => formatDecimal((micro(amount) * scaled(rate)) / 10n ** 12n);
const available = async () =>
  micro(Available.parse(requireResult(await service.call("check_treasury", {}))).available.USDC);

async function searchFlights(departureDate = inDays(60)) {
  const journey = { origin: "LHR", destination: "JFK", departureDate, cabinClass: "business" };
  return Offers.parse(requireResult(await service.call("search_flights", journey))).offers;
}

describe("a rate that is too old", () => {
  it("refuses sales with the reason; a newer one allows them", async () => {
    const journey = { origin: "LHR", destination: "JFK", departureDate: inDays(62) };
    const shown = z.object({ offers: z.array(z.looseObject({ id: z.string() })) });
    const search = async () => shown.parse(requireResult(await service.call("search_flights", journey))).offers[0];
    const offer = await search();
    expect(offer).not.toHaveProperty("totalUsdc");
    const refused = await service.call("book_flight", { offerId: offer?.id });
    expect([refused.status, refused.body]).toMatchObject([
      500,
      { code: "rate_stale", currency: "EUR", retryable: true, detail: expect.stringContaining("try again later") },
    ]);
    // A refusal under a key is not repeated from its stored answer.
    const key = { "idempotency-key": "until-there-is-a-rate" };
    expect((await service.call("book_flight", { offerId: offer?.id }, { headers: key })).body.code).toBe("rate_stale");
    answer = rates(today().toString());
    hours = 0;
    expect(await search()).toHaveProperty("totalUsdc");
    const booked = await service.call("book_flight", { offerId: offer?.id }, { headers: key });
    expect([booked.status, booked.headers.get("idempotent-replayed")], booked.text).toEqual([200, null]);
  });
});

describe("an order that a change made more or less expensive", () => {
  const Offered = z.object({ offers: z.array(z.object({ id: z.string(), changeTotalAmount: z.string() })) });
  const Selected = z.object({ changeId: z.string(), due: z.object({ amount: z.string(), currency: z.string() }) });
  const Changed = z.object({ chargedUsdc: z.string(), refundedUsdc: z.string() });
  const Slices = z.object({ slices: z.array(z.object({ id: z.string() })) });
  const inUsdc = (amount: bigint) => (amount * scaled(EURO.value)) / 10n ** 12n;

  /** Books a refundable order and changes it so that the whole and the sum of the parts convert differently. */
  async function changedOrder(direction: "dearer" | "cheaper", days: number) {
    const offers = await searchFlights(inDays(days));
    const fare = offers.flatMap(({ fares }) => fares).find(({ refundable, changeable }) => refundable && changeable);
    const booked = requireResult(await service.call("book_flight", { offerId: fare?.id }));
    const { orderId, totalAmount, chargedUsdc } = Booked.parse(booked);
    const [slice] = Slices.parse(booked).slices;
    await expect
      .poll(async () => requireResult(await service.call("read_order", { orderId })).ticketing)
      .toBe("ticketed");
    for (let day = days + 10; day < days + 60; day += 1) {
      const add = [{ origin: "LHR", destination: "JFK", departure_date: inDays(day) }];
      const wanted = { orderId, slices: { remove: [{ slice_id: slice?.id }], add } };
      const answer = await service.call("request_order_change", wanted);
      for (const { id, changeTotalAmount } of Offered.parse(requireResult(answer)).offers) {
        const isCheaper = changeTotalAmount.startsWith("-");
        const difference = micro(changeTotalAmount.replace("-", "")) * (isCheaper ? -1n : 1n);
        const inParts = inUsdc(micro(totalAmount)) + inUsdc(difference);
        const whole = inUsdc(micro(totalAmount) + difference);
        if (difference === 0n || isCheaper !== (direction === "cheaper") || inParts === whole) continue;
        const { changeId, due } = Selected.parse(
          requireResult(await service.call("select_order_change_offer", { offerId: id })),
        );
        const payment = { type: "balance", ...due };
        const changed = Changed.parse(requireResult(await service.call("confirm_order_change", { changeId, payment })));
        return { orderId, paid: micro(chargedUsdc) + micro(changed.chargedUsdc) - micro(changed.refundedUsdc), whole };
      }
    }
    throw new Error("no change tells sum and parts apart");
  }

  it.each([
    ["dearer", 66],
    ["cheaper", 67],
  ] as const)("%s: total and refund are the sum of what was charged", async (direction, days) => {
    const before = await available();
    const { orderId, paid, whole } = await changedOrder(direction, days);
    await expect.poll(async () => before - (await available()), { timeout: 30_000 }).toBe(paid);
    expect(paid).not.toBe(whole);
    expect(requireResult(await service.call("read_order", { orderId }))).toMatchObject({
      totalUsdc: formatDecimal(paid),
    });
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const route = await service.send(`/api/orders/${orderId}`, { headers });
    expect(route.body).toMatchObject({ totalUsdc: formatDecimal(paid) });
    const quote = requireResult(await service.call("cancel_order_quote", { orderId }));
    const { cancellationId, refundUsdc } = z
      .looseObject({ cancellationId: z.string(), refundUsdc: z.string() })
      .parse(quote);
    expect([quote.refundAmount, refundUsdc]).toEqual([route.body.totalAmount, formatDecimal(paid)]);
    const cancelled = requireResult(await service.call("confirm_cancel_order", { cancellationId }));
    expect(cancelled).toMatchObject({ refundedUsdc: refundUsdc });
  });
});

describe("a flight in another currency", () => {
  it("is shown, booked and refunded in USDC at its recorded rate", async () => {
    const [offer] = await searchFlights();
    if (offer === undefined) throw new Error("no offers");
    expect(offer).toMatchObject({ totalCurrency: "EUR", totalUsdc: worth(offer.totalAmount, EURO.value) });
    const before = await available();
    const booked = Booked.parse(requireResult(await service.call("book_flight", { offerId: offer.id })));
    expect(booked).toMatchObject({
      totalAmount: offer.totalAmount,
      totalCurrency: "EUR",
      chargedUsdc: offer.totalUsdc,
      rate: { ...EURO, asOf: today().toString(), source: expect.stringContaining("European Central Bank") },
    });
    expect(before - (await available())).toBe(micro(offer.totalUsdc));
    const { orderId } = booked;

    const order = requireResult(await service.call("read_order", { orderId }));
    expect(order).toMatchObject({ totalUsdc: offer.totalUsdc, rate: { value: EURO.value } });
    const quote = z
      .looseObject({ cancellationId: z.string(), refundAmount: z.string() })
      .parse(requireResult(await service.call("cancel_order_quote", { orderId })));
    const refundUsdc = worth(quote.refundAmount, EURO.value);
    expect(quote).toMatchObject({ refundCurrency: "EUR", refundUsdc, rate: { value: EURO.value } });
    const cancelled = await service.call("confirm_cancel_order", { cancellationId: quote.cancellationId });
    expect(requireResult(cancelled)).toMatchObject({ refundedUsdc: refundUsdc, notRefundedBecause: null, rate: EURO });
  });
});

describe("further steps after a flight in another currency", () => {
  const Priced = z.object({ changeTotalAmount: z.string(), changeTotalCurrency: z.string() });
  const Offered = z.object({ offers: z.array(Priced.extend({ id: z.string() })) });
  const Paid = z.looseObject({ chargedUsdc: z.string(), newTotalAmount: z.string(), newTotalCurrency: z.string() });
  const Picked = z.object({ picks: z.object({ cheapestChangeable: z.object({ id: z.string() }) }) });
  const Slices = z.object({ slices: z.array(z.object({ id: z.string() })) });

  it("change it, paid in USDC at its recorded rate", async () => {
    const route = { origin: "LHR", destination: "JFK", departureDate: inDays(63) };
    const { picks } = Picked.parse(requireResult(await service.call("search_flights", route)));
    const booked = requireResult(await service.call("book_flight", { offerId: picks.cheapestChangeable.id }));
    const { orderId, totalAmount } = Booked.parse(booked);
    const [slice] = Slices.parse(booked).slices;
    await expect
      .poll(async () => requireResult(await service.call("read_order", { orderId })).ticketing)
      .toBe("ticketed");
    const findDearest = async (days: number) => {
      const add = [{ origin: "LHR", destination: "JFK", departure_date: inDays(days) }];
      const wanted = { orderId, slices: { remove: [{ slice_id: slice?.id }], add } };
      const { offers } = Offered.parse(requireResult(await service.call("request_order_change", wanted)));
      return offers.toSorted((a, b) => Number(b.changeTotalAmount) - Number(a.changeTotalAmount))[0];
    };
    // On some days all flights cost less.
    let dearest = await findDearest(80);
    for (let days = 81; Number(dearest?.changeTotalAmount ?? 0) <= 0 && days < 100; days += 1) {
      dearest = await findDearest(days);
    }
    expect(dearest?.changeTotalCurrency).toBe("EUR");
    const selected = requireResult(await service.call("select_order_change_offer", { offerId: dearest?.id }));
    const amount = dearest?.changeTotalAmount ?? "";
    const due = worth(amount, EURO.value);
    const before = await available();
    const payment = { type: "balance", amount, currency: "EUR" };
    const confirm = { changeId: selected.changeId, payment };
    const changed = Paid.parse(requireResult(await service.call("confirm_order_change", confirm)));
    expect(changed).toMatchObject({ chargedUsdc: due, newTotalCurrency: "EUR" });
    // As the order itself reports it afterwards.
    expect(micro(changed.newTotalAmount)).toBe(micro(totalAmount) + micro(amount));
    expect(before - (await available())).toBe(micro(due));
  });

  it("count it by the limit of a key in USDC: a limit lower by a millionth refuses it, and the exact one allows it", async () => {
    const [offer] = await searchFlights(inDays(64));
    const keys = await service.operator((operator) => operator.listKeys(service.tenantId));
    const limit = (perCall: bigint | undefined) =>
      service.operator(({ spending: { spendLimits } }) =>
        spendLimits.set(service.tenantId, "sandbox", keys[0]?.id, { perCall }, "test"),
      );
    const needed = micro(offer?.totalUsdc ?? "");
    const book = () => service.call("book_flight", { offerId: offer?.id });
    try {
      await limit(needed - 1n);
      const refused = await book();
      expect([refused.status, refused.body]).toMatchObject([
        402,
        { code: "spend_limit_exceeded", limit: "perCall", limitOf: "key", neededUsdc: offer?.totalUsdc },
      ]);
      await limit(needed);
      expect(requireResult(await book())).toMatchObject({ chargedUsdc: offer?.totalUsdc });
    } finally {
      await limit(undefined);
    }
  });

  it("invoice it in euros, and exactly in USDC, with the rate of the sale", async () => {
    const escrow = openEscrow(service);
    try {
      const [offer] = await searchFlights(inDays(65));
      const Order = Booked.extend({ itineraryHash: HexText });
      const booked = Order.parse(requireResult(await service.call("book_flight", { offerId: offer?.id })));
      const { orderId, itineraryHash, chargedUsdc, rate } = booked;
      const ticketHash = async () => requireResult(await service.call("read_order", { orderId })).ticketOrderHash;
      await expect.poll(ticketHash, { timeout: 30_000 }).toMatch(/^0x/);
      const bookingId = await escrow.reserve(await escrow.prefund("20000"), "19000");
      const vendorAddress = (await escrow.keys.wallet("sandbox", "collection")).address;
      const amounts = { vendorAmountUsdc: chargedUsdc, feeAmountUsdc: "0" };
      requireResult(await service.call("commit_booking", { bookingId, itineraryHash, vendorAddress, ...amounts }));
      requireResult(await service.call("confirm_flight", { bookingId, ticketOrderHash: await ticketHash() }));
      requireResult(await service.call("settle_booking", { bookingId }));
      const answer = requireResult(await service.call("generate_booking_invoice", { bookingId }));
      const { jsonUrl, totalUsdc } = z.looseObject({ jsonUrl: z.url(), totalUsdc: z.string() }).parse(answer);
      expect(totalUsdc).toBe(chargedUsdc);
      const document = InvoiceDocument.parse(await (await fetch(jsonUrl)).json());
      expect(document).toMatchObject({ booking: { orderId }, settlement: { totalUsdc: chargedUsdc, rate } });
      expect(rate).toMatchObject(EURO);
      // No euro counts as a dollar: the lines are the supplier's price at that rate, without a remainder.
      expect(document.lines.map(({ kind }) => kind).sort()).toEqual(["fare", "taxes"]);
      const exact = document.lines.reduce((sum, line) => sum + micro(line.exactUsdc), 0n);
      expect(formatDecimal(exact)).toBe(worth(booked.totalAmount, EURO.value));
      const lines = document.lines.reduce((sum, { amount }) => sum + micro(amount), 0n);
      expect(lines).toBe(micro(document.total));
      expect(document).toMatchObject({ currency: "EUR", total: booked.totalAmount });
    } finally {
      await escrow.close();
    }
  });
});

describe("a stay in the currency of its country", () => {
  it("is paid and refunded completely, to the last micro-unit", async () => {
    const dates = { checkInDate: inDays(60), checkOutDate: inDays(63) };
    const Rate = Offer.extend({ fullRefundUntil: z.string().nullable() });
    const Hotels = z.object({ accommodations: z.array(z.object({ rates: z.array(Rate) })) });
    const found = Hotels.parse(requireResult(await service.call("search_hotels", { location: "London", ...dates })));
    const rate = found.accommodations.flatMap((place) => place.rates).find((one) => one.fullRefundUntil !== null);
    expect(rate).toMatchObject({ totalCurrency: "GBP", totalUsdc: worth(rate?.totalAmount ?? "", POUND.value) });
    const quote = Offer.parse(requireResult(await service.call("quote_stay", { rateId: rate?.id })));
    expect(quote).toMatchObject({ totalCurrency: "GBP", totalUsdc: rate?.totalUsdc });
    const guests = [{ givenName: "Tess", familyName: "Traveler" }];
    const stay = { quoteId: quote.id, guests, email: "tess@example.com", phoneNumber: "+14155550123" };
    const before = await available();
    const booked = Booked.parse(requireResult(await service.call("book_stay", stay)));
    expect(booked).toMatchObject({ chargedUsdc: quote.totalUsdc, rate: POUND });
    const cancellation = requireResult(await service.call("cancel_order_quote", { orderId: booked.orderId }));
    const { cancellationId } = z.looseObject({ cancellationId: z.string() }).parse(cancellation);
    const cancelled = requireResult(await service.call("confirm_cancel_order", { cancellationId }));
    expect(cancelled).toMatchObject({ refundCurrency: "GBP", refundedUsdc: quote.totalUsdc, rate: POUND });
    await expect.poll(available, { timeout: 30_000 }).toBe(before);
  });
});

describe("a stay in a currency without a smaller unit", () => {
  it("has whole amounts, in the search and in the quote", async () => {
    const dates = { checkInDate: inDays(60), checkOutDate: inDays(63) };
    const Rate = z.object({ id: z.string(), totalAmount: z.string(), perNightAmount: z.string() });
    const Hotels = z.object({ accommodations: z.array(z.object({ rates: z.array(Rate) })) });
    const found = Hotels.parse(requireResult(await service.call("search_hotels", { location: "Tokyo", ...dates })));
    const shown = found.accommodations.flatMap((place) => place.rates);
    const amounts = shown.flatMap(({ totalAmount, perNightAmount }) => [totalAmount, perNightAmount]);
    expect(amounts.filter((amount) => !/^[1-9]\d*$/u.test(amount))).toEqual([]);
    const quote = requireResult(await service.call("quote_stay", { rateId: shown[0]?.id }));
    const whole = expect.stringMatching(/^\d+$/u);
    expect(quote).toMatchObject({ totalCurrency: "JPY", totalAmount: whole, taxAmount: whole, feeAmount: whole });
  });
});

describe("a rate", () => {
  it("converts by integers, refunds the charge, and never more for parts than for the whole", async () => {
    const table = await embeddedRates.table(new AbortController().signal);
    const cases = fc.tuple(
      fc.constantFrom(...table.perEuro.keys()),
      fc.integer({ min: 0, max: 2_000 }),
      fc.array(fc.bigInt({ min: 0n, max: 10n ** 14n }), { minLength: 1, maxLength: 6 }),
    );
    fc.assert(
      fc.property(cases, ([currency, marginBps, parts]) => {
        const rate = rateBy(table, currency, marginBps);
        if (rate === undefined) throw new Error("every one of them has a rate");
        const usdc = (amount: bigint) => convert(formatDecimal(amount), currency, rate) ?? -1n;
        const whole = parts.reduce((sum, part) => sum + part, 0n);
        const inParts = parts.reduce((sum, part) => sum + usdc(part), 0n);
        expect(inParts <= usdc(whole)).toBe(true);
        expect(usdc(whole) - inParts < BigInt(parts.length)).toBe(true);
        // The greatest integer not above amount × rate, with the rate as written.
        const exact = scaled(rate.value);
        expect(usdc(whole) * 10n ** 12n <= whole * exact && (usdc(whole) + 1n) * 10n ** 12n > whole * exact).toBe(true);
        expect(currency === "USD" ? usdc(whole) : whole).toBe(whole);
        expect(convert("1.00", currency === "USD" ? "EUR" : "USD", rate)).toBeUndefined();
      }),
    );
  });
});

describe("a rate that is older than its source usually is", () => {
  const RATE_DAY = "2026-03-02";
  const provenance = { source: "test", sourceLevel: "live", asOf: RATE_DAY } as const;
  const take = (now: string, seen?: BookingRate) =>
    requireRate(
      {
        fx: {
          table: async (signal) => ({ ...(await embeddedRates.table(signal)), provenance }),
          terms: { marginBps: 0, mostAgeHours: 200 },
        },
        clock: { now: () => Temporal.Instant.from(now) },
      },
      "production",
      "EUR",
      seen,
    );

  it("is sold with a warning, also where it was new when it was shown", async () => {
    const fresh = await take("2026-03-03T12:00:00Z");
    expect(fresh).not.toHaveProperty("warning");
    const warning = "The rate is from 2026-03-02 and out of date: reference rates are published every working day.";
    expect(await take("2026-03-06T12:00:00Z")).toEqual({ ...fresh, warning });
    expect(await take("2026-03-06T12:00:00Z", fresh)).toEqual({ ...fresh, warning });
  });
});
