import fc from "fast-check";
import type { PageText, Reading, TextLine, Word } from "../../src/modules/documents/reading/page.ts";
import type { Scan } from "../../src/modules/documents/scan.ts";

/** The contents of a made-up identity document. Names are as printed; `zone*` as its issuer writes them in the machine-readable zone. */
export interface IdTruth {
  documentType: "passport" | "identity_card" | "visa";
  format: "TD1" | "TD2" | "TD3" | "MRV-A" | "MRV-B";
  issuingCountry: string;
  nationality: string;
  documentNumber: string;
  familyName: string;
  givenName: string;
  zoneFamilyName: string;
  zoneGivenName: string;
  bornOn: string;
  sex: "f" | "m" | "x";
  issuedOn: string;
  expiresOn: string;
  personalNumber: string;
}

export const TODAY = Temporal.PlainDate.from("2026-11-26");

/** The check digit as Part 3 of ICAO 9303 tells it, from the other end than the product does. */
function digitFor(text: string): string {
  const values = [...text]
    .map((sign) => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".indexOf(sign))
    .map((value) => Math.max(0, value));
  return String(
    values.reduce(
      (sum, value, index) => sum + value * [7, 3, 1].slice(index % 3, (index % 3) + 1).reduce((a, b) => a + b, 0),
      0,
    ) % 10,
  );
}

const withDigit = (text: string) => text + digitFor(text);
const fill = (text: string, width: number) => text.slice(0, width).padEnd(width, "<");
const inZone = (iso: string) => iso.slice(2).replaceAll("-", "");
const zoneCode = (country: string) => (country === "DEU" ? "D" : country);
const sexInZone = { f: "F", m: "M", x: "<" } as const;
const CODES = { passport: "P<", identity_card: "I<", visa: "V<" } as const;

/** The lines of the zone, as Parts 4 to 7 of ICAO 9303 lay them out. */
export function writeZone(truth: IdTruth): readonly string[] {
  const { format, documentType, nationality, issuingCountry, personalNumber } = truth;
  const isLong = truth.documentNumber.length > 9;
  const number = isLong ? `${truth.documentNumber.slice(0, 9)}<` : withDigit(fill(truth.documentNumber, 9));
  const born = withDigit(inZone(truth.bornOn));
  const expires = withDigit(inZone(truth.expiresOn));
  const sex = sexInZone[truth.sex];
  const names = truth.zoneGivenName === "" ? truth.zoneFamilyName : `${truth.zoneFamilyName}<<${truth.zoneGivenName}`;
  const head = CODES[documentType] + fill(zoneCode(issuingCountry), 3);
  if (format === "TD1") {
    const goesOn = isLong ? truth.documentNumber.slice(9) + digitFor(truth.documentNumber) : "";
    const first = head + number + fill(`${goesOn}${personalNumber}`, 15);
    const second = `${born}${sex}${expires}${fill(zoneCode(nationality), 3)}<<<<<<<<<<<`;
    const composite = digitFor(first.slice(5) + born + expires + "<".repeat(11));
    return [first, second + composite, fill(names, 30)];
  }
  const width = format === "TD3" || format === "MRV-A" ? 44 : 36;
  const second = `${number}${fill(zoneCode(nationality), 3)}${born}${sex}${expires}`;
  const lines = [head + fill(names, width - 5)];
  if (format === "MRV-A" || format === "MRV-B") return [...lines, fill(second, width)];
  const optional = format === "TD3" ? withDigit(fill(personalNumber, 14)) : fill("", 7);
  return [...lines, second + optional + digitFor(number + born + expires + optional)];
}

interface Layout {
  /** Leaves out the printed part, or single values of it. */
  without?: readonly string[];
  /** Another text in place of a printed value. */
  printed?: Readonly<Record<string, string>>;
  dateStyle?: "named" | "dotted" | "iso" | "short";
  zone?: readonly string[];
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

function printDate(iso: string, style: NonNullable<Layout["dateStyle"]>): string {
  const [year = "", month = "", day = ""] = iso.split("-");
  if (style === "iso") return iso;
  if (style === "dotted") return `${day}.${month}.${year}`;
  const name = MONTHS[Number(month) - 1] ?? "";
  return style === "short" ? `${day} ${name} / ${name} ${year.slice(2)}` : `${day} ${name} ${year}`;
}

const valuesToPrint = (
  truth: IdTruth,
  dateStyle: NonNullable<Layout["dateStyle"]>,
): Readonly<Record<string, string>> => ({
  documentNumber: truth.documentNumber,
  familyName: truth.familyName,
  givenName: truth.givenName,
  nationality: truth.nationality,
  bornOn: printDate(truth.bornOn, dateStyle),
  sex: truth.sex.toUpperCase(),
  issuedOn: printDate(truth.issuedOn, dateStyle),
  expiresOn: printDate(truth.expiresOn, dateStyle),
});

/** A data page as the reader would give it: labels above values, and the zone at the foot, which was read twice. */
export function writeReading(truth: IdTruth, layout: Layout = {}): Reading {
  const { without = [], dateStyle = "named" } = layout;
  const zone = layout.zone ?? writeZone(truth);
  const values: Readonly<Record<string, string>> = { ...valuesToPrint(truth, dateStyle), ...layout.printed };
  const shown = (name: string) => (without.includes(name) || without.includes("all") ? "" : (values[name] ?? ""));
  const title = { visa: "VISA", passport: "PASSPORT", identity_card: "IDENTITY CARD" }[truth.documentType];
  const rows: readonly (readonly [number, string])[][] = [
    [
      [0.05, title],
      [0.35, `Code ${truth.issuingCountry}`],
      [0.6, "Passport No./Passeport No"],
    ],
    [[0.6, shown("documentNumber")]],
    [[0.35, "Surname/Nom (1)"]],
    [[0.35, shown("familyName")]],
    [[0.35, "Given names/Prénoms (2)"]],
    [[0.35, shown("givenName")]],
    [[0.35, "Nationality/Nationalité"]],
    [[0.35, shown("nationality")]],
    [
      [0.35, "Date of birth/Date de naissance"],
      [0.75, "Sex/Sexe"],
    ],
    [
      [0.35, shown("bornOn")],
      [0.75, shown("sex")],
    ],
    [[0.35, "Date of issue/Date de délivrance"]],
    [[0.35, shown("issuedOn")]],
    [[0.35, "Date of expiry/Date d’expiration"]],
    [[0.35, shown("expiresOn")]],
  ];
  const lines = rows.map((row, index) => writeLine(row, 0.05 + index * 0.05)).filter(({ words }) => words.length > 0);
  const repeated = zone.map((line, index) => writeLine([[0.05, line]], 0.85 + index * 0.04));
  const page: PageText = { page: 1, source: "ocr", lines: [...lines, ...repeated] };
  const box = { x: 0.04, y: 0.84, width: 0.92, height: 0.15 };
  return {
    pageCount: 1,
    pages: [page],
    barcodes: [],
    mrz: zone.length === 0 ? [] : [{ lines: zone, confidence: 0.9, page: 1, box }],
    eInvoice: undefined,
  };
}

const LETTER_WIDTH = 0.012;

export function writeLine(parts: readonly (readonly [number, string])[], y: number): TextLine {
  const words: Word[] = [];
  for (const [start, text] of parts) {
    let x = start;
    for (const word of text.split(" ").filter((part) => part !== "")) {
      words.push({ text: word, confidence: 0.95, box: { x, y, width: word.length * LETTER_WIDTH, height: 0.02 } });
      x += (word.length + 1) * LETTER_WIDTH;
    }
  }
  return { words };
}

/** A passport that everything agrees about. */
export const PASSPORT: IdTruth = {
  documentType: "passport",
  format: "TD3",
  issuingCountry: "DEU",
  nationality: "DEU",
  documentNumber: "C01X00T47",
  familyName: "MÜLLER",
  zoneFamilyName: "MUELLER",
  givenName: "ANNA MARIA",
  zoneGivenName: "ANNA<MARIA",
  bornOn: "1974-08-12",
  sex: "f",
  issuedOn: "2022-03-01",
  expiresOn: "2032-02-29",
  personalNumber: "",
};

/** Names as printed, with how issuers write them in the zone. */
const FAMILY_NAMES = [
  ["ERIKSSON", "ERIKSSON"],
  ["MÜLLER", "MUELLER"],
  ["NUÑEZ GARCÍA", "NUNEZ<GARCIA"],
  ["O’CONNOR", "OCONNOR"],
  ["VAN DER BERG", "VAN<DER<BERG"],
  ["SØRENSEN", "SOERENSEN"],
  ["GROẞ", "GROSS"],
  ["LI", "LI"],
  ["SMITH-JONES", "SMITH<JONES"],
  ["ŁUKASIEWICZ", "LUKASIEWICZ"],
] as const;
const GIVEN_NAMES = [
  ["ANNA MARIA", "ANNA<MARIA"],
  ["ZOË", "ZOE"],
  ["JEAN-LUC", "JEAN<LUC"],
  ["ÅSA", "AASA"],
  ["MARÍA JOSÉ DEL CARMEN", "MARIA<JOSE<DEL<CARMEN"],
  ["BO", "BO"],
  ["D'ARCY", "DARCY"],
] as const;
const COUNTRIES = ["DEU", "FRA", "GBR", "USA", "ESP", "SWE", "POL", "JPN", "BRA", "NLD"];
const CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const dates = (from: string, days: number) =>
  fc.nat(days).map((offset) => Temporal.PlainDate.from(from).add({ days: offset }).toString());

export const idDocuments: fc.Arbitrary<IdTruth> = fc
  .record({
    format: fc.constantFrom("TD3" as const, "TD3" as const, "TD3" as const, "TD1" as const, "TD2" as const),
    country: fc.constantFrom(...COUNTRIES),
    documentNumber: fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 8, maxLength: 9 }),
    family: fc.constantFrom(...FAMILY_NAMES),
    given: fc.constantFrom(...GIVEN_NAMES),
    bornOn: dates("1930-01-01", 34_000),
    sex: fc.constantFrom("f" as const, "m" as const, "x" as const),
    issuedOn: dates("2024-01-01", 1_000),
    personalNumber: fc.oneof(
      fc.constant(""),
      fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 6, maxLength: 14 }),
    ),
  })
  .map(({ format, country, family, given, ...rest }) => ({
    ...rest,
    format,
    documentType: format === "TD3" ? ("passport" as const) : ("identity_card" as const),
    issuingCountry: country,
    nationality: country,
    familyName: family[0],
    zoneFamilyName: family[1],
    givenName: given[0],
    zoneGivenName: given[1],
    expiresOn: Temporal.PlainDate.from(rest.issuedOn).add({ years: 10 }).subtract({ days: 1 }).toString(),
  }))
  // A name that does not fit its item, and an ambiguous day, are separate cases.
  .filter(({ format, zoneFamilyName, zoneGivenName, bornOn, issuedOn }) => {
    const room = format === "TD1" ? 30 : format === "TD2" ? 31 : 39;
    return zoneFamilyName.length + zoneGivenName.length + 2 < room && bornOn < issuedOn;
  });

