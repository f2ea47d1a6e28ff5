import { describe, expect, it } from "vitest";
import { fieldValues, listReasons } from "../../../../../test/support/documents/scanned.ts";
import { writeLine } from "../../../../../test/support/id-documents.ts";
import type { Barcode, Reading } from "../../reading/page.ts";
import { interpretBoardingPass } from "./boarding-pass.ts";

const about = { today: Temporal.PlainDate.from("2026-11-26"), companyName: undefined };
const box = { x: 0.6, y: 0.1, width: 0.3, height: 0.3 };

const TWO_LEGS = [
  "M2DESMARAIS/LUC       EABC123 YULFRAAC 0834 365J001A0025 100DEF456 FRAGVALH 3664 001C012C0002 100",
].join("");
const PLAIN = "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 330J001A0025 100";
/** Issued on day 324 of 2026, for day 330. */
const CODE = PLAIN.replace(/00$/, "0F>60B1WW6324BAC ");

function writePass(codes: readonly (string | Partial<Barcode>)[], rows: readonly string[] = []): Reading {
  const barcodes = codes.map((code) => ({
    symbology: "aztec" as const,
    page: 1,
    box,
    text: "",
    ...(typeof code === "string" ? { text: code } : code),
  }));
  const lines = rows.map((row, index) => writeLine([[0.05, row]], 0.05 * (index + 1)));
  return { pageCount: 1, pages: [{ page: 1, source: "ocr", lines }], barcodes, mrz: [], eInvoice: undefined };
}

const read = (codes: readonly (string | Partial<Barcode>)[], rows: readonly string[] = []) =>
  interpretBoardingPass(writePass(codes, rows), about);

const PRINTED = ["BOARDING PASS", "DESMARAIS/LUC", "Flight AC834 Date 26NOV Seat 1A", "From YUL to FRA"];

