/** The facts in a machine-readable zone (ICAO Doc 9303). Dates are as the document has them. */
export interface ZoneFacts {
  /** `P`, `ID` or `I`. */
  documentCode: string;
  /** As the zone writes it: `D` for Germany. */
  issuer: string;
  nationality: string;
  familyName: string;
  /** Empty for who has one name only. */
  givenName: string;
  number: string;
  bornOn: Temporal.PlainDate;
  expiresOn: Temporal.PlainDate;
  sex: "F" | "M" | "X";
  optional: string;
}

const LETTERS: Readonly<Record<string, string>> = {
  Ä: "AE",
  Ö: "OE",
  Ü: "UE",
  ẞ: "SS",
  Æ: "AE",
  Ø: "OE",
  Å: "AA",
  Œ: "OE",
  Þ: "TH",
  Ð: "D",
  Ł: "L",
  Đ: "D",
  Ñ: "N",
  İ: "I",
  Ş: "S",
  Ğ: "G",
  Ș: "S",
  Ț: "T",
  Ħ: "H",
};

/** Letters A to Z with one space between parts: what airlines and the zone write for a name. */
export function transliterate(name: string): string {
  const letters = [...name.toUpperCase()].map((letter) => LETTERS[letter] ?? letter).join("");
  return letters
    .normalize("NFD")
    .replaceAll(/\p{Mark}|['’.]/gu, "")
    .replaceAll(/[^A-Z]+/g, " ")
    .trim();
}

function checkDigit(text: string): string {
  const weights = [7, 3, 1];
  const values = [...text].map((letter) => (letter === "<" ? 0 : Number.parseInt(letter, 36)));
  return String(values.reduce((sum, value, index) => sum + value * (weights[index % 3] ?? 0), 0) % 10);
}

const filled = (text: string, length: number): string => text.replaceAll(" ", "<").slice(0, length).padEnd(length, "<");
const checked = (text: string): string => `${text}${checkDigit(text)}`;
const yymmdd = (date: Temporal.PlainDate): string => date.toString().slice(2).replaceAll("-", "");
const formatSex = ({ sex }: ZoneFacts): string => (sex === "X" ? "<" : sex);

function formatNames({ familyName, givenName }: ZoneFacts, length: number): string {
  const [family, given] = [transliterate(familyName), transliterate(givenName)];
  // A given name keeps at least its first letter.
  const room = given === "" ? length : length - 3;
  return filled(given === "" ? family : `${family.slice(0, room).replaceAll(" ", "<")}<<${given}`, length);
}

/** Whether the zone has less of the name than the document. */
export function isTruncated(facts: ZoneFacts, length: number): boolean {
  const { familyName, givenName } = facts;
  return transliterate(familyName).length + transliterate(givenName).length + (givenName === "" ? 0 : 2) > length;
}

/** Two lines of 44 letters. */
export function writePassportZone(facts: ZoneFacts): string[] {
  const number = checked(filled(facts.number, 9));
  const [born, expires] = [checked(yymmdd(facts.bornOn)), checked(yymmdd(facts.expiresOn))];
  const optional = filled(facts.optional, 14);
  const personal = `${optional}${facts.optional === "" ? "<" : checkDigit(optional)}`;
  return [
    `${filled(facts.documentCode, 2)}${filled(facts.issuer, 3)}${formatNames(facts, 39)}`,
    `${number}${filled(facts.nationality, 3)}${born}${formatSex(facts)}${expires}${personal}${checkDigit(`${number}${born}${expires}${personal}`)}`,
  ];
}

/** Three lines of 30 letters. */
export function writeCardZone(facts: ZoneFacts): string[] {
  const first = `${checked(filled(facts.number, 9))}${filled(facts.optional, 15)}`;
  const [born, expires] = [checked(yymmdd(facts.bornOn)), checked(yymmdd(facts.expiresOn))];
  const second = filled("", 11);
  return [
    `${filled(facts.documentCode, 2)}${filled(facts.issuer, 3)}${first}`,
    `${born}${formatSex(facts)}${expires}${filled(facts.nationality, 3)}${second}${checkDigit(`${first}${born}${expires}${second}`)}`,
    formatNames(facts, 30),
  ];
}
