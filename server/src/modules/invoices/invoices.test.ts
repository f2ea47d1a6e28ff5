import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Escrow, freshHash, HexText, openEscrow } from "../../../test/support/escrow.ts";
import type { CallOptions, TestService } from "../../../test/support/service.ts";
import { settledFlight } from "../../../test/support/settled-flight.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult, stranger } from "../../../test/support/treasury.ts";
import { parseDecimal } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import { InvoiceDocument } from "./document.ts";

let service: TestService;
let escrow: Escrow;
let tripId: Hex;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  tripId = await escrow.prefund("3000");
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

const Invoice = z.looseObject({
  invoiceNumber: z.string(),
  pdfUrl: z.string(),
  jsonUrl: z.string(),
  totalUsdc: z.string(),
  total: z.string(),
  settleTxHash: HexText,
  creditNotes: z.array(z.looseObject({ invoiceNumber: z.string(), totalUsdc: z.string(), jsonUrl: z.string() })),
});

const invoice = async (bookingId: Hex, args: object = {}, as: CallOptions = {}) =>
  await service.call("generate_booking_invoice", { bookingId, ...args }, as);
const issueInvoice = async (bookingId: Hex, args: object = {}) =>
  Invoice.parse(requireResult(await invoice(bookingId, args)));
const invoiceCode = async (bookingId: Hex, args: object = {}, as: CallOptions = {}) =>
  (await invoice(bookingId, args, as)).body.code;
