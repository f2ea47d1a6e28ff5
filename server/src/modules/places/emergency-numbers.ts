import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import type { Maps, Position } from "../../ports/maps.ts";

/** Strings, as leading zeros count. */
const Numbers = z
  .string()
  .transform((cell) => (cell === "" ? [] : cell.split("/")))
  .pipe(z.array(z.string().regex(/^\d{2,9}$/)));
const Texts = z.string().transform((cell) => (cell === "" ? [] : cell.split("; ")));

/** A row of the table; the header row names the columns. */
const Row = z
  .object({
    iso2: z.string().length(2),
    territory: z.string().min(1),
    general: Numbers,
    police: Numbers,
    ambulance: Numbers,
    fire: Numbers,
    tourist_police: Numbers,
    other: Texts,
    source_1: Texts,
    source_2: Texts,
    agreement: z.enum(["both", "partial", "single", "none"]),
    note: z.string(),
  })
  .transform(({ tourist_police: touristPolice, source_1: first, source_2: second, ...row }) => ({
    ...row,
    touristPolice,
    sources: [...first, ...second],
  }));
export type EmergencyNumbers = z.output<typeof Row>;

/** The date of the newest source; each row has the dates of its sources. */
export const EMERGENCY_NUMBERS_DATE = "2026-07-16";
export const EMERGENCY_NUMBERS_ATTRIBUTION =
  "Emergency numbers: libphonenumber and AOSP (Apache-2.0), Wikipedia contributors (CC BY-SA 4.0), ITU";

const FILE = resolve(import.meta.dirname, "./data/emergency-numbers.csv");
const CELL = /("(?:[^"]|"")*"|[^,]*)(?:,|$)/g;
let rows: ReadonlyMap<string, EmergencyNumbers> | undefined;

/** Every number of the services, and the general one. */
export function allNumbers({ general, police, ambulance, fire }: EmergencyNumbers): string[] {
  return [...new Set([...police, ...ambulance, ...fire, ...general])];
}

/** Such as "police 110, ambulance 112, fire 112"; empty if all are unknown. */
export function sayServices({ police, ambulance, fire }: EmergencyNumbers): string {
  return Object.entries({ police, ambulance, fire })
    .flatMap(([service, numbers]) => (numbers.length === 0 ? [] : [`${service} ${numbers.join(" or ")}`]))
    .join(", ");
}

const GSM = "112 from a mobile phone may reach help, but that is not certain here";

/** How reliable the numbers are. */
export function sayReliability(row: EmergencyNumbers | undefined): string {
  if (row === undefined || allNumbers(row).length === 0) {
    return `No emergency number is known here. Ask your hotel, ship or host whom to call; ${GSM}.`;
  }
  if (row.agreement === "both") return "Two sources agree on these numbers.";
  if (row.agreement === "single") return "Only one source names these numbers. Confirm them locally.";
  return "Sources disagree about some of these numbers.";
}

/** Whom to call, by service, and how reliable the numbers are. */
export function sayWhatToDo(row: EmergencyNumbers | undefined): string {
  if (row === undefined || allNumbers(row).length === 0) return sayReliability(row);
  const services = sayServices(row);
  const own = [...row.police, ...row.ambulance, ...row.fire];
  const general = row.general.filter((number) => services === "" || !own.includes(number)).join(" or ");
  const whom = services === "" ? `Call ${general}.` : `Call the service that you need: ${services}.`;
  const hasSeveral = [row.police, row.ambulance, row.fire].some(({ length }) => length > 1);
  const next = [
    ...(hasSeveral ? ["its next number"] : []),
    ...(general === "" ? [] : [`the general number ${general}`]),
  ];
  const otherwise = services === "" || next.length === 0 ? "" : ` If it does not answer, call ${next.join(" or ")}.`;
  return `${whom}${otherwise} ${sayReliability(row)}`;
}

/** Years and misprints, which the remarks on sources name beside the numbers. */
const NO_NUMBERS = /\b20\d\d(?:-\d\d)*\b|prints \d+/g;
const CLAUSE = /(?:^|; )(police|ambulance|fire): ([^;]*)/g;