describe("interpretBoardingPass", () => {
  it("reads every value of a barcode that the print confirms", () => {
    const scan = read([CODE], PRINTED);
    expect(fieldValues(scan)).toEqual({
      passengerName: "DESMARAIS/LUC",
      familyName: "DESMARAIS",
      givenName: "LUC",
      bookingReference: "ABC123",
      ticketIndicator: "E",
    });
    expect(scan.legs?.map((fields) => fieldValues({ fields }))).toEqual([
      {
        bookingReference: "ABC123",
        carrier: "AC",
        flightNumber: "834",
        origin: "YUL",
        destination: "FRA",
        departsOn: "2026-11-26",
        cabinClassCode: "J",
        seat: "1A",
        sequenceNumber: "25",
        passengerStatus: "1",
      },
    ]);
    expect(listReasons(scan)).toEqual([]);
    expect(scan.references).toEqual(["ABC123"]);
    expect(scan.fields.passengerName?.from).toEqual({ source: "barcode", page: 1, box });
  });

  it("reads every leg across the turn of the year", () => {
    const scan = read([TWO_LEGS]);
    expect(scan.legs?.map(({ departsOn }) => departsOn?.value)).toEqual(["2026-12-31", "2027-01-01"]);
    expect(scan.references).toEqual(["ABC123", "DEF456"]);
    expect(listReasons(scan)).toEqual([]);
  });

  it("takes the printed year if the barcode has none", () => {
    const code = PLAIN.replace("330J", "100J");
    expect(listReasons(read([code]))).toEqual(["year_guessed departsOn"]);
    const scan = read([code], ["AC 834 10 APR 2026"]);
    expect([scan.legs?.[0]?.departsOn?.value, listReasons(scan)]).toEqual(["2026-04-10", []]);
    const old = read([PLAIN], ["AC834 25NOV2024"]);
    expect([old.legs?.[0]?.departsOn?.value, listReasons(old)]).toEqual(["2024-11-25", []]);
  });

  it.each([
    ["another flight of the carrier", ["DESMARAIS/LUC", "AC835 26NOV"], "parts_disagree flightNumber"],
    ["another date", ["DESMARAIS/LUC", "AC834 29NOV"], "parts_disagree departsOn"],
    ["another year than the issue allows", ["DESMARAIS/LUC", "AC834 26NOV2025"], "parts_disagree departsOn"],
    ["the day after", ["DESMARAIS/LUC", "AC834 27NOV"], "parts_disagree departsOn"],
    ["another name", ["MARTIN/ANNE", "AC834 26NOV"], "parts_disagree passengerName"],
    ["another name around a stroke of its own", ["MARTIN / ANNE MS", "AC834 26NOV"], "parts_disagree passengerName"],
    ["another name beside its label", ["Passenger: Anne Martin", "AC834 26NOV"], "parts_disagree passengerName"],
    ["another name below its label", ["NAME OF PASSENGER", "ANNE MARTIN"], "parts_disagree passengerName"],
    ["another given name", ["DESMARAIS / ANNE MS", "AC834 26NOV"], "parts_disagree passengerName"],
    ["another booking reference", ["DESMARAIS/LUC", "Booking QQQ777"], "parts_disagree bookingReference"],
    ["another destination", ["DESMARAIS/LUC", "YUL Montreal to BOS Boston"], "parts_disagree destination"],
    ["another origin", ["DESMARAIS/LUC", "BOS - FRA"], "parts_disagree origin"],
    ["another destination below its label", ["DESMARAIS/LUC", "From YUL", "To BOS"], "parts_disagree destination"],
    ["another seat", ["DESMARAIS/LUC", "Seat 14C"], "parts_disagree seat"],
  ])("reports that the print shows %s", (_, rows, code) => {
    expect(listReasons(read([CODE], rows))).toEqual([code]);
  });

  it.each([
    ["the marketing carrier's flight", ["UA9834 26NOV"]],
    ["a seat after the month", ["AC 834 26 NOV 20D"]],
    ["labels in two languages", ["FROM/VON", "AC834 26NOV"]],
    ["a name with a title", ["DESMARAIS/LUC MR"]],
    ["the next flight as well", ["AC834 26NOV", "AC100 27NOV"]],
    ["the day of the arrival", ["AC834 26NOV 27NOV"]],
    ["a name with blanks around its stroke", ["DESMARAIS / LUC MR"]],
    ["a name with a letter that was misread", ["DESMARA1S / LUC", "DESMARALS/LUC"]],
    ["a name in its natural order", ["Passenger Luc Desmarais"]],
    ["a second given name", ["DESMARAIS/LUC ANDRE"]],
    ["an initial", ["DESMARAIS/L"]],
    ["a reference with a digit that was misread", ["Booking A8CI23"]],
    ["what a label of the reference goes on with", ["Booking NUMBER", "Booking STATUS", "Booking online"]],
    ["the next airport as well", ["YUL - FRA", "FRA - VLH"]],
    ["a sentence with words that are airports", ["YUL FRA", "BITTE DIE KARTE BIS ZUM AUSSTEIGEN DEN"]],
    ["cities without codes", ["MONTREAL to FRANKFURT"]],
    ["a seat with zeros, or with a digit that was misread", ["Seat 001A", "Seat IA"]],
  ])("tolerates %s", (_, rows) => {
    expect(listReasons(read([CODE], rows))).toEqual([]);
  });

  it("follows the first of several passes, and reports the others", () => {
    const other = CODE.replace("DESMARAIS/LUC ", "DESMARAIS/ZOE ");
    const scan = read([CODE, { text: other, page: 2 }]);
    expect([fieldValues(scan).givenName, listReasons(scan)]).toEqual(["LUC", ["several_documents"]]);
    expect(listReasons(read([CODE, { text: CODE, symbology: "pdf417" }, "https://example.com"]))).toEqual([]);
  });

  it("ignores print that was hardly legible", () => {
    const { pages, ...rest } = writePass([CODE], ["MARTIN/ANNE", "AC835 29NOV", "BOS - MIA", "Seat 14C", "PNR QQQ777"]);
    const faint = pages.map(({ lines, ...page }) => ({
      ...page,
      lines: lines.map(({ words }) => ({ words: words.map((word) => ({ ...word, confidence: 0.7 })) })),
    }));
    expect(listReasons(interpretBoardingPass({ ...rest, pages: faint }, about))).toEqual([]);
  });

  it("guesses the latest possible year, with low confidence", () => {
    const scan = read([PLAIN.replace("330J", "180J")]);
    expect(scan.legs?.[0]?.departsOn).toMatchObject({ value: "2026-06-29", confidence: 0.5 });
    expect(listReasons(scan)).toEqual(["year_guessed departsOn"]);
  });

  it("reports the unknown part of a name", () => {
    const full = read([PLAIN.replace("DESMARAIS/LUC       ", "DESMARAIS/ALEXANDRAM")]);
    expect(listReasons(full)).toEqual(["name_not_confirmed givenName"]);
    const confirmed = read([PLAIN.replace("DESMARAIS/LUC       ", "DESMARAIS/ALEXANDRAX")], ["DESMARAIS / ALEXANDRAX"]);
    expect(listReasons(confirmed)).toEqual([]);
    const whole = read([PLAIN.replace("DESMARAIS/LUC       ", "DESMARAIS/LUCIEN MRS")]);
    expect([fieldValues(whole).givenName, listReasons(whole)]).toEqual(["LUCIEN", []]);
    const titled = read([PLAIN.replace("DESMARAIS/LUC       ", "DESMARAIS/LUC MR    ")]);
    expect([fieldValues(titled).givenName, listReasons(titled)]).toEqual(["LUC", []]);
    const glued = read([PLAIN.replace("DESMARAIS/LUC       ", "DESMARAIS/LUCMR     ")]);
    expect([fieldValues(glued).givenName, listReasons(glued)]).toEqual(["LUC", ["low_confidence givenName"]]);
  });

  it("doubts an airport that does not exist", () => {
    expect(listReasons(read([PLAIN.replace("YULFRA", "YULQQQ")]))).toEqual(["low_confidence destination"]);
  });

  it("reads a pass of one leg followed by something else, with a reason", () => {
    expect(listReasons(read([`${PLAIN}>2180  0255BBR`]))).toEqual(["barcode_invalid"]);
  });

  it("reads the print if there is no barcode, with low confidence", () => {
    const rows = [...PRINTED, "Booking reference XKW347"];
    const scan = read([], rows);
    expect(listReasons(scan)).toEqual(["barcode_missing"]);
    expect(fieldValues(scan)).toEqual({
      passengerName: "DESMARAIS/LUC",
      familyName: "DESMARAIS",
      givenName: "LUC",
      bookingReference: "XKW347",
    });
    expect(scan.legs?.map((fields) => fieldValues({ fields }))).toEqual([
      {
        bookingReference: "XKW347",
        carrier: "AC",
        flightNumber: "834",
        origin: "YUL",
        destination: "FRA",
        departsOn: "2026-11-26",
        seat: "1A",
      },
    ]);
    const fields = [scan.fields, ...(scan.legs ?? [])].flatMap((group) => Object.values(group));
    expect(fields.every(({ confidence, from }) => confidence <= 0.5 && from.source === "ocr")).toBe(true);
    expect(listReasons(read(["https://example.com/pass"], rows))).toEqual(["barcode_invalid"]);
    const unclear = read([], [...PRINTED, "Booking reference XKW3Z7"]);
    expect([fieldValues(unclear).bookingReference, unclear.references]).toEqual([undefined, ["XKW3Z7"]]);
    expect(listReasons(unclear)).toContain("low_confidence bookingReference");
  });

  it.each([
    ["around a stroke", ["DESMARAIS / LUC ANDRE Seat"], ["DESMARAIS/LUC ANDRE", "DESMARAIS", "LUC ANDRE"]],
    ["of several words", ["DE LA CRUZ/ANA Gate"], ["DE LA CRUZ/ANA", "DE LA CRUZ", "ANA"]],
    ["beside a label", ["NAME: Luc Desmarais"], ["LUC DESMARAIS", undefined, undefined]],
    ["that is a label in two languages", ["NAME / NOM", "FROM/VON"], [undefined, undefined, undefined]],
  ])("reads a printed name %s", (_, rows, names) => {
    const { passengerName, familyName, givenName } = fieldValues(read([], ["BOARDING PASS", ...rows]));
    expect([passengerName, familyName, givenName]).toEqual(names);
  });

  it.each([
    ["a receipt", ["RECEIPT", "SUBTOTAL 10.00", "VAT 1.90", "TOTAL 11.90"]],
    ["a receipt in words that are not known", ["CAFE CENTRAL", "25.04.26", "Ukupno 11,90"]],
    ["a passport", ["PASSPORT", "Surname", "DESMARAIS", "Nationality"]],
  ])("reports that %s is no boarding pass", (_, rows) => {
    const scan = read([], rows);
    expect([listReasons(scan), scan.fields, scan.legs]).toEqual([["wrong_kind", "barcode_missing"], {}, []]);
  });

  it("reports that nothing could be read", () => {
    expect(listReasons(read([], ["BOARDING"]))).toEqual(["barcode_missing"]);
    expect(listReasons(read([]))).toEqual(["unreadable", "barcode_missing"]);
  });

  it("removes control characters of a hostile text", () => {
    const scan = read([], ["DESMARAIS/LUC\u202e", "Flight AC834"]);
    expect(JSON.stringify(scan)).not.toContain("\u202e");
  });
});
