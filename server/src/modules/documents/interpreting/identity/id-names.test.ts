import { describe, expect, it } from "vitest";
import { fieldValues, listReasons } from "../../../../../test/support/documents/scanned.ts";
import { PASSPORT, TODAY, writeLine, writeReading, writeZone } from "../../../../../test/support/id-documents.ts";
import type { Reading } from "../../reading/page.ts";
import { interpretIdDocument } from "./id-document.ts";

const read = (reading: Reading) => interpretIdDocument(reading, { today: TODAY, companyName: undefined });

describe("the names of a document", () => {
  it("leaves out a name that only the machine-readable zone shows", () => {
    const scan = read(writeReading(PASSPORT, { without: ["familyName", "givenName"] }));
    expect(fieldValues(scan)).not.toHaveProperty("familyName");
    expect(fieldValues(scan)).not.toHaveProperty("givenName");
    expect(listReasons(scan)).toEqual(
      expect.arrayContaining(["name_not_confirmed familyName", "name_not_confirmed givenName"]),
    );
    const { message } = scan.reasons.find(({ field }) => field === "familyName") ?? {};
    expect(message).toContain("Compare it with the printed name");
  });

  it("does not take the zone itself, read again as text, for print", () => {
    const reading = writeReading(PASSPORT, { without: ["familyName", "givenName"] });
    const lines = [
      writeLine([[0.05, "PCD MUELLER ANNA MARIA"]], 0.9),
      writeLine(
        [
          [0.05, "PCD"],
          [0.2, "MUELLER"],
          [0.5, "ANNA MARIA"],
        ],
        0.3,
      ),
      writeLine([[0.05, "P<D<<MUELLER<<ANNA<MARIA<<<<"]], 0.3),
    ];
    const [page] = reading.pages;
    if (page === undefined) throw new Error("no page");
    const scan = read({ ...reading, pages: [{ ...page, lines: [...page.lines, ...lines] }] });
    expect(listReasons(scan)).toEqual(
      expect.arrayContaining(["name_not_confirmed familyName", "name_not_confirmed givenName"]),
    );
  });

  it.each([
    // The zone's name and the printed one.
    ["ZO", "ZOE"],
    ["ZOE", "ZO"],
    ["ANNA", "ANNA MARIA"],
    ["ANNA<MARIA", "ANNA"],
    ["MARIA", "ANNA MARIA"],
    ["ANNA<MARIA", "ANNAMARIA"],
    ["ANNAMARIA", "ANNA MARIA"],
    ["ANNA", "ANNE"],
    ["ZOEE", "ZOË"],
    ["MARIAELUISA", "MARIA-LUISA"],
  ])("does not confirm %s by %s", (zoneGivenName, givenName) => {
    const scan = read(writeReading({ ...PASSPORT, zoneGivenName, givenName }));
    expect(fieldValues(scan)).not.toHaveProperty("givenName");
    expect(listReasons(scan)).toEqual(["name_not_confirmed givenName"]);
  });

  it.each([
    ["MUELLER", "MÜLLER"],
    ["MULLER", "MÜLLER"],
    ["MUELLER", "Müller"],
    ["GROSS", "GROSS"],
    ["GROSS", "Groß"],
    ["WEISS", "WEIß"],
    ["WEISS", "WEIB"],
    ["LOEWENBERG", "LÖWENBERG"],
    ["NUXXNEZ", "NUÑEZ", "not"],
    ["NUNXXEZ", "NUÑEZ"],
    ["AAKESSON", "ÅKESSON"],
    ["AANGSTROEM", "ANGSTROM"],
    ["BAA", "BA", "not"],
    ["THORSDOTTIR", "ÞÓRSDÓTTIR"],
    ["DARTAGNAN", "D’ARTAGNAN"],
    ["D<ARTAGNAN", "D'ARTAGNAN"],
    ["DVORAK", "DVOŘÁK"],
    ["ISIK", "IŞIK"],
    ["OEZTUERK", "ÖZTÜRK"],
  ])("compares %s of the zone with %s", (zoneFamilyName, familyName, not = "") => {
    const scan = read(writeReading({ ...PASSPORT, zoneFamilyName, familyName }));
    expect(fieldValues(scan).familyName).toBe(not === "" ? zoneFamilyName.replaceAll("<", " ") : undefined);
  });

  it("takes a name of one part as printed", () => {
    const onePart = {
      ...PASSPORT,
      zoneFamilyName: "SUHARTO",
      zoneGivenName: "",
      familyName: "SUHARTO",
      givenName: "",
    };
    const scan = read(writeReading(onePart));
    expect([fieldValues(scan).familyName, fieldValues(scan).givenName, listReasons(scan)]).toEqual([
      "SUHARTO",
      undefined,
      [],
    ]);
    const asGiven = read(writeReading({ ...onePart, familyName: "", givenName: "SUHARTO" }));
    expect([fieldValues(asGiven).familyName, fieldValues(asGiven).givenName]).toEqual([undefined, "SUHARTO"]);
    const lost = read(writeReading({ ...onePart, givenName: "BO" }));
    expect(listReasons(lost)).toEqual(["name_not_confirmed"]);
  });

  it("requires review of a name that does not fit into the zone", () => {
    const scan = read(
      writeReading({
        ...PASSPORT,
        familyName: "PAPADOPOULOU",
        zoneFamilyName: "PAPADOPOULOU",
        givenName: "ALEXANDRA KONSTANTINA THEODORA",
        zoneGivenName: "ALEXANDRA<KONSTANTINA<THEODORA",
      }),
    );
    expect(fieldValues(scan).givenName).toBe("ALEXANDRA KONSTANTINA THEODORA");
    expect(listReasons(scan)).toEqual(["name_not_confirmed givenName"]);
  });

  it.each([
    ["MUELLER<K<KANNA<MARIA<<<<<LKKKKKKKLKLK", true],
    ["MUELLER<<ANNA<MARIA<KCLSEKKKLLLKLKLKKKK", true],
    ["MUELLER<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<E", true],
    ["MUELLER<<ANNA<K<MARIA<<<<<<<<<<<<<<<<<<", false],
    ["MUELLER<<ANNA<MARIAK<<<<<<<<<<<<<<<<<<<", false],
  ])("reads %s as the printed names: %s", (item, isConfirmed) => {
    const [, second = ""] = writeZone(PASSPORT);
    const scan = read(writeReading(PASSPORT, { zone: [`P<D<<${item}`, second] }));
    expect([fieldValues(scan).familyName, fieldValues(scan).givenName]).toEqual([
      "MUELLER",
      isConfirmed ? "ANNA MARIA" : undefined,
    ]);
  });

  it("spells names like the zone if text recognition lost their dots", () => {
    const scan = read(writeReading(PASSPORT, { printed: { familyName: "MULLER" } }));
    expect([fieldValues(scan).familyName, listReasons(scan)]).toEqual(["MUELLER", []]);
  });

  it("takes no given name if the print shows another family name that may include it", () => {
    expect(listReasons(read(writeReading(PASSPORT, { printed: { familyName: "ANDERS" } })))).toEqual(
      expect.arrayContaining(["name_not_confirmed givenName"]),
    );
  });

  it("does not take the place of birth for a name", () => {
    const printed = { familyName: "", nationality: "MÜLLER" };
    expect(listReasons(read(writeReading(PASSPORT, { printed })))).toEqual([
      "name_not_confirmed familyName",
      "name_not_confirmed givenName",
    ]);
  });

  it("finds both names in one line", () => {
    const scan = read(writeReading(PASSPORT, { printed: { familyName: "MÜLLER, ANNA MARIA", givenName: "" } }));
    expect([fieldValues(scan).familyName, fieldValues(scan).givenName]).toEqual(["MUELLER", "ANNA MARIA"]);
  });
});
