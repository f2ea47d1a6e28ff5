import { describe, expect, test } from "vitest";
import { type Layout, layOut } from "../../../../../test/support/documents/lay-out.ts";
import { fieldValues, listReasonCodes } from "../../../../../test/support/documents/scanned.ts";
import type { Scan } from "../../scan.ts";
import { interpretInvoice, interpretReceipt } from "./read-receipt.ts";

const about = { today: Temporal.PlainDate.from("2026-11-26"), companyName: undefined };
const readReceipt = (text: string, layout?: Layout): Scan => interpretReceipt(layOut(text, layout), about);
const readInvoice = (text: string, companyName?: string): Scan =>
  interpretInvoice(layOut(text), { ...about, companyName });
const describeLines = ({ lines = [] }: Scan) =>
  lines.map(({ description, amount }) => `${description?.value} ${amount?.value}`);

describe("missing decimals", () => {
  const ocr = { source: "ocr", confidence: 0.96 } as const;
  const shop = "\nCorner Store\nReno, NV 89501\n2026-04-25\n";
  test("whole amounts only need review", () => {
    const text = `${shop}Milk      $2\nJam       $6\nTotal     $8\n`;
    const scan = readReceipt(text, ocr);
    expect(listReasonCodes(scan)).toContain("low_confidence");
    expect(scan.fields.totalAmount?.confidence).toBeLessThanOrEqual(0.5);
    // The text of a PDF needs no recognition.
    expect(listReasonCodes(readReceipt(text))).toEqual([]);
  });
  test("except if the print shows that there are none", () => {
    expect(
      listReasonCodes(
        readReceipt("\nKiosk GmbH\n20.11.2026\nMilch      2,- €\nSaft      6,- €\nSumme      8,- €\n", ocr),
      ),
    ).toEqual([]);
  });
  test("an amount that ends in its sign is not whole", () => {
    expect(listReasonCodes(readReceipt(`${shop}Milk      $2.\nJam       $6.25\nTotal     $8.25\n`, ocr))).not.toEqual(
      [],
    );
    expect(
      listReasonCodes(readReceipt(`${shop}Milk      $2.25\nJam       $6.25\nTotal     $8.\nVISA      $8.\n`, ocr)),
    ).toContain("low_confidence");
  });
  test("a mark after the total may be its decimals", () => {
    expect(listReasonCodes(readReceipt(`${shop}Milk      $2.00\nJam       $6.00\nTotal     $8 ,g3\n`, ocr))).toContain(
      "low_confidence",
    );
  });
  test("a sign that may set off thousands or decimals", () => {
    const text = "\nHotel Plaza\n2026-04-13\nRoom      EUR 1.250\nTotal      EUR 1.250\n";
    expect(listReasonCodes(readReceipt(text))).toContain("low_confidence");
    expect(
      listReasonCodes(
        readReceipt(text.replace("Total", "Breakfast      EUR 9,50\nTotal").replace(/1\.250\n$/, "1.259,50\n")),
      ),
    ).toEqual([]);
  });
});

describe("a tax and its rate", () => {
  const invoice = (tax: string, total: string) =>
    `\nShop AG\n05.05.2026\nRechnung RE-101\nFlug      100,00 EUR\nNetto      100,00 EUR\nMwSt 19%      ${tax} EUR\nGesamt      ${total} EUR\n`;
  test("a tax that is not its rate of any amount", () => {
    expect(listReasonCodes(readInvoice(invoice("7,00", "107,00")))).toEqual(["taxes_disagree"]);
    expect(listReasonCodes(readInvoice(invoice("19,00", "119,00")))).toEqual([]);
    const receipt = invoice("7,00", "107,00").replace(/Netto.*\n/, "");
    expect(listReasonCodes(readReceipt(receipt))).toContain("taxes_disagree");
  });
  test("an untaxed amount is left out of it", () => {
    const text =
      "\nHotel Nord\n2026-05-05\nRoom      £100.00\nCity tax      £5.00\nVAT 20%      £20.00\nTotal      £125.00\n";
    expect(listReasonCodes(readReceipt(text))).toEqual([]);
  });
});

