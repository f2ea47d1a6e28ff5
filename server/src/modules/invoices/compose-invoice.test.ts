import { expect, it } from "vitest";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { MICRO_PER_UNIT, parseDecimal } from "../../domain/money.ts";
import type { BoughtOrder } from "../orders/index.ts";
import { composeCreditNote, composeInvoice, type InvoiceFacts } from "./compose-invoice.ts";
import { convertTax } from "./seller-currency.ts";
import { InvoicingSettings } from "./settings.ts";

const settledAt = Temporal.Instant.from("2026-11-20T23:30:00Z");
const perEuro = new Map([
  ["EUR", MICRO_PER_UNIT],
  ["USD", 1_100_000n],
  ["JPY", 160_000_000n],
  ["HUF", 400_000_000n],
]);
const provenance = { source: "ECB", sourceLevel: "live", asOf: "2026-11-20" } as const;
const taxRates = { perEuro, provenance: { ...provenance, fallbackFrom: [], attribution: [] } };
const party = { name: "Example", addressLines: ["1"], countryCode: "DE" };

const readSettings = (settings: object) =>
  InvoicingSettings.parse({ seller: party, buyer: party, timeZone: "Europe/Berlin", ...settings });

/** A stay at 33333 yen and a fee of 5.55 USDC, at 0.0065 USDC per yen. */
function inYen(settings: InvoicingSettings | undefined): InvoiceFacts {
  const rate = {
    from: "JPY",
    to: "USDC",
    value: "0.0065",
    source: "ECB",
    sourceLevel: "live",
    asOf: null,
    marginBps: 0,
  } as const;
  const result = { accommodationName: "Inn", checkInDate: "2027-01-10", checkOutDate: "2027-01-12" };
  const order: BoughtOrder = {
    orderId: "ord_1",
    bookingId: "bkg_1",
    tenantId: "t",
    environment: "sandbox",
    kind: "stay",
    status: "confirmed",
    ticketing: undefined,
    holdUntil: undefined,
    pnr: "ZZ1",
    documents: [],
    slices: [],
    scheduleChanges: [],
    totalAmount: "33333",
    totalCurrency: "JPY",
    priceParts: ["33333"],
    rate,
    itineraryHash: undefined,
    itinerarySalt: "",
    ticketOrderHash: undefined,
    externalId: undefined,
    readAt: undefined,
    events: [],
    createdAt: settledAt,
    updatedAt: settledAt,
    booking: {
      userId: "u",
      callId: "c",
      offerId: "o",
      escrowBookingId: undefined,
      coverCharged: 0n,
      travelers: [],
      result,
    },
  };
  return {
    settlement: {
      booking: {
        bookingId: "0x01",
        tripId: "0x02",
        ...sandboxChain,
        tenantId: "t",
        serviceFee: 0n,
        itineraryHash: undefined,
        vendorPaid: 216_664_500n,
        feePaid: 5_550_000n,
      },
      transactionHash: "0x04",
      settledAt,
    },
    order,
    settings,
    buyerName: undefined,
    chainId: 1,
    issuedAt: settledAt,
    taxRates,
  };
}

it("an invoice in yen has whole yen, the supplier's own price, and the seller's tax in euros", () => {
  const settings = readSettings({ tax: { treatment: "included", ratePercent: "19" } });
  const invoice = composeInvoice(inYen(settings), "INV-000001");
  expect(invoice).toMatchObject({ currency: "JPY", total: "34187" });
  expect(invoice.lines).toEqual([
    { kind: "stay", amount: "33333", exactUsdc: "216.6645" },
    { kind: "fees", amount: "854", exactUsdc: "5.55" },
  ]);
  // 854 / 1.19 * 0.19, and 136 / 160.
  expect(invoice.tax).toMatchObject({ includedAmount: "136", inSellerCurrency: { currency: "EUR", amount: "0.85" } });
  // By the seller's calendar.
  expect(invoice.supplied).toEqual({ from: "2026-11-21", to: "2026-11-21" });
});

it("what is supplied is the journey under the margin scheme, and the settings may say otherwise", () => {
  const margin = { tax: { treatment: "margin_scheme" } };
  const supplied = (settings: object) => composeInvoice(inYen(readSettings(settings)), "INV-1").supplied;
  expect(supplied(margin)).toEqual({ from: "2027-01-10", to: "2027-01-12" });
  expect(supplied({ ...margin, dateOfSupply: "settlement" })?.from).toBe("2026-11-21");
  expect(supplied({ tax: { treatment: "exempt" }, dateOfSupply: "journey" })?.from).toBe("2027-01-10");
});

it("without settings the buyer is the one of the trip, and what is supplied is the stay", () => {
  const invoice = composeInvoice({ ...inYen(undefined), buyerName: "Example Ltd" }, "INV-1");
  expect(invoice).toMatchObject({
    seller: null,
    buyer: { name: "Example Ltd", addressLines: [] },
    booking: { orderedBy: "Example Ltd" },
    supplied: { from: "2027-01-10", to: "2027-01-12" },
  });
  const settings = readSettings({ buyer: { ...party, name: "Example Holding" }, tax: { treatment: "none" } });
  expect(composeInvoice({ ...inYen(settings), buyerName: "Bob" }, "INV-1")).toMatchObject({
    buyer: { name: "Example Holding" },
    booking: { orderedBy: "Bob" },
    supplied: { from: "2026-11-21" },
  });
});

it("credit notes of many small refunds add up to the invoice, in yen and in USDC", () => {
  const invoice = composeInvoice(inYen(undefined), "INV-000001");
  const whole = parseDecimal(invoice.settlement.totalUsdc) ?? 0n;
  const refunds = [...Array.from({ length: 99 }, () => whole / 100n), whole - (whole / 100n) * 99n];
  const notes: ReturnType<typeof composeCreditNote>[] = [];
  for (const refund of refunds) {
    const facts = { refund, earlier: notes, settings: undefined, issuedAt: settledAt };
    notes.push(composeCreditNote(invoice, facts, `CN-${notes.length}`));
  }
  const sum = (amounts: readonly string[]) => amounts.reduce((all, one) => all + (parseDecimal(one) ?? 0n), 0n);
  expect(sum(notes.map(({ total }) => total))).toBe(parseDecimal("34187"));
  expect(sum(notes.map(({ settlement }) => settlement.totalUsdc))).toBe(whole);
  expect(new Set(notes.map(({ total }) => total)).size).toBeLessThanOrEqual(2);
});

it("the tax is converted only where the seller's law asks for it, in whole units of a currency that has no others", () => {
  const convert = (countryCode: string, currency: string) =>
    convertTax(
      1_234n,
      taxRates,
      readSettings({ seller: { ...party, countryCode }, tax: { treatment: "included", ratePercent: "27" } }),
      currency,
    );
  expect(convert("HU", "USD")).toMatchObject({ currency: "HUF", amount: "4487", rate: { value: "363.636364" } });
  expect(convert("DE", "EUR")).toBeNull();
  expect(convert("US", "EUR")).toBeNull();
});
