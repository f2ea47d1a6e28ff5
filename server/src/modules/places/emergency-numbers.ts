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

/** How reliable the numbers are, and what to do. */
export function sayReliability(row: EmergencyNumbers | undefined): string {
  if (row === undefined || allNumbers(row).length === 0) {
    return `No emergency number is known here. Ask your hotel, ship or host whom to call; ${GSM}.`;
  }
  if (row.agreement === "both" && row.note === "") return "Call these numbers. Two sources agree on them.";
  if (row.agreement === "both") return "Call these numbers. Two sources agree on them; the note says what others list.";
  if (row.agreement === "single") return "Only one source names these numbers. Confirm them locally.";
  return "Sources disagree about some of these numbers, as the note says. Call the first one, and the next if nobody answers.";
}

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
