import type { Micro } from "../domain/money.ts";
import type { Provenance } from "../domain/schemas.ts";

/** Reference rates of one day. */
export interface RateTable {
  provenance: Provenance;
  /** Units of each currency (ISO 4217) for one euro, in millionths; EUR is among them. */
  perEuro: ReadonlyMap<string, Micro>;
}

export interface RateSource {
  /** The newest table that is to be had; its provenance says how old it is. Never rejects. */
  table(signal: AbortSignal): Promise<RateTable>;
}

export interface FxRates extends RateSource {
  /** How what is priced in another currency is sold for USDC. */
  readonly terms: {
    /** Added to the rate, in hundredths of a percent. */
    readonly marginBps: number;
    /** Nothing new is sold at an older rate. */
    readonly mostAgeHours: number;
  };
}
