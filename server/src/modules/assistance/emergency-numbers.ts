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

/** By ISO 3166-1 alpha-2. */
export function emergencyNumbersOf(countryCode: string): EmergencyNumbers | undefined {
  rows ??= z.record(z.string(), Row).parse(JSON.parse(readFileSync(FILE, "utf8")));
  return rows[countryCode];
}
