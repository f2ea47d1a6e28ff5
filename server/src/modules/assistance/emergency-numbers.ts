import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";

const PhoneNumber = z.string().regex(/^\d{2,5}$/);

const Row = z.object({
  /** Every one that is an emergency number there. */
  numbers: z.array(PhoneNumber),
  ...{ police: PhoneNumber.nullable(), ambulance: PhoneNumber.nullable(), fire: PhoneNumber.nullable() },
  source: z.enum(["libphonenumber", "recalled", "none"]),
});
export type EmergencyNumbers = z.infer<typeof Row>;

/** Of what day the data is; `docs/data-sets.md` says more. */
export const EMERGENCY_NUMBERS_DATE = "2026-07-16";

const FILE = resolve(import.meta.dirname, "data/emergency-numbers.json");
let rows: Readonly<Record<string, EmergencyNumbers>> | undefined;

/** Those that the services answer; every one, where it is not known of each service. */
export function numbersToCall({ numbers, police, ambulance, fire }: EmergencyNumbers): string[] {
  const known = [police, ambulance, fire].filter((number) => number !== null);
  return known.length < 3 ? numbers : [...new Set(known)];
}

/** Such as "police 110, ambulance 112, fire 112"; empty: none of them is known. */
export function sayServices({ police, ambulance, fire }: EmergencyNumbers): string {
  return Object.entries({ police, ambulance, fire })
    .flatMap(([service, number]) => (number === null ? [] : [`${service} ${number}`]))
    .join(", ");
}

/** By ISO 3166-1 alpha-2. */
export function emergencyNumbersOf(countryCode: string): EmergencyNumbers | undefined {
  rows ??= z.record(z.string(), Row).parse(JSON.parse(readFileSync(FILE, "utf8")));
  return rows[countryCode];
}
