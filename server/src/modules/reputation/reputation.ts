import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";

/** org: the tenant as a whole · user: one of its users. */
export type RaterKind = "org" | "user";

/** A rating of an agent. `pending` until the chain has it; one that the chain refused never was. */
export interface Feedback {
  /** `fbk_…`; its chain transaction is found by it. */
  id: string;
  environment: Environment;
  agentId: bigint;
  /** The rater's. */
  tenantId: string;
  raterKind: RaterKind;
  /** Who gave it, also in the tenant's name. */
  userId: string;
  /** What one rater rates once: see areas/reputation/rating-scope.ts. */
  scope: string;
  stars: number;
  /** Free text of the rater. */
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

/** Confirmed ratings of this agent, by this user, or of this agent by this user. */
export interface FeedbackQuery {
  environment: Environment;
  agentId: bigint | undefined;
  rater: { tenantId: string; userId: string } | undefined;
}

export interface Ratings {
  count: number;
  starSum: number;
}

export interface FeedbackSummary extends Ratings {
  /** The most frequent first. */
  byTag: readonly (Ratings & { tag: string })[];
  /** How many tags there are, also beyond those in `byTag`. */
  tagCount: number;
}

/** What a chain transaction became, by the record's own id. */
export interface RecordedOnChain {
  id: string;
  transactionHash: Hex;
}

/** Both steps are transactions of the chain: the request is the agent's owner's, the answer the validator's. */
type ValidationState = "requesting" | "requested" | "answering" | "answered";

export interface ValidationAnswer {
  /** `van_…`; its chain transaction is found by it. */
  id: string;
  /** Whose wallet answers. */
  tenantId: string;
  /** 0 or 100. */
  response: number;
  responseUri: string | undefined;
  responseHash: Hex;
}

export interface Validation {
  /** `val_…`; the request's chain transaction is found by it. */
  id: string;
  environment: Environment;
  requestHash: Hex;
  /** Who asks for it. */
  tenantId: string;
  agentId: bigint;
  validator: Hex;
  /** Free text of the one who asks, as its URI is. */
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
  "id" | "environment" | "requestHash" | "tenantId" | "agentId" | "validator" | "tag" | "requestUri"
>;

export interface ValidatorSummary {
  validator: Hex;
  requests: number;
  answers: number;
  /** 0 to 100. */
  averageResponse: number | null;
  lastAnsweredAt: Temporal.Instant | null;
}
