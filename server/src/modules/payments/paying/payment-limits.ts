import type { Hex } from "../../../domain/tokens.ts";

/** Asked before a payment causes work outside; who is over a limit is refused with `rate_limited`. */
export interface PaymentLimits {
  /** The payer is known to have signed: from here on the call counts against it, until it has paid. */
  countPayer(payer: Hex): void;
  /**
   * Runs a verification, which asks the chain, while there is room for its refusal. `signer`: whose own key is known to have signed.
   */
  judge<Result>(verification: () => Promise<Result>, signer: Hex | undefined): Promise<Result>;
}
