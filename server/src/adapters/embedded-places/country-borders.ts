import { createRequire } from "node:module";
import { countryAlpha3Codes, toCountryAlpha2 } from "../../domain/countries.ts";
import type { Position } from "../../ports/maps.ts";

const require = createRequire(import.meta.url);

const isoCodes: ReadonlySet<string | undefined> = new Set(countryAlpha3Codes.map(toCountryAlpha2));
/** The border of Western Sahara by ISO 3166 and the United Nations; the data has only the part that Morocco does not hold. */
const WESTERN_SAHARA_UP_TO = 27 + 40 / 60;

/** Loaded when it is first needed. */
export class CountryBorders {
  readonly #coder: typeof import("@rapideditor/country-coder") = require("@rapideditor/country-coder");

  /** ISO 3166-1 alpha-2, of which territories have their own: HK and not CN. Undefined on the open sea. */
  find({ latitude, longitude }: Position): string | undefined {
    const code = this.#coder.iso1A2Code([longitude, latitude], { level: "territory" });
    if (code === null) return undefined;
    if (code === "MA" && latitude < WESTERN_SAHARA_UP_TO) return "EH";
    // Ceuta and Melilla have a code that ISO only reserves.
    return isoCodes.has(code) ? code : this.countryOf(code);
  }

  /** The country that a territory belongs to; undefined: the code is that of a country. */
  countryOf(code: string): string | undefined {
    return this.#coder.feature(code)?.properties.country;
  }
}
