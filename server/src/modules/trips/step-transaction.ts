import type { Hex } from "../../domain/tokens.ts";

/** A completed step, by its stored name. */
export interface StepTransaction {
  step: string;
  transactionHash: Hex;
  at: Temporal.Instant;
}
