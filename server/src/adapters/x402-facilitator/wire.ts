import { z } from "zod";
import type { PaymentTerms, SignedPayment } from "../../domain/payments.ts";

/** The x402 version 2 format, as the HTTP client of `@x402/core` sends and reads it. */

export const X402_VERSION = 2;
export const SCHEME = "exact";

const Said = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

export const VerifyAnswer = z.object({
  isValid: z.boolean(),
  invalidReason: Said,
  invalidMessage: Said,
  payer: Said,
});
export type VerifyAnswer = z.infer<typeof VerifyAnswer>;

export const SettleAnswer = z.object({
  success: z.boolean(),
  errorReason: Said,
  errorMessage: Said,
  payer: Said,
  transaction: z.string(),
  network: z.string(),
  amount: Said,
});
export type SettleAnswer = z.infer<typeof SettleAnswer>;

export const SupportedAnswer = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
});

/** The common body of both requests. */
export function describePayment(payment: SignedPayment, terms: PaymentTerms) {
  const { network, asset, payTo, amount, maxTimeoutSeconds, extra } = terms;
  const paymentRequirements = {
    scheme: SCHEME,
    network,
    amount: amount.toString(),
    asset,
    payTo,
    maxTimeoutSeconds,
    extra,
  };
  const authorization = {
    from: payment.payer,
    to: payment.payTo,
    value: payment.amount.toString(),
    validAfter: payment.validAfter.toString(),
    validBefore: payment.validBefore.toString(),
    nonce: payment.nonce,
  };
  return {
    x402Version: X402_VERSION,
    paymentPayload: {
      ...payment.beside,
      x402Version: X402_VERSION,
      accepted: paymentRequirements,
      payload: { authorization, signature: payment.signature },
    },
    paymentRequirements,
  };
}
