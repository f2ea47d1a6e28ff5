import { PaymentRefused, type PaymentTerms, type SignedPayment, wrongNetwork } from "../../../domain/payments.ts";

/** Of the time that the terms allow, so much must be left when a call begins: its tool runs before it is settled. */
const SHARE_LEFT = 4n;
export const TOO_SHORT = "invalid_exact_evm_payload_authorization_valid_before";

/**
 * Whether this is the payment that was asked for, and good for long enough. Throws PaymentRefused with x402's word for what is
 * wrong. The signature is not looked at.
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
  // The token wants it to be over in the block that moves the money, which can be of this same second.
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
      `The payment must stay valid for ${needed} s and more. Sign it with a later validBefore.`,
    );
  }
}

/** The authorization is in every part the one that was seen before, whoever sends it again. */
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
