import type { Hex } from "../../../domain/tokens.ts";

/** Checked before a payment causes work outside; exceeding a limit is refused with `rate_limited`. */
export interface PaymentLimits {
  /** Counts the call against a payer whose signature is verified, until it has paid. */
  countPayer(payer: Hex): void;
  /**
   * Runs a verification, which asks the chain, while the limits leave room for a refusal. `signer`: the verified signer, if
   * known.
   */
  judge<Result>(verification: () => Promise<Result>, signer: Hex | undefined): Promise<Result>;
}