/** Numbers that only some sources name, without the sources. Null: there is no doubt that a traveler should know. */
export function sayDisagreement(row: EmergencyNumbers): string | null {
  const others = [...row.note.matchAll(CLAUSE)].flatMap(([, service = "", text = ""]) => {
    const numbers = text.replaceAll(NO_NUMBERS, "").match(/\b\d{2,9}\b/g) ?? [];
    const added = [...new Set(numbers)].filter((number) => !listOwn(row, service).includes(number));
    return added.length === 0 ? [] : [`${service} ${added.join(" or ")}`];
  });
  if (others.length > 0) return `Some sources name other numbers: ${others.join(", ")}.`;
  if (row.agreement === "both" || row.note === "") return null;
  if (row.agreement === "single") return "There is no second source to compare with.";
  const hasSeveral = [row.police, row.ambulance, row.fire].some(({ length }) => length > 1);
  if (hasSeveral) return "Where a service has several numbers, not every source names all of them.";
  return allNumbers(row).length === 0
    ? "No source confirms a number here."
    : "Not every source names each of these numbers.";
}

function listOwn({ general, police, ambulance, fire }: EmergencyNumbers, service: string): readonly string[] {
  return [...general, ...({ police, ambulance, fire }[service] ?? [])];
}

const SOURCE = String.raw`(?:ITU|libphonenumber|Wikipedia(?: copy)?|AOSP|US State|[A-Za-z]+ press|press|older council page)(?: 20\d\d)?`;
const IN_BRACKETS = new RegExp(String.raw`\s*\(${SOURCE}[^()]*\)`, "g");
const IN_TEXT = new RegExp(String.raw`\s*\balso listed by ${SOURCE}|\b${SOURCE}(?: lists)? `, "g");

/** Other numbers with their purpose, without the sources. */
export const listOther = ({ other }: EmergencyNumbers): string[] =>
  other.map((text) => text.replaceAll(IN_BRACKETS, "").replaceAll(IN_TEXT, ""));

/** Mobile phones reach every service by 112 only where it is each service's own number. */
export function sayMobile(row: EmergencyNumbers | undefined): string {
  const isOwn = row?.agreement === "both" && [row.police, row.ambulance, row.fire].every((one) => one.includes("112"));
  if (isOwn) return "112 reaches every service here, including from mobile phones.";
  if (row?.general.includes("112") === true) return "112 is a general emergency number here, as listed above.";
  const said = row?.other.find((text) => /\b112\b.*mobile/.test(text));
  return said === undefined ? `${GSM}.` : `Listed here: ${said}.`;
}

/** By ISO 3166-1 alpha-2, which gives territories codes of their own. */
export function findEmergencyNumbers(countryCode: string): EmergencyNumbers | undefined {
  rows ??= readTable(readFileSync(FILE, "utf8"));
  return rows.get(countryCode);
}

function readTable(text: string): ReadonlyMap<string, EmergencyNumbers> {
  const [head = [], ...lines] = text.trimEnd().split("\n").map(splitCells);
  return new Map(
    lines.map((cells) => {
      const row = Row.parse(Object.fromEntries(head.map((name, index) => [name, cells[index]])));
      return [row.iso2, row] as const;
    }),
  );
}

function splitCells(line: string): string[] {
  const cells = [...line.matchAll(CELL)].map(([, cell = ""]) => cell);
  return cells.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

interface NumbersBy {
  /** ISO 3166-1 alpha-2; undefined outside every territory. */
  countryCode: string | undefined;
  /** Named by the coordinates or by `regionCode`, but its numbers do not apply. */
  otherCode: string | undefined;
  /** Null if coordinates and `regionCode` agree. */
  contradiction: string | null;
}

/**
 * Chooses the territory whose numbers apply. Coordinates are more reliable than a code, except where the borders lack
 * the territory that the code names and give its parent country or nothing.
 */
export function numbersBy(
  maps: Pick<Maps, "countryCodeAt" | "countryOfTerritory">,
  position: Position,
  regionCode: string | undefined,
): NumbersBy {
  const here = maps.countryCodeAt(position);
  const given = regionCode?.toUpperCase() ?? here;
  if (given === here || given === undefined) return { countryCode: here, otherCode: undefined, contradiction: null };
  const isGiven = here === undefined || maps.countryOfTerritory(given) === here;
  const [countryCode, otherCode] = isGiven ? [given, here] : [here, given];
  const contradiction = `The coordinates are in ${here ?? "no known territory"}, but regionCode is ${given}: the emergency numbers are those of ${countryCode}.`;
  return { countryCode, otherCode, contradiction };
}
