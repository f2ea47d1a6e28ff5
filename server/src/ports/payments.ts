import type { Micro } from "../domain/money.ts";
import type { PaymentTerms, SignedPayment } from "../domain/payments.ts";
import type { Hex } from "../domain/tokens.ts";
import type { Environment } from "./identity.ts";

/**
 * claimed: the authorization belongs to one call, whose tool runs · earned: the tool has succeeded, its answer is stored, and the
 * money is being fetched · settled: the money is there · receivable: the tool has succeeded and the money could not be fetched.
 * A failed tool leaves no row: the authorization stays usable.
 */
export type PaymentState = "claimed" | "earned" | "settled" | "receivable";

export interface Payment {
  /** `pay_…` */
  id: string;
  /** Whose chain it is on. */
  environment: Environment;
  signed: SignedPayment;
  terms: PaymentTerms;
  /** Of tool, arguments, tenant and key: the same authorization pays for one request only. */
  requestHash: string;
  tool: string;
  /** Null: paid without a key. */
  tenantId: string | null;
  keyId: string | null;
  /** Whom the usage record names: the payer, or the key's user. */
  subject: string;
  callId: string;
  processId: string;
  traceId: string;
  listPrice: Micro;
  discountPercent: number;
  state: PaymentState;
  /** The tool's answer, from `earned` on. */
  result: unknown;
  latencyMs: number;
  usageId: string | undefined;
  chainTransactionId: string | undefined;
  transactionHash: Hex | undefined;
  /** Why the money could not be fetched. */
  failure: string | undefined;
  createdAt: Temporal.Instant;
}

export type NewPayment = Pick<
  Payment,
  | "id"
  | "environment"
  | "signed"
  | "terms"
  | "requestHash"
  | "tool"
  | "tenantId"
  | "keyId"
  | "subject"
  | "callId"
  | "processId"
  | "traceId"
  | "listPrice"
  | "discountPercent"
> & {
  /** The call's tool marks what it does outside: it gets a row among the calls. */
  hasEffects: boolean;
  at: Temporal.Instant;
};

export type PaymentClaim =
  | { kind: "claimed" }
  /** The authorization has a payment already. */
  | { kind: "taken"; payment: Payment }
  /** What the payer owes for calls under way is more than it has, or it left too many unpaid. */
  | { kind: "refused"; reason: "insufficient_funds" | "payer_owes" };

/** Every authorization that paid, or is about to pay, for a call. Unique by network, asset, payer and nonce, for good. */
export interface Payments {
  find(signed: Pick<SignedPayment, "network" | "asset" | "payer" | "nonce">): Promise<Payment | undefined>;
  get(id: string): Promise<Payment | undefined>;
  /** `balance`: what the payer had a moment ago; undefined: not known, and not compared. */
  claim(payment: NewPayment, balance: Micro | undefined): Promise<PaymentClaim>;
  /** Claimed → gone, by the process that claimed it or a sweep. False: it was not claimed any more. */
  release(id: string): Promise<boolean>;
  /** Claimed → earned, with the chain transaction that fetches the money when it is known already. False: not claimed any more. */
  earn(
    id: string,
    earned: { result: unknown; latencyMs: number; chainTransactionId: string | undefined; at: Temporal.Instant },
  ): Promise<boolean>;
  /** Earned (or receivable) → settled, with the usage record. False: it was settled before. */
  settle(id: string, transactionHash: Hex, at: Temporal.Instant): Promise<boolean>;
  /** Earned → receivable. */
  writeOff(id: string, failure: string, at: Temporal.Instant): Promise<boolean>;
  /** Receivable → earned, to be fetched once more. */
  retry(id: string, chainTransactionId: string | undefined, at: Temporal.Instant): Promise<boolean>;
  /** Those that a chain transaction fetches, in the order of their ids. */
  ofTransaction(chainTransactionId: string): Promise<readonly Payment[]>;
  /** Earned and in no chain transaction: locked for the caller's transaction, those of others skipped, oldest first. */
  takeUngathered(environment: Environment, limit: number): Promise<readonly Payment[]>;
  assign(ids: readonly string[], chainTransactionId: string): Promise<void>;
  /** Earned for `seconds` and more without an end (`earned`), or receivable with a validity that is not over yet. */
  listUnsettled(
    environment: Environment,
    state: "earned" | "receivable",
    olderThanSeconds: number,
    limit: number,
  ): Promise<readonly Payment[]>;
  /** Claims of dead processes, settled by what their calls did; see jobs/sweep-payments.ts. */
  sweep(options: {
    processId: string;
    staleSeconds: number;
    limit: number;
  }): Promise<readonly { payment: Payment; effect: "none" | "failed" | "open" | "done"; result: unknown }[]>;
}