describe("fees, discounts and carry-overs", () => {
  const invoice = (items: string, net: string, vat: string, total: string) =>
    `\nBlue Sky Ltd, London\nInvoice number: INV-78\n2026-06-03\n${items}Subtotal      GBP ${net}\nVAT 20%      GBP ${vat}\nTotal      GBP ${total}\n`;
  test("a fee is a line", () => {
    const scan = readInvoice(
      invoice("Tour      2   100.00   200.00\nService fee      1   50.00   50.00\n", "250.00", "50.00", "300.00"),
    );
    expect(describeLines(scan)).toEqual(["Tour 200.00", "Service fee 50.00"]);
    expect(listReasonCodes(scan)).toEqual([]);
  });
  test("a discount is a negative line", () => {
    for (const printed of ["-100.00", "100.00"]) {
      const scan = readInvoice(
        invoice(`Tour      2   400.00   800.00\nDiscount      ${printed}\n`, "700.00", "140.00", "840.00"),
      );
      expect(describeLines(scan)).toEqual(["Tour 800.00", "Discount -100.00"]);
      expect(listReasonCodes(scan)).toEqual([]);
    }
  });
  test("a service charge after the subtotal is a line", () => {
    const scan = readReceipt(
      "\nSol\nRio de Janeiro\n07/06/2026\nMoqueca      R$ 89,90\nServiço 10%      R$ 8,99\nTotal      R$ 98,89\n",
    );
    expect(describeLines(scan)).toEqual(["Moqueca 89.90", "Serviço 10% 8.99"]);
  });
  test("a carry-over is no line", () => {
    const scan = readInvoice(
      invoice(
        "Tour      2   400.00   800.00\nCarry over      800.00\nBrought forward      800.00\nBag      1   50.00   50.00\n",
        "850.00",
        "170.00",
        "1020.00",
      ),
    );
    expect(describeLines(scan)).toEqual(["Tour 800.00", "Bag 50.00"]);
    expect(listReasonCodes(scan)).toEqual([]);
  });
  test("the amount of several items is a line", () => {
    const scan = readReceipt("\nBar Nord\n2026-06-07\nCoffee x2      £9.00\nCake      £3.00\nTotal      £12.00\n");
    expect(describeLines(scan)).toEqual(["Coffee x2 9.00", "Cake 3.00"]);
    expect(listReasonCodes(scan)).toEqual([]);
  });
  test("missing lines are reported", () => {
    expect(
      listReasonCodes(
        readReceipt("\nBistro\nMadrid\n05/05/2026\nService charge      EUR 3.75\nTotal      EUR 33.75\n"),
      ),
    ).toContain("lines_disagree");
  });
  test("descriptions have no currency, and keep the number of nights", () => {
    const scan = readReceipt(
      "\nHotel Nord\n2026-06-07\nRoom, 2 nights      EUR 200.00\n2 nights garage      EUR 20.00\nTotal      EUR 220.00\n",
    );
    expect(describeLines(scan)).toEqual(["Room, 2 nights 200.00", "2 nights garage 20.00"]);
  });
});

describe("words of other languages", () => {
  const totals = [
    "Totale",
    "Totaal te betalen",
    "Te betalen",
    "Toplam",
    "Summa",
    "Att betala",
    "I alt",
    "Beløb",
    "Razem",
    "Do zapłaty",
    "ΣΥΝΟΛΟ",
    "Σύνολο",
    "Итого",
  ];
  for (const word of totals) {
    test(word, () => {
      const scan = readReceipt(
        `\nShop Nord\n2026-06-07\nTea      EUR 12.00\nCake      EUR 8.00\n${word}      EUR 20.00\n`,
      );
      expect(fieldValues(scan)).toMatchObject({ totalAmount: "20.00" });
      expect(describeLines(scan)).toEqual(["Tea 12.00", "Cake 8.00"]);
      expect(listReasonCodes(scan)).toEqual([]);
    });
  }
  for (const word of [
    "KDV",
    "MVA",
    "moms",
    "IVA",
    "BTW",
    "PTU",
    "VAT",
    "ÁFA",
    "ДДС",
    "ΦΠΑ",
    "GST",
    "HST",
    "PST",
    "QST",
    "ISS",
  ]) {
    test(`${word} is a tax`, () => {
      const scan = readReceipt(
        `\nHotel Nord\n2026-06-07\nRoom      EUR 100.00\n${word} 10%      EUR 10.00\nTotal      EUR 110.00\n`,
      );
      expect(describeLines(scan)).toEqual(["Room 100.00"]);
      expect(fieldValues(scan)).toMatchObject({ taxAmount: "10.00" });
    });
  }
  for (const date of ["5 maggio 2026", "5 mei 2026", "5 maj 2026"]) {
    test(date, () =>
      expect(fieldValues(readReceipt(`\nShop\n${date}\nTotal      EUR 20.00\n`))).toMatchObject({
        issuedOn: "2026-05-05",
      }),
    );
  }
});

