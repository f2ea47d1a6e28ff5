import { describe, expect, test } from "vitest";
import { type Layout, layOut } from "../../../../../test/support/documents/lay-out.ts";
import { receiptTexts } from "../../../../../test/support/documents/receipt-texts.ts";
import { fieldValues, listReasonCodes } from "../../../../../test/support/documents/scanned.ts";
import type { Reading } from "../../reading/page.ts";
import type { Scan } from "../../scan.ts";
import { interpretInvoice, interpretReceipt } from "./read-receipt.ts";

const about = { today: Temporal.PlainDate.from("2026-11-26"), companyName: undefined };
const readInvoice = (text: string | readonly string[], layout?: Layout): Scan =>
  interpretInvoice(layOut(text, layout), about);
const readReceipt = (text: string, layout?: Layout): Scan => interpretReceipt(layOut(text, layout), about);
const rowValues = (rows: Scan["lines"]) => rows?.map((fields) => fieldValues({ fields }));

describe("receipts and invoices of many kinds", () => {
  for (const [name, { text, fields }] of Object.entries(receiptTexts)) {
    test(name, () => {
      for (const layout of [{}, { source: "ocr", confidence: 0.93 }] as const) {
        const scan = readInvoice(text, layout);
        expect(fieldValues(scan)).toMatchObject(fields);
        expect(scan.reasons).toEqual([]);
      }
    });
  }

  test("lines have quantity and price if their product is the amount", () => {
    const { lines, taxes } = readInvoice(receiptTexts["invoice with a deposit that was paid"]?.text ?? "");
    expect(rowValues(lines)).toEqual([
      { description: "Room, 3 nights", quantity: "3", unitAmount: "180.00", amount: "540.00" },
      { description: "Dinner", quantity: "2", unitAmount: "35.00", amount: "70.00" },
    ]);
    expect(rowValues(taxes)).toEqual([{ ratePercent: "20", netAmount: "610.00", taxAmount: "122.00" }]);
  });

  test("taxes have one entry for each rate", () => {
    const { taxes } = readInvoice(receiptTexts["German supermarket with two rates, a deposit and change"]?.text ?? "");
    expect(rowValues(taxes)).toEqual([
      { ratePercent: "19", netAmount: "3.53", taxAmount: "0.67" },
      { ratePercent: "7", netAmount: "5.29", taxAmount: "0.37" },
    ]);
  });

  test("an invoice over two pages is one sum, and its fields name their page", () => {
    const first =
      "\nNordlicht Reisen GmbH\nHafen 2, 24103 Kiel\nRechnung Nr. 88\nDatum 20.11.2026\nFähre      120,00\nHotel      300,00\nÜbertrag      420,00\n";
    const second =
      "\nÜbertrag      420,00\nMietwagen      80,00\nNetto      500,00\nMwSt 19%      95,00\nGesamtbetrag      595,00 EUR\n";
    const scan = readInvoice([first, second]);
    expect(fieldValues(scan)).toMatchObject({ totalAmount: "595.00", netAmount: "500.00", taxAmount: "95.00" });
    expect(rowValues(scan.lines)?.map(({ amount }) => amount)).toEqual(["120.00", "300.00", "80.00"]);
    expect(scan.reasons).toEqual([]);
    expect(scan.fields.totalAmount?.from).toMatchObject({ source: "text", page: 2 });
    expect(scan.fields.issuedOn?.from.page).toBe(1);
  });

  test("a field names its place on the page", () => {
    const { fields } = readReceipt("\nKiosk Ltd\n\nTotal GBP      12.30\n", { columns: 40 });
    const box = fields.totalAmount?.from.box;
    expect(box?.x).toBeCloseTo(15 / 40);
    expect(box?.width).toBeCloseTo(5 / 40);
  });
});

