import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldValues, listReasons } from "../../../../../test/support/documents/scanned.ts";
import {
  expectedFields,
  type IdTruth,
  idDocuments,
  listAccepted,
  PASSPORT,
  spoilings,
  TODAY,
  writeLine,
  writeReading,
  writeZone,
} from "../../../../../test/support/id-documents.ts";
import type { Reading } from "../../reading/page.ts";
import { interpretIdDocument } from "./id-document.ts";

const about = { today: TODAY, companyName: undefined };
const read = (reading: Reading) => interpretIdDocument(reading, about);

describe("interpretIdDocument", () => {
  it("reads every value of a document whose parts agree, without a reason for review", () => {
    fc.assert(
      fc.property(
        idDocuments,
        fc.constantFrom("named" as const, "dotted" as const, "iso" as const),
        (truth, dateStyle) => {
          // Two of them can be digits in the same way; another test covers that.
          fc.pre((truth.documentNumber.match(/[OIZSB]/g) ?? []).length < 2);
          const scan = read(writeReading(truth, { dateStyle }));
          expect({ ...fieldValues(scan), reasons: listReasons(scan) }).toEqual({
            ...expectedFields(truth),
            reasons: [],
          });
        },
      ),
      { numRuns: 80 },
    );
  });

  it.each(["MRV-A", "MRV-B"] as const)("reads a visa of format %s", (format) => {
    const truth: IdTruth = {
      ...PASSPORT,
      format,
      documentType: "visa",
      issuingCountry: "USA",
      expiresOn: "2029-02-28",
      issuedOn: "2024-03-01",
    };
    const scan = read(writeReading(truth));
    expect(fieldValues(scan)).toEqual(expectedFields(truth));
    expect(listReasons(scan)).toEqual([]);
  });

  it("reports the source of each value", () => {
    const { fields } = read(writeReading(PASSPORT));
    expect(fields.issuedOn?.from).toMatchObject({ source: "ocr", page: 1, box: { x: 0.35 } });
    const zone = { source: "mrz", page: 1, box: { x: 0.04, y: 0.84, width: 0.92, height: 0.15 } };
    expect([fields.documentNumber?.from, fields.bornOn?.from]).toStrictEqual([zone, zone]);
  });

  describe("dates", () => {
    it("takes the printed century, and asks for review if there is none", () => {
      const child = { ...PASSPORT, bornOn: "2020-05-04" };
      expect(fieldValues(read(writeReading(child))).bornOn).toBe("2020-05-04");
      expect(listReasons(read(writeReading(child)))).toEqual([]);
      expect(listReasons(read(writeReading(child, { dateStyle: "short" })))).toContain("date_ambiguous bornOn");
      const elder = { ...PASSPORT, bornOn: "1920-05-04" };
      expect(fieldValues(read(writeReading(elder))).bornOn).toBe("1920-05-04");
    });

    it("never dates a birth after today, nor an expiry further than 20 years away", () => {
      const scan = read(writeReading({ ...PASSPORT, bornOn: "1926-11-27", expiresOn: "2032-02-29" }));
      expect(fieldValues(scan).bornOn).toBe("1926-11-27");
      const never = read(writeReading({ ...PASSPORT, expiresOn: "2099-12-31" }));
      expect(fieldValues(never)).not.toHaveProperty("expiresOn");
      expect(listReasons(never)).toContain("date_missing expiresOn");
    });

    it.each([
      ["2026-11-25", true],
      ["2026-11-26", false],
    ])("reports for an expiry on %s whether it has passed", (expiresOn, hasPassed) => {
      const scan = read(writeReading({ ...PASSPORT, issuedOn: "2017-01-10", expiresOn }));
      expect(fieldValues(scan).expiresOn).toBe(expiresOn);
      expect(listReasons(scan).includes("expired expiresOn")).toBe(hasPassed);
    });

    it.each([
      ["after today", "01 MAR 2027"],
      ["more than ten years before the expiry", "01 MAR 2021"],
      ["before the birth", "01 MAR 1970"],
    ])("refuses a date of issue %s", (_, issuedOn) => {
      const scan = read(writeReading(PASSPORT, { printed: { issuedOn } }));
      expect(fieldValues(scan)).not.toHaveProperty("issuedOn");
      expect(listReasons(scan)).toContain("date_missing issuedOn");
    });

    it.each(["01 0CT 2022", "01 OKT/0CT 2022"])("reads the month of %s, whose O was read as a zero", (issuedOn) => {
      expect(fieldValues(read(writeReading(PASSPORT, { printed: { issuedOn } }))).issuedOn).toBe("2022-10-01");
    });

    it("recognises the date of issue without its label by the years to the expiry, and reports an unreadable one", () => {
      const scan = read(writeReading(PASSPORT, { without: ["issuedOn"] }));
      expect([fieldValues(scan).issuedOn, listReasons(scan)]).toEqual([undefined, ["date_missing issuedOn"]]);
      const { pages, ...rest } = writeReading(PASSPORT);
      const unlabelled = pages.map(({ lines, ...page }) => ({
        ...page,
        lines: lines.filter(({ words }) => !words.some(({ text }) => text === "issue/Date")),
      }));
      expect(fieldValues(read({ ...rest, pages: unlabelled })).issuedOn).toBe("2022-03-01");
    });

    it("infers the order of day and month from the other dates", () => {
      const american = { bornOn: "08/12/1974", issuedOn: "03/01/2022", expiresOn: "02/29/2032" };
      const scan = read(writeReading(PASSPORT, { printed: american }));
      expect([fieldValues(scan).issuedOn, listReasons(scan)]).toEqual(["2022-03-01", []]);
    });

    it("reports that the parts disagree about a birth", () => {
      expect(listReasons(read(writeReading(PASSPORT, { printed: { bornOn: "13 AUG 1974" } })))).toEqual([
        "parts_disagree bornOn",
      ]);
    });
  });

  describe("codes", () => {
    it.each([
      ["GBR", "GBN", "GBR", "GBN", []],
      ["D", "XXB", "DEU", "XXB", []],
      ["RKS", "RKS", "XKX", "XKX", []],
      [
        "UTO",
        "UTO",
        undefined,
        undefined,
        ["specimen", "country_unknown issuingCountry", "country_unknown nationality"],
      ],
      ["UNO", "FRA", undefined, "FRA", ["country_unknown issuingCountry"]],
      ["QQQ", "QQQ", undefined, undefined, ["country_unknown issuingCountry", "country_unknown nationality"]],
    ])("reads issuer %s and nationality %s", (issuer, nationality, issuingCountry, ofHolder, codes) => {
      const scan = read(writeReading({ ...PASSPORT, issuingCountry: issuer, nationality }));
      expect([fieldValues(scan).issuingCountry, fieldValues(scan).nationality]).toEqual([issuingCountry, ofHolder]);
      expect(listReasons(scan)).toEqual(expect.arrayContaining(codes));
    });

    it("gives no sex if the zone states none and the print has no X", () => {
      const scan = read(writeReading({ ...PASSPORT, sex: "x" }, { printed: { sex: "" } }));
      expect([fieldValues(scan).sex, listReasons(scan)]).toEqual([undefined, ["low_confidence sex"]]);
      expect(listReasons(read(writeReading(PASSPORT, { printed: { sex: "M" } })))).toEqual(["parts_disagree sex"]);
      expect(listReasons(read(writeReading(PASSPORT, { printed: { sex: "K/F" } })))).toEqual([]);
    });

    it("requires a printed number, too, as check digits do not distinguish G from 6", () => {
      const truth = { ...PASSPORT, documentNumber: "G1L238S61" };
      expect(listReasons(read(writeReading(truth)))).toEqual([]);
      expect(listReasons(read(writeReading(truth, { without: ["documentNumber"] })))).toContain(
        "low_confidence documentNumber",
      );
      const misread = writeZone(truth).map((line) => line.replace("G1L238S61", "61L238S61"));
      expect(listReasons(read(writeReading(truth, { zone: misread })))).toContain("parts_disagree documentNumber");
    });

    it("takes the zone's number if one character of the print cannot be right", () => {
      const truth = { ...PASSPORT, documentNumber: "C03X00T47" };
      const printed = (documentNumber: string, of = truth) =>
        listReasons(read(writeReading(of, { printed: { documentNumber } })));
      expect(printed("C03XOOT47")).toContain("parts_disagree documentNumber");
      expect(printed("C03XO0T47")).toEqual([]);
      expect(printed("C0BX00T47")).toEqual([]);
      expect(printed("C03X00T4T")).toEqual([]);
      expect(printed("C03X00AT47")).toEqual([]);
      // L and 1 differ by twenty, which the check digit misses: both parts may be misread.
      expect(printed("C0LX00T47", PASSPORT)).toContain("parts_disagree documentNumber");
    });

    it.each(["1", "L", "6", "G"])("requires the same print of a number with %s, which has a twin", (character) => {
      const documentNumber = `C0${character}X00T47`;
      const scan = read(
        writeReading(
          { ...PASSPORT, documentNumber },
          { printed: { documentNumber: documentNumber.replace("X00", "XO0") } },
        ),
      );
      expect(listReasons(scan)).toContain("parts_disagree documentNumber");
    });

    it("does not take a filler in place of a K for the end of a number", () => {
      const truth = { ...PASSPORT, documentNumber: "C01X00T4K" };
      const cut = writeZone(truth).map((line) => line.replace("C01X00T4K", "C01X00T4<"));
      expect(listReasons(read(writeReading(truth, { zone: cut })))).toContain("low_confidence documentNumber");
      const within = { ...PASSPORT, documentNumber: "CK1X00T47" };
      const split = writeZone(within).map((line) => line.replace("CK1X00T47", "C<1X00T47"));
      expect(listReasons(read(writeReading(within, { zone: split })))).toContain("low_confidence documentNumber");
    });

    it("does not take OO for 00 if both have the same check digit, though the print was read alike", () => {
      const truth = { ...PASSPORT, documentNumber: "OORV38481" };
      expect(listReasons(read(writeReading(truth)))).toContain("low_confidence documentNumber");
      expect(listReasons(read(writeReading({ ...truth, documentNumber: "OARV38481" })))).toEqual([]);
    });

    it("reads a card's number that continues in the optional item", () => {
      const truth: IdTruth = {
        ...PASSPORT,
        format: "TD1",
        documentType: "identity_card",
        documentNumber: "B12345678901",
      };
      const scan = read(writeReading(truth));
      expect([fieldValues(scan), listReasons(scan)]).toEqual([expectedFields(truth), []]);
    });
  });

  describe("the zone", () => {
    it.each([
      ["a confused digit", (line: string) => line.replace("7408", "74O8")],
      ["two of the filler's look-alikes", (line: string) => line.replace("<<<<<<", "<K<C<<")],
      ["a filler too few", (line: string) => line.replace("<<<<", "<<<")],
      ["three fillers too many", (line: string) => line.replace("<<<<", "<<<<<<<")],
      ["one character that is another digit", (line: string) => line.replace("320229", "820229")],
    ])("is repaired for %s", (_, spoil) => {
      const [first = "", second = ""] = writeZone(PASSPORT);
      const scan = read(writeReading(PASSPORT, { zone: [first, spoil(second)] }));
      expect([fieldValues(scan), listReasons(scan)]).toEqual([expectedFields(PASSPORT), []]);
    });

    it.each([
      ["documentNumber", 9],
      ["bornOn", 19],
      ["expiresOn", 27],
    ])("names %s if its check digit does not fit, with low confidence", (field, at) => {
      const [first = "", second = ""] = writeZone(PASSPORT);
      // A digit four higher is no common confusion, so that nothing repairs it.
      const spoiled = second.slice(0, at) + ((Number(second.charAt(at)) + 4) % 10) + second.slice(at + 1);
      const scan = read(writeReading(PASSPORT, { zone: [first, spoiled] }));
      expect(listReasons(scan).filter((code) => code.startsWith("check_digit_failed"))).toEqual([
        "check_digit_failed",
        `check_digit_failed ${field}`,
      ]);
      expect(scan.fields[field]?.confidence ?? 0).toBeLessThanOrEqual(0.5);
    });

    it("gives no values if it is truncated", () => {
      const cut = writeZone(PASSPORT).map((line) => line.slice(0, 25));
      const scan = read(writeReading(PASSPORT, { zone: cut }));
      expect(listReasons(scan)).toContain("mrz_truncated");
      expect(fieldValues(scan)).not.toHaveProperty("documentNumber");
    });

    it("leaves the print with low confidence, and no number, if it is missing", () => {
      const scan = read(writeReading(PASSPORT, { zone: [] }));
      expect(listReasons(scan)).toEqual(["mrz_missing"]);
      expect(fieldValues(scan)).toMatchObject({ familyName: "MÜLLER", givenName: "ANNA MARIA", bornOn: "1974-08-12" });
      expect(fieldValues(scan)).not.toHaveProperty("documentNumber");
      expect(Object.values(scan.fields).every(({ confidence }) => confidence <= 0.5)).toBe(true);
    });

    it("reports several documents", () => {
      const one = writeReading(PASSPORT);
      const other = writeReading({ ...PASSPORT, documentNumber: "C22X00T47", bornOn: "1980-01-01" });
      const scan = read({ ...one, mrz: [...one.mrz, ...other.mrz.map((zone) => ({ ...zone, page: 2 }))] });
      expect(listReasons(scan)).toEqual(["several_documents"]);
    });

    it("reports that a receipt is no identity document", () => {
      const lines = [
        writeLine([[0.1, "RECEIPT"]], 0.1),
        writeLine([[0.1, "SUBTOTAL 10.00 VAT 1.90 TOTAL 11.90"]], 0.2),
      ];
      const scan = read({
        pageCount: 1,
        pages: [{ page: 1, source: "ocr", lines }],
        barcodes: [],
        mrz: [],
        eInvoice: undefined,
      });
      expect(listReasons(scan)).toEqual(["wrong_kind", "mrz_missing"]);
    });
  });

  it("accepts no wrong value of a zone that was read with up to three errors", () => {
    fc.assert(
      fc.property(idDocuments, spoilings, (truth, spoil) => {
        const zone = spoil.reduce<readonly string[]>((lines, change) => change(lines), writeZone(truth));
        const scan = read(writeReading(truth, { zone }));
        const wrong = listAccepted(scan).filter(([name, value]) => expectedFields(truth)[name] !== value);
        expect(wrong).toEqual([]);
      }),
      { numRuns: 200, seed: 20_261_126 },
    );
  });
});
