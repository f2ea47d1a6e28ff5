import { createRequire } from "node:module";
import { countryAlpha3Codes, toCountryAlpha2 } from "../../domain/countries.ts";
import type { Position } from "../../ports/maps.ts";

const require = createRequire(import.meta.url);

const isoCodes: ReadonlySet<string | undefined> = new Set(countryAlpha3Codes.map(toCountryAlpha2));
/** The border of Western Sahara by ISO 3166 and the United Nations; the data has only the part that Morocco does not hold. */
const WESTERN_SAHARA_UP_TO = 27 + 40 / 60;

/** Loaded on first use. */
export class CountryBorders {
  readonly #coder: typeof import("@rapideditor/country-coder") = require("@rapideditor/country-coder");

  /** ISO 3166-1 alpha-2, in which territories have their own codes: HK and not CN. Undefined on the open sea. */
  find({ latitude, longitude }: Position): string | undefined {
    const code = this.#coder.iso1A2Code([longitude, latitude], { level: "territory" });
    if (code === null) return undefined;
    if (code === "MA" && latitude < WESTERN_SAHARA_UP_TO) return "EH";
    // Ceuta and Melilla have a code that ISO only reserves.
    return isoCodes.has(code) ? code : this.findParentCountry(code);
  }

  /** The country of a territory; undefined: the code is a country's. */
  findParentCountry(code: string): string | undefined {
    return this.#coder.feature(code)?.properties.country;
  }
}