describe("inconsistencies are reported", () => {
  const items = "\nKiosk Ltd, London\n2026-11-20 10:00\nTea      2.00\nCake      4.50\n";
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    "lines that do not add up": [`${items}Total      £7.50\n`, "lines_disagree"],
    "a net amount and a tax that do not make the total": [
      `${items}Net      6.50\nVAT 20%      1.30\nTotal      £8.80\n`,
      "totals_disagree",
    ],
    "a tax that is not its rate of the net amount": [
      "\nKiosk Ltd, London\n2026-11-20\nNet 20%      10.00\nVAT 20%      3.00\nTotal      £13.00\n",
      "taxes_disagree",
    ],
    "cash and change of another amount": [
      `${items}Total      £6.50\nCash      £10.00\nChange      £2.50\n`,
      "totals_disagree",
    ],
    "two different totals": [`${items}Total      £6.50\nTotal      £9.10\n`, "several_totals"],
    "no total": ["\nKiosk Ltd, London\n2026-11-20\nThank you for your visit\n", "total_missing"],
    "no date": ["\nKiosk Ltd, London\nTea £2.00\nCake £4.50\nTotal      £6.50\n", "date_missing"],
    "a date in the future": [`${items.replace("2026-11-20", "2026-12-20")}Total      £6.50\n`, "date_in_the_future"],
  };
  for (const [name, [text, code]] of Object.entries(cases)) {
    test(name, () => expect(listReasonCodes(readReceipt(text))).toContain(code));
  }

  test("a total without confirmation must be well read", () => {
    const text = "\nKiosk Ltd, London\n2026-11-20 10:00\nTotal      £6.50\n";
    expect(listReasonCodes(readReceipt(text))).toEqual([]);
    expect(listReasonCodes(readReceipt(text, { source: "ocr", confidence: 0.95 }))).toEqual([]);
    expect(listReasonCodes(readReceipt(text, { source: "ocr", confidence: 0.85 }))).toContain("low_confidence");
  });

  test("the same amount again must be read fairly, as it may be misread twice", () => {
    const text = "\nKiosk Ltd, London\n2026-11-20 10:00\nTotal      £6.50\nVISA      £6.50\n";
    expect(listReasonCodes(readReceipt(text, { source: "ocr", confidence: 0.85 }))).toEqual([]);
    expect(listReasonCodes(readReceipt(text, { source: "ocr", confidence: 0.76 }))).toContain("low_confidence");
  });
});

describe("other documents", () => {
  const empty = layOut("");
  const passed: readonly (readonly [string, Reading, string])[] = [
    ["an empty page", empty, "unreadable"],
    [
      "a boarding pass by its code",
      {
        ...layOut("\nGATE 12\nSEAT 4A\n"),
        barcodes: [
          {
            symbology: "aztec",
            text: "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 226F001A0025 100",
            page: 1,
            box: { x: 0, y: 0, width: 1, height: 1 },
          },
        ],
      },
      "wrong_kind",
    ],
    ["a boarding pass by its words", layOut("\nBoarding pass\nDOE/JANE\nGate 12\n"), "wrong_kind"],
    [
      "a passport by its zone",
      layOut("\nP<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10\n"),
      "wrong_kind",
    ],
    ["a passport by its words", layOut("\nPASSPORT\nUtopia\nEriksson\n"), "wrong_kind"],
  ];
  for (const [name, reading, code] of passed) {
    test(name, () => {
      const scan = interpretReceipt(reading, about);
      expect(listReasonCodes(scan)).toEqual([code]);
      expect(scan.fields).toEqual({});
      expect(scan.references).toEqual([]);
    });
  }

  test("a receipt for a boarding pass is a receipt", () => {
    const scan = readReceipt("\nAurora Airways\n2026-11-20\nBoarding pass reprint      £5.00\nTotal      £5.00\n");
    expect(fieldValues(scan)).toMatchObject({ totalAmount: "5.00" });
  });
});