const fetchFile = async (url: string) => await fetch(url);
const documentAt = async (url: string) => InvoiceDocument.parse(await (await fetchFile(url)).json());
const api = async (method: string, path: string, body?: unknown) =>
  await service.send(path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Paid out to the tenant's own vendor, with odd micro-units. */
async function settledBooking(): Promise<{ bookingId: Hex; txHash: Hex }> {
  const bookingId = await escrow.reserve(tripId, "60");
  const commit = { vendorAmountUsdc: "33.333333", feeAmountUsdc: "5.555556", vendorAddress: stranger() };
  requireResult(await service.call("commit_booking", { bookingId, itineraryHash: freshHash(), ...commit }));
  requireResult(await service.call("confirm_flight", { bookingId, ticketOrderHash: freshHash() }));
  const { txHash } = requireResult(await service.call("settle_booking", { bookingId }));
  return { bookingId, txHash: HexText.parse(txHash) };
}

const parseNumber = (text: string): number => Number(/^SANDBOX-INV-(\d{6})$/.exec(text)?.[1]);
const cents = (amount: string): bigint => (parseDecimal(amount) ?? -1n) / 10_000n;

describe("an invoice", () => {
  it("is the only one of its booking, however often it is requested, and numbers have no gaps", async () => {
    const { bookingId, txHash } = await settledBooking();
    const asked = await Promise.all(Array.from({ length: 8 }, () => issueInvoice(bookingId)));
    const [first] = asked;
    expect(new Set(asked.map(({ invoiceNumber }) => invoiceNumber)).size).toBe(1);
    expect(first).toMatchObject({ totalUsdc: "38.888889", total: "38.89", currency: "USD", settleTxHash: txHash });
    expect(first).toMatchObject({ sandbox: true, notGiven: ["seller", "buyer"], creditNotes: [] });
    const others = await Promise.all([settledBooking(), settledBooking()]);
    const numbers = await Promise.all(others.map(async (one) => (await issueInvoice(one.bookingId)).invoiceNumber));
    const own = parseNumber(first?.invoiceNumber ?? "");
    expect(numbers.map(parseNumber).toSorted()).toEqual([own + 1, own + 2]);
  });

  it("leaves no gap if its document is not stored after its number was taken", async () => {
    const { bookingId } = await settledBooking();
    const before = (await issueInvoice((await settledBooking()).bookingId)).invoiceNumber;
    // Simulates a death between the two: the database refuses this tenant's documents.
    await service.sql(`create function refuse_invoice() returns trigger language plpgsql as
      $$ begin if new.tenant_id = '${service.tenantId}' then raise exception 'refused'; end if; return new; end $$`);
    await service.sql(
      "create trigger refuse_invoice before insert on booking_invoice for each row execute function refuse_invoice()",
    );
    try {
      expect((await invoice(bookingId)).body.ok).toBe(false);
    } finally {
      await service.sql("drop function refuse_invoice cascade");
    }
    expect(parseNumber((await issueInvoice(bookingId)).invoiceNumber)).toBe(parseNumber(before) + 1);
  });

  it("names seller, buyer and tax as configured, and its lines add up to its total to the cent", async () => {
    const settings = {
      seller: { name: "Example Travel GmbH", addressLines: ["Beispielstraße 12"], countryCode: "DE", taxId: "DE1" },
      buyer: { name: "יוסי בן-דוד", addressLines: ["Tel Aviv"], countryCode: "IL", reference: "PO 4711" },
      dueDays: 14,
      showMarkup: true,
      language: "de",
      tax: { treatment: "included", ratePercent: "19" },
    };
    expect((await api("PUT", "/api/invoicing", settings)).status).toBe(200);
    expect((await api("GET", "/api/invoicing")).body.settings).toMatchObject(settings);
    const { bookingId } = await settledBooking();
    const answer = await issueInvoice(bookingId);
    const { jsonUrl, pdfUrl, invoiceNumber } = answer;
    const document = await documentAt(jsonUrl);
    expect(document).toMatchObject({ seller: settings.seller, buyer: { name: "יוסי בן-דוד", reference: "PO 4711" } });
    expect(document.lines.map(({ kind }) => kind)).toEqual(["vendor", "markup"]);
    const sum = document.lines.reduce((all, { amount }) => all + cents(amount), 0n);
    expect(sum).toBe(cents(document.total));
    // 5.56 include 0.89 at 19 %. The law of the seller's country asks for the tax in euros.
    expect(document.tax).toMatchObject({ treatment: "included", includedAmount: "0.89" });
    const { rate, ...sellerTax } = document.tax.inSellerCurrency ?? { rate: { value: "" } };
    expect(sellerTax).toEqual({ currency: "EUR", amount: (0.89 * Number(rate.value)).toFixed(2) });
    expect(document.supplied).toEqual({ from: document.issuedOn, to: document.issuedOn });
    expect(Temporal.PlainDate.from(document.issuedOn).add({ days: 14 }).toString()).toBe(document.dueOn);

    const pdf = Buffer.from(await (await fetchFile(pdfUrl)).arrayBuffer());
    const said = pdf.toString("latin1");
    expect(said.startsWith("%PDF-1.7")).toBe(true);
    expect(said).toContain("<pdfaid:part>3</pdfaid:part>");
    expect(said).toContain("/AFRelationship /Data");
    // Without the official rules nothing claims to be an e-invoice, and the reader is told why.
    const reason = expect.stringMatching(/EN 16931 rules are not installed/);
    for (const { eInvoice } of [answer, document]) expect(eInvoice).toMatchObject({ available: false, reason });
    expect(said).not.toContain("factur-x");
    expect(said.match(/\/Type \/Page\b/g)).toHaveLength(1);
    expect(said.match(/\/FontFile2/g)?.length).toBeGreaterThanOrEqual(2);
    expect(readStreams(pdf).some((one) => one.includes(invoiceNumber))).toBe(true);
    expect(said).not.toContain("BIZUDPGothic");

    const wrong = { ...settings, tax: { treatment: "exempt", ratePercent: "19" } };
    expect((await api("PUT", "/api/invoicing", wrong)).body).toMatchObject({ code: "invalid_input" });
    expect((await api("PUT", "/api/invoicing", { ...settings, invoiceSeries: "INV-1" })).status).toBe(400);
  });

  it("is in Japanese for a Japanese buyer, whose name is also on an English one, with all its letters", async () => {
    const party = { addressLines: ["東京都千代田区"], countryCode: "JP" };
    const settings = { seller: { ...party, name: "Example" }, buyer: { ...party, name: "髙橋商事 陳偉" }, dueDays: 14 };
    for (const language of ["ja", "en"]) {
      expect((await api("PUT", "/api/invoicing", { ...settings, language, tax: { treatment: "none" } })).status).toBe(
        200,
      );
      const answer = requireResult(await invoice((await settledBooking()).bookingId));
      expect(answer).toMatchObject({ charactersNotShown: "", language: { used: language } });
      const pdf = Buffer.from(await (await fetchFile(Invoice.parse(answer).pdfUrl)).arrayBuffer());
      expect(pdf.toString("latin1")).toMatch(/\/FontName \/[A-Z]{6}\+BIZUDPGothic-Bold/);
      expect(pdf.length).toBeLessThan(150_000);
      // A PDF maps its glyph numbers to characters.
      const characters = readStreams(pdf)
        .filter((one) => one.includes("beginbfrange"))
        .join();
      const shows = (text: string) => Array.from(text).every((one) => characters.includes(glyphHex(one)));
      expect(shows("髙橋商事陳偉東京都千代田区")).toBe(true);
      expect(shows("請求書")).toBe(language === "ja");
      // The country by its name.
      expect([shows("日本"), shows("Japan")]).toEqual([language === "ja", language === "en"]);
    }
  });

  it("stays at its addresses until they are revoked, and the same PDF is given at new ones", async () => {
    const { bookingId } = await settledBooking();
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => issueInvoice(bookingId)));
    if (first === undefined) throw new Error("the invoice was not issued");
    const { pdfUrl, jsonUrl } = first;
    for (const one of others) expect(one).toMatchObject({ pdfUrl, jsonUrl });
    // However many other files the tenant makes.
    await service.sql("delete from shared_file where tenant_id = $1", [service.tenantId]);
    const pdf = await (await fetchFile(first.pdfUrl)).bytes();
    const revoked = await api("DELETE", `/api/invoices/${first.invoiceNumber}/files`);
    expect(revoked.body).toEqual({ revoked: 2 });
    for (const url of [first.pdfUrl, first.jsonUrl]) expect((await fetchFile(url)).status).toBe(404);
    const again = await issueInvoice(bookingId);
    expect(again.pdfUrl).not.toBe(first.pdfUrl);
    expect((await fetchFile(first.pdfUrl)).status).toBe(404);
    expect((await issueInvoice(bookingId)).jsonUrl).toBe(again.jsonUrl);
    expect(await (await fetchFile(again.pdfUrl)).bytes()).toEqual(pdf);
    const { body } = await api("GET", "/api/invoices?limit=1");
    expect(body.invoices).toEqual([expect.objectContaining({ invoiceNumber: first.invoiceNumber, kind: "invoice" })]);
  });
});

