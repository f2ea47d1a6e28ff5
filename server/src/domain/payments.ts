import type { Micro } from "./money.ts";
import type { Hex } from "./tokens.ts";

/** What a payment-gated call asks for: x402 version 2, scheme `exact`. Addresses are in lower case. */
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

/** An EIP-3009 authorization as its payer signed it. Addresses and nonce are in lower case, times are Unix seconds. */
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
  /** 65 bytes of a key, or whatever a contract wallet takes. */
  signature: Hex;
}

/** Why a payment is refused: the words of x402 where it has one. */
export class PaymentRefused extends Error {
  readonly reason: string;

  constructor(reason: string, explanation: string) {
    super(explanation);
    this.name = "PaymentRefused";
    this.reason = reason;
  }
}
