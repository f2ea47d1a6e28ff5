import { PaymentRefused, type PaymentTerms, type SignedPayment, wrongNetwork } from "../../../domain/payments.ts";

/** At least this fraction of the allowed time must remain when a call begins: its tool runs before the payment settles. */
const SHARE_LEFT = 4n;
export const TOO_SHORT = "invalid_exact_evm_payload_authorization_valid_before";

/**
 * Checks that the payment matches the terms and is valid for long enough. Throws PaymentRefused with x402's reason. Does not
 * check the signature.
 */
export function checkTerms(payment: SignedPayment, terms: PaymentTerms, now: Temporal.Instant): void {
  if (payment.network !== terms.network) throw wrongNetwork(terms.network);
  if (payment.asset !== terms.asset) {
    throw new PaymentRefused("invalid_asset", `The payment must be in the token ${terms.asset}.`);
  }
  if (payment.payTo !== terms.payTo) {
    throw new PaymentRefused("invalid_exact_evm_payload_recipient_mismatch", `The payment must go to ${terms.payTo}.`);
  }
  if (payment.amount !== terms.amount) {
    throw new PaymentRefused(
      "invalid_exact_evm_payload_authorization_value_mismatch",
      `The payment must be of exactly ${terms.amount} of the token's smallest units.`,
    );
  }
  const seconds = BigInt(Math.floor(now.epochMilliseconds / 1000));
  // The token requires a block time later than `validAfter`, and the block may fall in this same second.
  if (payment.validAfter >= seconds) {
    throw new PaymentRefused(
      "invalid_exact_evm_payload_authorization_valid_after",
      "The payment is not valid yet. Sign it with a validAfter that has passed.",
    );
  }
  const needed = BigInt(terms.maxTimeoutSeconds) / SHARE_LEFT;
  if (payment.validBefore < seconds + needed) {
    throw new PaymentRefused(
      TOO_SHORT,
      `The payment must stay valid for at least ${needed} s. Sign it with a later validBefore.`,
    );
  }
}

/** Whether the payment matches the terms, as `checkTerms` sees it. */
export function matchesTerms(payment: SignedPayment, terms: PaymentTerms, now: Temporal.Instant): boolean {
  try {
    checkTerms(payment, terms, now);
    return true;
  } catch (error) {
    if (error instanceof PaymentRefused) return false;
    throw error;
  }
}

/** Whether both authorizations are equal in every field, regardless of who sent them. */
export function isSamePayment(left: SignedPayment, right: SignedPayment): boolean {
  return (
    left.network === right.network &&
    left.asset === right.asset &&
    left.payer === right.payer &&
    left.payTo === right.payTo &&
    left.amount === right.amount &&
    left.validAfter === right.validAfter &&
    left.validBefore === right.validBefore &&
    left.nonce === right.nonce &&
    left.signature === right.signature
  );
}
