import { createRequire } from "node:module";
import type { Position } from "../../ports/maps.ts";

const require = createRequire(import.meta.url);

/** Loaded when it is first needed. */
export class CountryBorders {
  readonly #codeOf: (location: [longitude: number, latitude: number]) => string | null;

  constructor() {
    const { iso1A2Code }: typeof import("@rapideditor/country-coder") = require("@rapideditor/country-coder");
    this.#codeOf = iso1A2Code;
  }

  /** ISO 3166-1 alpha-2; undefined on the open sea. */
  find({ latitude, longitude }: Position): string | undefined {
    return this.#codeOf([longitude, latitude]) ?? undefined;
  }
}