const CHECKED = [
  "documentType",
  "issuingCountry",
  "nationality",
  "documentNumber",
  "familyName",
  "givenName",
  "bornOn",
  "sex",
  "issuedOn",
  "expiresOn",
] as const;

/** The fields that a reader of the document should give. */
export const expectedFields = (truth: IdTruth): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(CHECKED.map((name) => [name, truth[name]])),
  familyName: truth.zoneFamilyName.replaceAll("<", " "),
  givenName: truth.zoneGivenName.replaceAll("<", " "),
});

/** Fields that are there without a reason about them or about the whole document. */
export function listAccepted({ fields, reasons }: Scan): readonly (readonly [string, string])[] {
  if (reasons.some(({ field }) => field === undefined)) return [];
  const doubted = new Set(reasons.map(({ field }) => field));
  return Object.entries(fields).flatMap(([name, { value }]) => (doubted.has(name) ? [] : [[name, value] as const]));
}

/** Characters of the zone that text recognition confuses. */
const MISREAD: readonly string[] = [
  "0O",
  "1I",
  "8B",
  "5S",
  "2Z",
  "<K",
  "<C",
  "<L",
  "6G",
  "1L",
  "0D",
  "0Q",
  "38",
  "MN",
  "UV",
];
type Spoil = (lines: readonly string[]) => readonly string[];

