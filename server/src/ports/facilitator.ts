import type { Micro } from "../domain/money.ts";
import type { PaymentTerms, SignedPayment } from "../domain/payments.ts";
import type { Hex } from "../domain/tokens.ts";
import type { AuthorizationState } from "./chain/chain-sender.ts";
import type { Environment } from "./identity.ts";

export interface VerifiedPayment {
  /** What the payer had when it was asked. Undefined: whoever verified does not say. */
  balance: Micro | undefined;
}

/**
 * What an external facilitator answers to a settlement. refused: it says that nothing was settled, and why; whether that is so is
 * found out on the chain.
 */
export type FacilitatorSettlement = { kind: "sent"; transactionHash: Hex } | { kind: "refused"; reason: string };

/**
 * Says whether a signed payment is good, on one chain. Rejects with PaymentRefused when it is not, and with Failure
 * `payment_unavailable` (retryable) when that cannot be found out now.
 */
export interface Facilitator {
  readonly environment: Environment;
  /** `terms` fit the payment, but for the time it is valid; asked here is the signature, its use so far, and the payer's balance. */
  verify(payment: SignedPayment, terms: PaymentTerms): Promise<VerifiedPayment>;
  /**
   * Undefined: payments are settled by our own transactions. Safe to ask again: the token takes an authorization once. Rejects with
   * Failure `payment_unavailable` when the outcome is unknown.
   */
  readonly settle: ((payment: SignedPayment, terms: PaymentTerms) => Promise<FacilitatorSettlement>) | undefined;
}

export interface PayerSignatures {
  /** Whether the payer's own key has signed, without asking anybody. False says nothing about a wallet with code. */
  isSignedByPayer(payment: SignedPayment): boolean;
}

/** Asks a chain what became of a payer's authorization, whoever broadcast it. */
export interface PaymentOutcomes {
  /** `signedAfter`: no block before is looked at. */
  outcomeOf(payment: SignedPayment, signedAfter: Temporal.Instant): Promise<AuthorizationState>;
}
