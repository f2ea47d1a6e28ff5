import type { PaymentRequired, SettleResponse } from "@x402/core/types";
import { z } from "zod";
import { PaymentMalformed, PaymentRefused, type SignedPayment, wrongNetwork } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { PaymentReceipt } from "../../kernel/contracts/charge.ts";

/** The headers of x402, version 2: base64 of JSON. Lower case, as request headers are looked up. */
export const PAYMENT_REQUIRED_HEADER = "payment-required";
export const PAYMENT_SIGNATURE_HEADER = "payment-signature";
export const PAYMENT_RESPONSE_HEADER = "payment-response";

export const X402_VERSION = 2;
const SCHEME = "exact";

const MEND = "Send PAYMENT-SIGNATURE in x402 version 2 format: base64 of JSON with x402Version, accepted and payload.";

/** Matches complete base64 text; the protocol library also accepts malformed text, such as a single character. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

const LARGEST_UINT256 = 2n ** 256n - 1n;
/** After the year 292 billion; later times fit no database integer. */
const LATEST_SECOND = 2n ** 63n - 1n;
const LONGEST_SIGNATURE_BYTES = 4_096;

const lower = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;
const Digits = z.string().regex(/^(?:0|[1-9]\d{0,77})$/, "must be a whole number in decimal digits, as a string");
const wholeNumber = (largest: bigint) => Digits.transform(BigInt).refine((value) => value <= largest, "is too large");
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

const IDENTIFIER_PATTERN = "^[a-zA-Z0-9_-]+$";
const SHORTEST_IDENTIFIER = 16;
const LONGEST_IDENTIFIER = 128;
const PAYMENT_IDENTIFIER = "payment-identifier";

/** x402's extension `payment-identifier`, as terms offer it: the payer may give its payment an id, under which it is paid once. */
export const paymentIdentifierExtension = {
  [PAYMENT_IDENTIFIER]: {
    info: { required: false },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        required: { type: "boolean" },
        id: {
          type: "string",
          minLength: SHORTEST_IDENTIFIER,
          maxLength: LONGEST_IDENTIFIER,
          pattern: IDENTIFIER_PATTERN,
        },
      },
      required: ["required"],
    },
  },
} as const;

const Identifier = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_-]{${SHORTEST_IDENTIFIER},${LONGEST_IDENTIFIER}}$`),
    `must be ${SHORTEST_IDENTIFIER} to ${LONGEST_IDENTIFIER} letters, digits, hyphens and underscores`,
  );

/**
 * Members of every x402 version 2 payment, whatever its scheme and network. Others, such as the resource that clients repeat,
 * are not signed: they are passed on unread.
 */
const Envelope = z.looseObject({
  x402Version: z.literal(X402_VERSION),
  accepted: z.looseObject({
    scheme: z.string(),
    network: z.string(),
    asset: z.string(),
    amount: Digits,
    payTo: z.string(),
  }),
  payload: z.looseObject({}),
  extensions: z
    .looseObject({
      [PAYMENT_IDENTIFIER]: z.looseObject({ info: z.looseObject({ id: Identifier.optional() }) }).optional(),
    })
    .optional(),
});

/** Members of the scheme `exact` on networks like ours. */
const ExactPayment = z.object({
  accepted: z.object({ asset: Address, amount: wholeNumber(LARGEST_UINT256), payTo: Address }),
  payload: z.object({
    signature: Signature,
    authorization: z.object({
      from: Address,
      to: Address,
      value: wholeNumber(LARGEST_UINT256),
      validAfter: wholeNumber(LATEST_SECOND),
      validBefore: wholeNumber(LATEST_SECOND),
      nonce: Nonce,
    }),
  }),
});

/** The x402 reason for a malformed part, by its path; other parts are an `invalid_payload`. */
const reasonByPlace: Readonly<Record<string, string>> = {
  x402Version: "invalid_x402_version",
  "payload.signature": "invalid_exact_evm_payload_signature",
};

/**
 * Reads PAYMENT-SIGNATURE. Throws PaymentMalformed for anything but an x402 version 2 payment, and PaymentRefused for one that
 * contradicts itself, or of another scheme or network, whose payments have another shape.
 */
export function readPaymentSignature(header: string, network: string): SignedPayment {
  return readPayment(decode(header), network);
}

/** The same for a payment that is already decoded. */
export function readPayment(value: unknown, network: string): SignedPayment {
  const presented = read(Envelope, value);
  const { x402Version: _, accepted: offered, payload: __, ...beside } = presented;
  const { scheme } = offered;
  const identifier = presented.extensions?.[PAYMENT_IDENTIFIER]?.info.id;
  if (scheme !== SCHEME) {
    throw new PaymentRefused("unsupported_scheme", `The payment must use the scheme ${SCHEME}.`);
  }
  if (offered.network !== network) throw wrongNetwork(network);
  const { accepted, payload } = read(ExactPayment, presented);
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
    network,
    asset: accepted.asset,
    payer: authorization.from,
    payTo: authorization.to,
    amount: authorization.value,
    validAfter: authorization.validAfter,
    validBefore: authorization.validBefore,
    nonce: authorization.nonce,
    signature,
    ...(identifier === undefined ? {} : { identifier }),
    ...(Object.keys(beside).length === 0 ? {} : { beside }),
  };
}

function read<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  throw new PaymentMalformed(
    reasonByPlace[place] ?? "invalid_payload",
    `${place === "" ? "The payment" : place} ${said(issue?.message)} ${MEND}`,
  );
}

function said(message: string | undefined): string {
  if (message === undefined) return "cannot be read.";
  return message.startsWith("must") || message.startsWith("is ") ? `${message}.` : `is not valid: ${message}.`;
}

function decode(header: string): unknown {
  if (!BASE64.test(header)) throw new PaymentMalformed("invalid_payload", `The payment is not base64. ${MEND}`);
  try {
    return JSON.parse(utf8.decode(Buffer.from(header, "base64")));
  } catch {
    throw new PaymentMalformed("invalid_payload", `The payment is not JSON in base64. ${MEND}`);
  }
}

/** Encodes PAYMENT-REQUIRED and PAYMENT-RESPONSE. */
export function encodePaymentHeader(value: PaymentRequired | SettleResponse): string {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64");
}

/** A settled payment, as x402 describes it. */
export function describeSettlement({ payer, amount, network, transactionHash }: PaymentReceipt): SettleResponse {
  return {
    success: true,
    transaction: transactionHash,
    network: typedNetwork(network),
    payer,
    amount: amount.toString(),
  };
}

export function describeFailedSettlement(errorReason: string, { payer, network }: SignedPayment): SettleResponse {
  return { success: false, errorReason, transaction: "", network: typedNetwork(network), payer };
}

/** CAIP-2, in the library's type. */
function typedNetwork(network: string): `${string}:${string}` {
  const [namespace = "", reference = ""] = network.split(":");
  return `${namespace}:${reference}`;
}