describe("a second currency", () => {
  const text = "\nHotel Bosphorus\nIstanbul\n14 May 2026\nRoom      TRY 9.900,00\nTotal      TRY 9.900,00\n";
  test("a total in it is reported", () =>
    expect(listReasonCodes(readReceipt(`${text}Total in EUR      EUR 220,00\n`))).toContain("currency_ambiguous"));
  test("an equivalent is not", () =>
    expect(listReasonCodes(readReceipt(`${text}Total (equivalent)      EUR 220,00\n`))).toEqual([]));
});

describe("the buyer", () => {
  const text =
    "\nBlue Sky Travel Ltd\nLondon\nInvoice number: INV-78\n2026-06-03\nBill to: Example Ltd\nTour      GBP 700.00\nTotal      GBP 700.00\n";
  const parties = { merchantName: "Blue Sky Travel Ltd", buyerName: "Example Ltd" };
  test("is the printed one, whoever asks", () => {
    for (const [company, codes] of [
      ["Example Ltd", []],
      ["Example Limited", []],
      ["Blue Sky Travel Ltd", ["parts_disagree"]],
      ["Globex Ltd", ["parts_disagree"]],
    ] as const) {
      const scan = readInvoice(text, company);
      expect(fieldValues(scan)).toMatchObject(parties);
      expect(listReasonCodes(scan)).toEqual(codes);
    }
  });
  test("goods are no merchant", () => {
    const scan = readInvoice(
      text.replace("Bill to: Example Ltd\n", "\n\n\n\n\n\n").replace("London\n", ""),
      "Blue Sky Travel Ltd",
    );
    expect(fieldValues(scan)).toMatchObject({ merchantName: "Blue Sky Travel Ltd" });
    expect(scan.fields.buyerName).toBeUndefined();
    expect(listReasonCodes(scan)).toEqual(["parts_disagree"]);
  });
});

describe("numbers", () => {
  const numbers = {
    "Invoice INV-77": "INV-77",
    "Receipt 55": "55",
    "Ricevuta n. 55/2026": "55/2026",
    "Kvitto 00123": "00123",
    "Rechnung 17": "17",
    "Receipt 77-A": "77-A",
    "Cupom 8812": "8812",
  };
  for (const [printed, number] of Object.entries(numbers)) {
    test(printed, () =>
      expect(fieldValues(readReceipt(`\nShop\n${printed}\n2026-05-05\nTotal      EUR 20.00\n`))).toMatchObject({
        invoiceNumber: number,
      }),
    );
  }
  test("the number of a receipt in yen is no line", () => {
    const scan = readReceipt(
      "\nHotel Kyoto Inn\nReceipt No. 991\n2026-04-09\nRoom      JPY 12,500\nCity tax      JPY 500\nTotal      JPY 13,000\n",
    );
    expect(describeLines(scan)).toEqual(["Room 12500", "City tax 500"]);
    expect(listReasonCodes(scan)).toEqual([]);
  });
  test("tax numbers beside other numbers, and none with an impossible check digit", () => {
    const readTaxId = (line: string) =>
      readReceipt(`\nShop\n${line}\n2026-05-05\nTotal      EUR 20.00\n`).fields.taxId?.value;
    expect(readTaxId("SIRET 123 456 789 00012 TVA FR32123456789")).toBe("FR32123456789");
    expect(readTaxId("SIRET 123 456 789 00012 TVA FR40123456789")).toBeUndefined();
    expect(readTaxId("NIP 526-104-08-28")).toBe("526-104-08-28");
    expect(readTaxId("NIP 526-104-08-29")).toBeUndefined();
    expect(readTaxId("P.IVA IT01234567897")).toBe("IT01234567897");
    expect(readTaxId("P.IVA IT01234567898")).toBeUndefined();
  });
});
