import type { PaymentRequired, SettleResponse } from "@x402/core/types";
import { z } from "zod";
import { PaymentRefused, type SignedPayment } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";

/** The headers of x402, version 2: each is base64 of JSON. Lower case, as requests are asked for them. */
export const PAYMENT_REQUIRED_HEADER = "payment-required";
export const PAYMENT_SIGNATURE_HEADER = "payment-signature";
export const PAYMENT_RESPONSE_HEADER = "payment-response";

export const X402_VERSION = 2;

/** Of a whole base64 text; the protocol library also takes texts that no encoder makes, such as a single character. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

const LARGEST_UINT256 = 2n ** 256n - 1n;
/** Beyond the year 292 billion; what is later fits no database's integer. */
const LATEST_SECOND = 2n ** 63n - 1n;
const LONGEST_SIGNATURE_BYTES = 4_096;

const lower = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;
const wholeNumber = (largest: bigint) =>
  z
    .string()
    .regex(/^(?:0|[1-9]\d{0,77})$/, "must be a whole number in decimal digits, as a string")
    .transform(BigInt)
    .refine((value) => value <= largest, "is too large");
const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be an address")
  .transform(lower);
const Nonce = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hexadecimal")
  .transform(lower);
const Signature = z
  .string()
  .regex(new RegExp(`^0x(?:[0-9a-fA-F]{2}){1,${LONGEST_SIGNATURE_BYTES}}$`), "must be bytes in hexadecimal")
  .transform(lower);

/** What is said beside these, such as the resource and the extensions that clients repeat, is not signed and not looked at. */
const Envelope = z.object({
  x402Version: z.literal(X402_VERSION),
  accepted: z.object({
    scheme: z.literal("exact"),
    network: z.string().min(3).max(64),
    asset: Address,
    amount: wholeNumber(LARGEST_UINT256),
    payTo: Address,
  }),
  payload: z.strictObject({
    signature: Signature,
    authorization: z.strictObject({
      from: Address,
      to: Address,
      value: wholeNumber(LARGEST_UINT256),
      validAfter: wholeNumber(LATEST_SECOND),
      validBefore: wholeNumber(LATEST_SECOND),
      nonce: Nonce,
    }),
  }),
});

/** The reasons of x402 for a part that does not fit, by its place; what is not listed is an `invalid_payload`. */
const reasonByPlace: Readonly<Record<string, string>> = {
  x402Version: "invalid_x402_version",
  "accepted.scheme": "unsupported_scheme",
  "accepted.network": "invalid_network",
  "payload.signature": "invalid_exact_evm_payload_signature",
  "payload.authorization.value": "invalid_exact_evm_payload_authorization_value",
  "payload.authorization.validAfter": "invalid_exact_evm_payload_authorization_valid_after",
  "payload.authorization.validBefore": "invalid_exact_evm_payload_authorization_valid_before",
};

/** Reads PAYMENT-SIGNATURE. Throws PaymentRefused for whatever no x402 client of version 2 sends for the scheme `exact`. */
export function readPaymentSignature(header: string): SignedPayment {
  const read = Envelope.safeParse(decode(header));
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.map(String).join(".") ?? "";
    throw new PaymentRefused(
      reasonByPlace[place] ?? "invalid_payload",
      `${place === "" ? "The payment" : place} ${said(issue?.message)}`,
    );
  }
  const { accepted, payload } = read.data;
  const { authorization, signature } = payload;
  if (authorization.value !== accepted.amount) {
    throw new PaymentRefused(
      "invalid_exact_evm_payload_authorization_value_mismatch",
      "The signed value is not the amount that the payment says it accepts.",
    );
  }
  if (authorization.to !== accepted.payTo) {
    throw new PaymentRefused(
      "invalid_exact_evm_payload_recipient_mismatch",
      "The signed recipient is not the one that the payment says it accepts.",
    );
  }
  return {
    network: accepted.network,
    asset: accepted.asset,
    payer: authorization.from,
    payTo: authorization.to,
    amount: authorization.value,
    validAfter: authorization.validAfter,
    validBefore: authorization.validBefore,
    nonce: authorization.nonce,
    signature,
  };
}

function said(message: string | undefined): string {
  if (message === undefined) return "cannot be read.";
  return message.startsWith("must") || message.startsWith("is ") ? `${message}.` : `does not fit: ${message}.`;
}

function decode(header: string): unknown {
  if (!BASE64.test(header)) throw new PaymentRefused("invalid_payload", "The payment is not base64.");
  try {
    return JSON.parse(utf8.decode(Buffer.from(header, "base64")));
  } catch {
    throw new PaymentRefused("invalid_payload", "The payment is not JSON in base64.");
  }
}

/** What PAYMENT-REQUIRED and PAYMENT-RESPONSE hold. */
export function encodePaymentHeader(value: PaymentRequired | SettleResponse): string {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64");
}
