import type { Micro } from "../domain/money.ts";
import type { Provenance } from "../domain/schemas.ts";

/** Reference rates of one day. */
export interface RateTable {
  provenance: Provenance;
  /** Units of each currency (ISO 4217) per euro, in millionths; includes EUR. */
  perEuro: ReadonlyMap<string, Micro>;
}

export interface RateSource {
  /** The newest available table; its provenance has its age. Never rejects. */
  table(signal: AbortSignal): Promise<RateTable>;
}

export interface FxRates extends RateSource {
  /** The terms for selling prices of other currencies for USDC. */
  readonly terms: {
    /** Added to the rate, in hundredths of a percent. */
    readonly marginBps: number;
    /** Nothing new is sold at an older rate. */
    readonly mostAgeHours: number;
  };
}
