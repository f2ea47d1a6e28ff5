import type { Micro } from "../../domain/money.ts";
import type { PaymentTerms, SignedPayment } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Environment } from "../../ports/identity.ts";
import type { TransactionIntent } from "../chain/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "payments.payments": Payments;
  }
}

/**
 * claimed: one call holds the authorization, and its tool runs · earned: the tool succeeded, its answer is stored, and the
 * settlement is pending · settled: the money has arrived · receivable: the tool succeeded and the settlement failed. A failed
 * tool leaves no row, and the authorization stays usable.
 */
type PaymentState = "claimed" | "earned" | "settled" | "receivable";

/**
 * How long the answer of a settled payment can be fetched again: once settled, anyone can copy the authorization from the
 * chain.
 */
export const ANSWER_MINUTES = 15;

/** The part that is known when a payment is claimed. */
interface ClaimedCall {
  /** `pay_…` */
  id: string;
  /** The environment of its chain. */
  environment: Environment;
  signed: SignedPayment;
  terms: PaymentTerms;
  /** Hashes tool, arguments, tenant and key, since an authorization pays for one request only. */
  requestHash: string;
  tool: string;
  /** Null: paid without a key. */
  tenantId: string | null;
  keyId: string | null;
  /** The subject of the usage record: the payer, or the key's user. */
  subject: string;
  callId: string;
  processId: string;
  traceId: string;
  listPrice: Micro;
  discountPercent: number;
}

export interface Payment extends ClaimedCall {
  state: PaymentState;
  /** The tool's answer, from `earned` on. Null: pruned. */
  result: unknown;
  latencyMs: number;
  usageId: string | undefined;
  chainTransactionId: string | undefined;
  transactionHash: Hex | undefined;
  /** Why settlement failed. */
  failure: string | undefined;
  createdAt: Temporal.Instant;
  /** For a receivable: since when it is one. */
  changedAt: Temporal.Instant;
}

/** The chain that the money of a payment is on. */
export function findPaymentChain({ environment, signed }: Pick<Payment, "environment" | "signed">): ChainKey {
  return { environment, chain: signed.network };
}

export interface NewPayment extends ClaimedCall {
  /** The tool marks its effects: the call gets a row of its own. */
  hasEffects: boolean;
}

export type PaymentClaim =
  | { kind: "claimed" }
  /** The authorization, or its identifier, already has a payment. */
  | { kind: "taken"; payment: Payment }
  | { kind: "refused"; reason: ClaimRefusal };

/**
 * The payer owes more for pending calls than it has, left too many unpaid, or has more pending than its settled payments allow.
 */
export type ClaimRefusal = "insufficient_funds" | "payer_owes" | "too_many_open";

export interface EarnedPayment {
  chainTransactionId: string | undefined;
}

/** Payments and the chain transaction that now contains them. */
export interface GatheredPayments {
  ids: readonly string[];
  chainTransactionId: string;
}

export interface SettledBy {
  /** The id of the payment, or of the chain transaction that settles only this payment. */
  id: string;
  transactionHash: Hex;
}

/** A claim without a live worker, and the effect of its call. */
interface AbandonedPayment {
  payment: Payment;
  effect: "none" | "failed" | "done";
  /** The result that the call recorded with its effect. */
  result: unknown;
}

/** Every authorization that has paid or may pay for a call. Unique by chain, asset, payer and nonce, and by the payer's identifier if it gave one, permanently. */
export interface Payments {
  find(
    environment: Environment,
    authorization: Pick<SignedPayment, "network" | "asset" | "payer" | "nonce">,
  ): Promise<Payment | undefined>;
  /** The payment of this payer that has the same identifier; undefined also if the payer gave none. */
  findIdentified(
    environment: Environment,
    payment: Pick<SignedPayment, "network" | "asset" | "payer" | "identifier">,
  ): Promise<Payment | undefined>;
  get(id: string): Promise<Payment | undefined>;
  /** `balance`: the payer's last known balance; undefined: unknown, and not compared. */
  claim(payment: NewPayment, balance: Micro | undefined): Promise<PaymentClaim>;
  /**
   * Claimed → deleted. False: it was not claimed any more, or its call may have had an effect: then it stays claimed until a
   * sweep settles it by that effect's outcome.
   */
  release(id: string): Promise<boolean>;
  /**
   * Claimed → earned, with the intent of the settling transaction; intent undefined: it is settled in another way. Returns
   * undefined if the payment is not claimed any more.
   */
  earn(
    id: string,
    earned: { result: unknown; latencyMs: number; transactionIntent: TransactionIntent | undefined },
  ): Promise<EarnedPayment | undefined>;
  /**
   * Earned or receivable → settled, with the usage records. Returns how many changed; the others were settled before. Payments
   * of one transaction must be settled by a single call: several calls could deadlock.
   */
  settle(payments: readonly SettledBy[], told?: "id" | "chainTransactionId"): Promise<number>;
  /** Earned → receivable. */
  writeOff(id: string, failure: string): Promise<boolean>;
  /** Receivable → earned for another try, unless it was tried since it was seen. */
  retry(seen: Pick<Payment, "id" | "changedAt">, chainTransactionId: string | undefined): Promise<boolean>;
  /** The payments that these chain transactions settle, ordered by id. */
  ofTransactions(chainTransactionIds: readonly string[]): Promise<readonly Payment[]>;
  /** Locks earned payments without a chain transaction, oldest first, and skips those that others have locked. */
  takeUngathered(chain: ChainKey, limit: number): Promise<readonly Payment[]>;
  /**
   * Stores a chain transaction for each group of earned payments and puts them into it, unless one of the group is already in
   * another or locked. Returns those that it stored.
   */
  gather(
    groups: readonly { ids: readonly string[]; intent: TransactionIntent }[],
  ): Promise<readonly GatheredPayments[]>;
  /** Whether there is such a payment, including locked ones. */
  isAnyUngathered(chain: ChainKey): Promise<boolean>;
  /** Puts earned payments into a chain transaction, replacing `from`. Returns how many. */
  assign(ids: readonly string[], chainTransactionId: string, from?: string): Promise<number>;
  /** Earned payments whose chain transaction has ended without settling them. */
  listLoose(chain: ChainKey, limit: number): Promise<readonly Payment[]>;
  /**
   * Leases payments whose outcome was not checked for `seconds`, in turn: earned ones without a chain transaction, and
   * receivables of the last 30 days whose authorization is still valid. Concurrent processes get different ones.
   */
  takeUnsettled(
    chain: ChainKey,
    state: "earned" | "receivable",
    seconds: number,
    limit: number,
  ): Promise<readonly Payment[]>;
  /**
   * Claims of dead processes and of calls that failed before their effect was decided, except those that are still undecided.
   */
  listAbandoned(options: {
    processId: string;
    staleSeconds: number;
    limit: number;
  }): Promise<readonly AbandonedPayment[]>;
  /** Replaces the partial answer `stored` by the whole one and returns the answer that is kept: the first to arrive. */
  keepAnswer(id: string, stored: unknown, whole: unknown): Promise<unknown>;
  /** Deletes answers that were paid for long ago; the payments stay permanently. Returns how many. */
  prune(at: Temporal.Instant): Promise<number>;
  /** For operators: earned payments whose settlement failed. */
  receivables(): Promise<readonly { environment: Environment; count: number; amount: Micro }[]>;
}
