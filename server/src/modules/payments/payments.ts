import type { Micro } from "../../domain/money.ts";
import type { PaymentTerms, SignedPayment } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";
import type { TransactionIntent } from "../chain/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "payments.payments": Payments;
  }
}

/**
 * claimed: the authorization belongs to one call, whose tool runs · earned: the tool has succeeded, its answer is stored, and the
 * money is on its way · settled: the money is there · receivable: the tool has succeeded and the payment could not be settled.
 * A failed tool leaves no row: the authorization stays usable.
 */
type PaymentState = "claimed" | "earned" | "settled" | "receivable";

/**
 * So long the answer of a settled payment is given again: everybody can copy an authorization from the chain once it is settled there.
 */
export const ANSWER_MINUTES = 15;

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
  /** The tool's answer, from `earned` on. Null: it was kept long enough. */
  result: unknown;
  latencyMs: number;
  usageId: string | undefined;
  chainTransactionId: string | undefined;
  transactionHash: Hex | undefined;
  /** Why it could not be settled. */
  failure: string | undefined;
  createdAt: Temporal.Instant;
  /** Of a receivable: since when it is one. */
  changedAt: Temporal.Instant;
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
};

export type PaymentClaim =
  | { kind: "claimed" }
  /** The authorization has a payment already. */
  | { kind: "taken"; payment: Payment }
  | { kind: "refused"; reason: ClaimRefusal };

/**
 * What the payer owes for calls under way is more than it has, or it left too many unpaid, or more are under way than it has been
 * seen to pay.
 */
export type ClaimRefusal = "insufficient_funds" | "payer_owes" | "too_many_open";

export interface EarnedPayment {
  chainTransactionId: string | undefined;
}

export interface SettledBy {
  /** Of the payment, or of the chain transaction that settles it and nothing else. */
  id: string;
  transactionHash: Hex;
}

/** A claim that nobody works on any more, and what its call did outside. */
interface AbandonedPayment {
  payment: Payment;
  effect: "none" | "failed" | "done";
  /** What the call recorded with its effect. */
  result: unknown;
}

/** Every authorization that paid, or is about to pay, for a call. Unique by environment, asset, payer and nonce, for good. */
export interface Payments {
  find(
    environment: Environment,
    authorization: Pick<SignedPayment, "asset" | "payer" | "nonce">,
  ): Promise<Payment | undefined>;
  get(id: string): Promise<Payment | undefined>;
  /** `balance`: what the payer had a moment ago; undefined: not known, and not compared. */
  claim(payment: NewPayment, balance: Micro | undefined): Promise<PaymentClaim>;
  /**
   * Claimed → gone. False: it was not claimed any more, or its call did something outside, or may have: then it stays claimed
   * until a sweep settles it by how that ends.
   */
  release(id: string): Promise<boolean>;
  /**
   * Claimed → earned, together with the intent of the transaction that settles it; undefined: something else does. Undefined is also the
   * answer when it is not claimed any more.
   */
  earn(
    id: string,
    earned: { result: unknown; latencyMs: number; transactionIntent: TransactionIntent | undefined },
  ): Promise<EarnedPayment | undefined>;
  /**
   * Earned or receivable → settled, with the usage records; how many it were. The others had been settled before. Whoever settles
   * several in one transaction does it by one call: call after call, two of them could wait for each other in a circle.
   */
  settle(payments: readonly SettledBy[], told?: "id" | "chainTransactionId"): Promise<number>;
  /** Earned → receivable. */
  writeOff(id: string, failure: string): Promise<boolean>;
  /** Receivable → earned, to be settled once more, unless that was tried since it was seen. */
  retry(seen: Pick<Payment, "id" | "changedAt">, chainTransactionId: string | undefined): Promise<boolean>;
  /** Those that these chain transactions settle, in the order of their ids. */
  ofTransactions(chainTransactionIds: readonly string[]): Promise<readonly Payment[]>;
  /** Earned and in no chain transaction: locked for the caller's transaction, those of others skipped, oldest first. */
  takeUngathered(environment: Environment, limit: number): Promise<readonly Payment[]>;
  /** Whether there is such a payment, also one that somebody else is taking. */
  isAnyUngathered(environment: Environment): Promise<boolean>;
  /** Puts earned ones into a chain transaction, instead of the one `from` that they are in. How many it were. */
  assign(ids: readonly string[], chainTransactionId: string, from?: string): Promise<number>;
  /** Earned, in a chain transaction that is over and said nothing about them. */
  listLoose(environment: Environment, limit: number): Promise<readonly Payment[]>;
  /**
   * Takes turns over those whose outcome nobody has asked for in `seconds`: earned ones in no chain transaction, or receivables
   * of the last 30 days with an authorization that is not over yet. Several processes are given different ones.
   */
  takeUnsettled(
    environment: Environment,
    state: "earned" | "receivable",
    seconds: number,
    limit: number,
  ): Promise<readonly Payment[]>;
  /** Claims of dead processes, and what calls left behind that failed while their effect was undecided; not those that are undecided still. */
  listAbandoned(options: {
    processId: string;
    staleSeconds: number;
    limit: number;
  }): Promise<readonly AbandonedPayment[]>;
  /** Puts a whole answer in place of `stored`, which is a part of it, and gives the one that is kept: the first of several. */
  keepAnswer(id: string, stored: unknown, whole: unknown): Promise<unknown>;
  /** Drops answers that were paid for long ago; the payments stay, for good. How many it were. */
  prune(at: Temporal.Instant): Promise<number>;
  /** For operators: what was earned and could not be settled. */
  receivables(): Promise<readonly { environment: Environment; count: number; amount: Micro }[]>;
}