describe("the seller and the buyer", () => {
  const text =
    "\nGlobex Ltd                    Acme Works Ltd\n1 High Street                 2 Low Street\nInvoice 4711                  Date 2026-11-20\nConsulting                    £100.00\nTotal                         £100.00\n";
  test("the caller's company is the buyer, wherever it is printed", () => {
    const scan = interpretInvoice(layOut(text), { ...about, companyName: "Globex Ltd" });
    expect(fieldValues(scan)).toMatchObject({ merchantName: "Acme Works Ltd", buyerName: "Globex Ltd" });
  });
  test("without it the first name is the seller", () =>
    expect(fieldValues(readInvoice(text))).toMatchObject({ merchantName: "Globex Ltd" }));
  test.each([
    "Obrigado pela sua visita",
    "Vielen Dank für Ihren Besuch",
    "Merci de votre visite",
    "Thank you for shopping",
  ])("%s is no name", (words) => {
    const receipt = (top: string) => `\n${top}\n2026-11-20\nBread      £5.00\nTotal      £5.00\n`;
    expect(Object.keys(readReceipt(receipt(words)).fields)).not.toContain("merchantName");
    expect(fieldValues(readReceipt(receipt("Gracias Madre")))).toMatchObject({ merchantName: "Gracias Madre" });
  });
  test.each([
    ["北海 f 航空", "北海航空"],
    ["カフェ A 京都", "カフェ A 京都"],
    ["Cafe a Lisboa", "Cafe a Lisboa"],
  ])("%s is read as %s: a small letter alone between Japanese characters is a speck", (printed, name) => {
    const receipt = `\n${printed}\n2026-11-20\nBread      £5.00\nTotal      £5.00\n`;
    expect(fieldValues(readReceipt(receipt))).toMatchObject({ merchantName: name });
  });
  test("a receipt has no buyer", () => {
    const scan = interpretReceipt(layOut(text), { ...about, companyName: "Globex Ltd" });
    expect(Object.keys(scan.fields)).not.toContain("buyerName");
  });
});

describe("other numbers", () => {
  test("only the last four digits of a card number are shown", () => {
    const scan = readReceipt("\nKiosk Ltd, London\n2026-11-20\nCard 4111 1111 1111 1111\nTotal      £6.50\n");
    expect(scan.fields.cardLastFour?.value).toBe("1111");
    expect(JSON.stringify(scan)).not.toMatch(/4111/);
  });
  test("a bank account is no card", () => {
    const scan = readReceipt("\nKiosk GmbH\n20.11.2026\nSumme      6,50 EUR\nIBAN DE75 5121 0800 1245 1261 99\n");
    expect(scan.fields.cardLastFour).toBeUndefined();
  });
  test("a tax number with a wrong check digit is left out", () => {
    const text = "\nKiosk GmbH\nUSt-IdNr. DE136695976\n20.11.2026\nSumme      6,50 EUR\n";
    expect(fieldValues(readReceipt(text))).toMatchObject({ taxId: "DE136695976" });
    expect(readReceipt(text.replace("976", "986")).fields.taxId).toBeUndefined();
  });
  test("references are our ids, then labelled codes, then texts in their form", () => {
    const { references } = readReceipt(
      "\nKiosk Ltd\nSeat 12ABCD of 7K4QXZ\nBooking reference: QWERTY\nOrder ord_0000AbCdEfGhIjKlMnOpQr SANDBOX-INV-000042\nTotal      £6.50\n",
    );
    expect(references).toEqual(["ord_0000AbCdEfGhIjKlMnOpQr", "SANDBOX-INV-000042", "QWERTY", "12ABCD", "7K4QXZ"]);
  });
  test("a labelled booking code may be in small letters, but a word beside a label is none", () => {
    const { references } = readReceipt(
      "\nKiosk Ltd\nBooking PNR zzylaq\nReservation number\nReference\nTotal      £6.50\n",
    );
    expect(references).toEqual(["ZZYLAQ"]);
  });
  test("there are at most fifty references", () => {
    const codes = Array.from({ length: 90 }, (_, index) => `A${String(10_000 + index)}`).join("\n");
    expect(readReceipt(`\nKiosk Ltd\n${codes}\nTotal £6.50\n`).references).toHaveLength(50);
  });
});
