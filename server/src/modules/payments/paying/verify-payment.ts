import { PaymentRefused, type PaymentTerms, type SignedPayment } from "../../../domain/payments.ts";
import type { Facilitator, PaymentOutcomes, VerifiedPayment } from "../../../ports/facilitator.ts";
import type { Wallets } from "../../chain/index.ts";
import { checkTerms, TOO_SHORT } from "./check-terms.ts";

/** The reason that verification gives for an authorization already used on the chain. */
const AUTHORIZATION_USED = "invalid_exact_evm_nonce_already_used";

export interface PaymentVerification {
  facilitator: Facilitator;
  outcomes: PaymentOutcomes | undefined;
  wallets: Pick<Wallets, "findByAddress">;
  now: Temporal.Instant;
}

/**
 * Verifies that the payment matches the terms and is valid. Anyone who has seen an authorization can broadcast it before it is
 * sent here: if it has paid us, its call is owed, even after it has expired. Rejects as a facilitator does.
 */
export async function verifyPayment(
  parts: PaymentVerification,
  payment: SignedPayment,
  terms: PaymentTerms,
): Promise<VerifiedPayment> {
  const tooShort = findTooShort(payment, terms, parts.now);
  let refused: PaymentRefused;
  try {
    const verified = await parts.facilitator.verify(payment, terms);
    if (tooShort === undefined) return verified;
    refused = tooShort;
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    if (error.serviceReason === AUTHORIZATION_USED && (await hasPaidUs(parts, payment, terms)))
      return { balance: undefined };
    refused = tooShort ?? error;
  }
  throw refused;
}

/** Throws for every other mismatch with the terms. */
function findTooShort(payment: SignedPayment, terms: PaymentTerms, now: Temporal.Instant): PaymentRefused | undefined {
  try {
    checkTerms(payment, terms, now);
    return undefined;
  } catch (error) {
    if (error instanceof PaymentRefused && error.reason === TOO_SHORT) return error;
    throw error;
  }
}

/** Excludes authorizations signed by this service's own wallets: they paid for something else. */
async function hasPaidUs(
  { facilitator: { chain }, outcomes, wallets, now }: PaymentVerification,
  payment: SignedPayment,
  terms: PaymentTerms,
): Promise<boolean> {
  const outcome = await outcomes?.findOutcome(payment, now.subtract({ seconds: terms.maxTimeoutSeconds }));
  if (outcome?.kind !== "done") return false;
  return (await wallets.findByAddress(chain, [payment.payer])).size === 0;
}