describe("a refund", () => {
  it("creates one credit note that names the flight's invoice, with the amount really refunded", async () => {
    const { bookingId, orderId, price } = await settledFlight(service, escrow);
    const first = await issueInvoice(bookingId);
    expect(first.creditNotes).toEqual([]);
    const document = await documentAt(first.jsonUrl);
    expect(document.booking).toMatchObject({
      orderId,
      travelers: ["Tess Traveler"],
      pnr: expect.stringMatching(/^ZZ/),
    });
    expect(document.booking.tickets.length).toBeGreaterThan(0);
    expect(document.lines.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["fare", "taxes"]));
    expect(cents(document.total)).toBe(cents(price) + 750n);
    expect(document.lines.reduce((all, { amount }) => all + cents(amount), 0n)).toBe(cents(document.total));

    const { cancellationId } = requireResult(await service.call("cancel_order_quote", { orderId }));
    const { refundedUsdc } = requireResult(await service.call("confirm_cancel_order", { cancellationId }));
    expect(parseDecimal(String(refundedUsdc))).toBeGreaterThan(0n);
    const asked = await Promise.all(Array.from({ length: 4 }, () => issueInvoice(bookingId)));
    for (const { creditNotes, invoiceNumber } of asked) {
      expect(invoiceNumber).toBe(first.invoiceNumber);
      expect(creditNotes.map(({ totalUsdc }) => totalUsdc)).toEqual([refundedUsdc]);
    }
    const note = await documentAt(asked[0]?.creditNotes[0]?.jsonUrl ?? "");
    expect(note).toMatchObject({
      kind: "credit_note",
      corrects: { number: first.invoiceNumber },
      booking: { orderId },
    });
    expect(note.number).toMatch(/^SANDBOX-CN-\d{6}$/);
  });
});

describe("an invoice is refused", () => {
  it("before the settlement, for another tenant's booking, or with another hash", async () => {
    const { bookingId, txHash } = await settledBooking();
    const other = await settledBooking();
    const open = await escrow.bookingAfter(tripId, "confirm_flight");
    expect(await invoiceCode(open)).toBe("booking_not_settled");
    expect(await invoiceCode(await escrow.bookingAfter(tripId, "cancel_booking"))).toBe("booking_not_settled");
    expect(await invoiceCode(freshHash())).toBe("booking_not_found");
    expect(await invoiceCode(bookingId, { settleTxHash: freshHash() })).toBe("settlement_unknown");
    expect(await invoiceCode(bookingId, { settleTxHash: other.txHash })).toBe("settlement_of_other_booking");
    expect(await invoiceCode(bookingId, { settleTxHash: "0x12" })).toBe("invalid_input");
    const { as } = await newFundedTenant(service, "Others");
    expect(await invoiceCode(bookingId, {}, as)).toBe("booking_not_found");
    await service.sql("update chain_transaction set state = 'reverted' where hash = $1", [txHash]);
    expect(await invoiceCode(bookingId, { settleTxHash: txHash })).toBe("settlement_reverted");
    expect(await invoiceCode(bookingId)).toBe("settlement_not_final");
    // As after a reorganisation of the chain: signed, and no longer in a block.
    const back = "update chain_transaction set state = 'signed', block_number = null where hash = $1";
    const [{ block_number: block = null } = {}] = await service.sql(
      "select block_number from chain_transaction where hash = $1",
      [txHash],
    );
    await service.sql(back, [txHash]);
    expect(await invoiceCode(bookingId, { settleTxHash: txHash })).toBe("settlement_not_final");
    expect(await invoiceCode(bookingId)).toBe("settlement_not_final");
    await service.sql("update chain_transaction set state = 'confirmed', block_number = $2 where hash = $1", [
      txHash,
      block,
    ]);
    expect((await issueInvoice(bookingId, { settleTxHash: txHash })).settleTxHash).toBe(txHash);
  });
});

const glyphHex = (character: string): string => `<${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}>`;

/** The decompressed streams of a PDF. */
function readStreams(pdf: Buffer): string[] {
  const found: string[] = [];
  for (let at = pdf.indexOf("stream\n"); at !== -1; at = pdf.indexOf("stream\n", at + 7)) {
    const end = pdf.indexOf("endstream", at);
    const raw = pdf.subarray(at + 7, end);
    try {
      found.push(inflateSync(raw).toString("utf8"));
    } catch {
      found.push(raw.toString("utf8"));
    }
    at = end;
  }
  return found;
}
