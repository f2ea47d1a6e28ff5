import { Failure } from "./errors.ts";
import type { Micro } from "./money.ts";
import type { Hex } from "./tokens.ts";

/** The terms of a paid call: x402 version 2, scheme `exact`. Addresses are in lower case. */
export interface PaymentTerms {
  /** CAIP-2, for example `eip155:5042002`. */
  network: string;
  asset: Hex;
  payTo: Hex;
  amount: Micro;
  maxTimeoutSeconds: number;
  /** EIP-712 name and version of the asset. */
  extra: { name: string; version: string };
}

/** An EIP-3009 authorization signed by its payer. Addresses and nonce are in lower case, times are Unix seconds. */
export interface SignedPayment {
  network: string;
  asset: Hex;
  payer: Hex;
  payTo: Hex;
  amount: Micro;
  validAfter: bigint;
  validBefore: bigint;
  /** 32 bytes. */
  nonce: Hex;
  /** 65 bytes for a key; a contract wallet may accept any form. */
  signature: Hex;
  /** The payer's own id of the payment, x402's `payment-identifier`: what it has paid for once is not paid for again. */
  identifier?: string;
  /** Extra fields that the payer sent, such as `resource` and `extensions` of x402: only a facilitator reads them. */
  beside?: Readonly<Record<string, unknown>>;
}

/** Every reason of x402 version 2 for a bad payment. */
const paymentReasons = [
  "insufficient_funds",
  "invalid_exact_evm_payload_authorization_valid_after",
  "invalid_exact_evm_payload_authorization_valid_before",
  "invalid_exact_evm_payload_authorization_value_mismatch",
  "invalid_exact_evm_payload_signature",
  "invalid_exact_evm_payload_recipient_mismatch",
  "invalid_network",
  "invalid_payload",
  "invalid_payment_requirements",
  "invalid_scheme",
  "unsupported_scheme",
  "invalid_x402_version",
  "invalid_transaction_state",
  "unexpected_verify_error",
  "unexpected_settle_error",
] as const;
type PaymentReason = (typeof paymentReasons)[number];

/** More precise reasons that the specification lacks, by @x402/evm or our own. */
const reasonByWord: ReadonlyMap<string, PaymentReason> = new Map<string, PaymentReason>([
  ...paymentReasons.map((word) => [word, word] as const),
  ["invalid_asset", "invalid_payment_requirements"],
  ["authorization_already_used", "invalid_transaction_state"],
  ["payment_identifier_already_used", "invalid_transaction_state"],
  ["invalid_exact_evm_nonce_already_used", "invalid_transaction_state"],
  ["invalid_exact_evm_transaction_failed", "invalid_transaction_state"],
  ["invalid_exact_evm_transaction_simulation_failed", "invalid_transaction_state"],
  ["payer_blocked", "invalid_transaction_state"],
  ["payer_owes", "insufficient_funds"],
  ["invalid_exact_evm_insufficient_balance", "insufficient_funds"],
  ["invalid_exact_evm_payload_undeployed_smart_wallet", "invalid_exact_evm_payload_signature"],
  ["invalid_exact_evm_signature", "invalid_exact_evm_payload_signature"],
  ["invalid_exact_evm_recipient_mismatch", "invalid_exact_evm_payload_recipient_mismatch"],
  ["invalid_exact_evm_network_mismatch", "invalid_network"],
  ["invalid_exact_evm_scheme", "unsupported_scheme"],
]);

/** Why a payment is refused: `reason` is from the specification, `serviceReason` is more precise. */
export class PaymentRefused extends Error {
  readonly reason: PaymentReason;
  readonly serviceReason: string | undefined;

  constructor(word: string, explanation: string) {
    super(explanation);
    this.name = "PaymentRefused";
    this.reason = reasonByWord.get(word) ?? "invalid_payload";
    this.serviceReason = word === this.reason ? undefined : word;
  }
}

export const wrongNetwork = (network: string): PaymentRefused =>
  new PaymentRefused("invalid_network", `The payment must be on ${network}.`);

/** The payment cannot be decoded or does not have the shape of x402 version 2. */
export class PaymentMalformed extends PaymentRefused {
  override name = "PaymentMalformed";
}

/** The call succeeded and its settlement failed: nothing else may be signed for it. */
export class SettlementFailed extends Failure {}
