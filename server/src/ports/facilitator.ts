import type { Micro } from "../domain/money.ts";
import type { PaymentTerms, SignedPayment } from "../domain/payments.ts";
import type { Hex } from "../domain/tokens.ts";
import type { ChainKey } from "./chain/chain-key.ts";
import type { AuthorizationState } from "./chain/chain-sender.ts";

export interface VerifiedPayment {
  /** The payer's balance at verification. Undefined: the verifier does not say. */
  balance: Micro | undefined;
}

/**
 * An external facilitator's answer to a settlement. refused: it reports that nothing was settled, and why; the chain is checked
 * for the truth.
 */
export type FacilitatorSettlement = { kind: "sent"; transactionHash: Hex } | { kind: "refused"; reason: string };

/**
 * Verifies signed payments on one chain. Rejects with PaymentRefused for an invalid one, and with Failure `payment_unavailable`
 * (retryable) if that cannot be determined now.
 */
export interface Facilitator {
  readonly chain: ChainKey;
  /**
   * Assumes that the payment matches `terms`, except for its validity period. Checks the signature, its previous use and the
   * payer's balance.
   */
  verify(payment: SignedPayment, terms: PaymentTerms): Promise<VerifiedPayment>;
  /**
   * Undefined: payments are settled by our own transactions. Safe to repeat: the token accepts an authorization once. Rejects
   * with Failure `payment_unavailable` if the outcome is unknown.
   */
  readonly settle: ((payment: SignedPayment, terms: PaymentTerms) => Promise<FacilitatorSettlement>) | undefined;
}

export interface PayerSignatures {
  /** Whether the payer's own key signed, without any request. False says nothing about a contract wallet. */
  isSignedByPayer(payment: SignedPayment): boolean;
}

/** Asks a chain for the outcome of a payer's authorization, whoever broadcast it. */
export interface PaymentOutcomes {
  /** `signedAfter`: earlier blocks are not searched. */
  findOutcome(payment: SignedPayment, signedAfter: Temporal.Instant): Promise<AuthorizationState>;
}
