import type { Hex } from "../../domain/tokens.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";

/** org: the tenant as a whole · user: one of its users. */
export type RaterKind = "org" | "user";

/** A rating of an agent. `pending` until it is on the chain; a refused one is removed. */
export interface Feedback extends ChainKey {
  /** `fbk_…`; identifies its chain transaction. */
  id: string;
  agentId: bigint;
  /** The rater's tenant. */
  tenantId: string;
  raterKind: RaterKind;
  /** The user who rated, also on behalf of the tenant. */
  userId: string;
  /** The scope that one rater rates once; see give-feedback.ts. */
  scope: string;
  stars: number;
  /** Free text by the rater. */
  tag: string;
  tripId: Hex | undefined;
  bookingId: Hex | undefined;
  evidenceUri: string | undefined;
  feedbackHash: Hex;
  state: "pending" | "confirmed";
  transactionHash: Hex | undefined;
  createdAt: Temporal.Instant;
}

export type NewFeedback = Omit<Feedback, "state" | "transactionHash" | "createdAt">;

/** Confirmed ratings on this chain of this agent, by this user, or both. */
export interface FeedbackQuery extends ChainKey {
  agentId: bigint | undefined;
  rater: { tenantId: string; userId: string } | undefined;
}

export interface Ratings {
  count: number;
  starSum: number;
}

export interface FeedbackSummary extends Ratings {
  /** Most frequent first. */
  byTag: readonly (Ratings & { tag: string })[];
  /** The number of tags, including those not in `byTag`. */
  tagCount: number;
}

/** The confirmed transaction of a record. */
export interface RecordedOnChain {
  id: string;
  transactionHash: Hex;
}

/** Both steps are chain transactions: the request by the agent's owner, the answer by the validator. */
type ValidationState = "requesting" | "requested" | "answering" | "answered";

export interface ValidationAnswer {
  /** `van_…`; identifies its chain transaction. */
  id: string;
  /** The tenant whose wallet answers. */
  tenantId: string;
  /** 0 or 100. */
  response: number;
  responseUri: string | undefined;
  responseHash: Hex;
}

export interface Validation extends ChainKey {
  /** `val_…`; identifies the request's chain transaction. */
  id: string;
  requestHash: Hex;
  /** The requesting tenant. */
  tenantId: string;
  agentId: bigint;
  validator: Hex;
  /** Free text by the requester, like the URI. */
  tag: string;
  requestUri: string | undefined;
  state: ValidationState;
  requestTransactionHash: Hex | undefined;
  createdAt: Temporal.Instant;
  answer: ValidationAnswer | undefined;
  answerTransactionHash: Hex | undefined;
  answeredAt: Temporal.Instant | undefined;
}

export type NewValidation = Pick<
  Validation,
  "id" | "environment" | "chain" | "requestHash" | "tenantId" | "agentId" | "validator" | "tag" | "requestUri"
>;

export interface ValidatorSummary {
  validator: Hex;
  requests: number;
  answers: number;
  /** 0 to 100. */
  averageResponse: number | null;
  lastAnsweredAt: Temporal.Instant | null;
}
