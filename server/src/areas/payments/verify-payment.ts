import { PaymentRefused, type PaymentTerms, type SignedPayment } from "../../domain/payments.ts";
import type { Facilitator, PaymentOutcomes, VerifiedPayment } from "../../ports/facilitator.ts";
import type { Wallets } from "../../ports/wallets.ts";

/** What verification calls an authorization that is used up on the chain. */
const AUTHORIZATION_USED = "invalid_exact_evm_nonce_already_used";

export interface PaymentVerification {
  facilitator: Facilitator;
  outcomes: PaymentOutcomes | undefined;
  wallets: Pick<Wallets, "findByAddress">;
  now: Temporal.Instant;
}

/**
 * Whoever has seen an authorization can broadcast it before it is sent here: what has paid us is paid, and its one call is owed.
 * Rejects as a facilitator does.
 */
export async function verifyPayment(
  parts: PaymentVerification,
  payment: SignedPayment,
  terms: PaymentTerms,
): Promise<VerifiedPayment> {
  try {
    return await parts.facilitator.verify(payment, terms);
  } catch (error) {
    const isUsed = error instanceof PaymentRefused && error.reason === AUTHORIZATION_USED;
    if (isUsed && (await hasPaidUs(parts, payment, terms))) return { balance: undefined };
    throw error;
  }
}

/** Not what this service's own wallets have signed: that paid for something else. */
async function hasPaidUs(
  { facilitator: { network }, outcomes, wallets, now }: PaymentVerification,
  payment: SignedPayment,
  terms: PaymentTerms,
): Promise<boolean> {
  const outcome = await outcomes?.outcomeOf(payment, now.subtract({ seconds: terms.maxTimeoutSeconds }));
  return outcome?.kind === "done" && (await wallets.findByAddress(network, [payment.payer])).size === 0;
}