/** The same for the printed values, which the zone does not know of. */
export const misprints: fc.Arbitrary<(truth: IdTruth) => Readonly<Record<string, string>>> = fc
  .array(
    fc.tuple(
      fc.constantFrom("documentNumber", "familyName", "givenName", "sex", "bornOn", "issuedOn", "expiresOn"),
      fc.nat(1_000),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((places) => (truth) => {
    const printed: Record<string, string> = {};
    for (const [field, place] of places) {
      const value = printed[field] ?? valuesToPrint(truth, "dotted")[field] ?? "";
      const at = place % Math.max(1, value.length);
      const pairs = MISREAD.filter((pair) => pair.includes(value.charAt(at)));
      const to = pairs[place % Math.max(1, pairs.length)]?.replace(value.charAt(at), "") ?? "";
      printed[field] = value.slice(0, at) + to + value.slice(at + 1);
    }
    return printed;
  });

const change = (lines: readonly string[], place: number, to: (character: string) => string): readonly string[] => {
  const line = place % lines.length;
  const text = lines[line] ?? "";
  const at = Math.floor(place / lines.length) % text.length;
  return lines.with(line, text.slice(0, at) + to(text.charAt(at)) + text.slice(at + 1));
};
export const spoilings: fc.Arbitrary<Spoil[]> = fc.array(
  fc
    .tuple(fc.nat(1_000), fc.nat(1_000), fc.constantFrom("misread", "dropped", "any"))
    .map(([place, which, kind]): Spoil => {
      if (kind === "dropped") return (lines) => change(lines, place, () => "");
      const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<";
      if (kind === "any") return (lines) => change(lines, place, () => characters.charAt(which % characters.length));
      return (lines) =>
        change(lines, place, (character) => {
          const pairs = MISREAD.filter((pair) => pair.includes(character));
          return pairs[which % Math.max(1, pairs.length)]?.replace(character, "") ?? character;
        });
    }),
  { minLength: 1, maxLength: 3 },
);
