import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";

/**
 * submitted: stored, and its first transaction is on its way · burned: the money has left its chain · attested: it can be minted ·
 * minted: it has arrived · completed: nothing is left to do · failed: nothing has left, or the kind's own answer says where the money is.
 */
export type TransferStatus = "submitted" | "burned" | "attested" | "minted" | "completed" | "failed";

/** A transaction of a transfer. */
export interface TransferStep {
  /** For example `burn`. */
  step: string;
  /** CAIP-2. */
  chain: string;
  /** `ctx_…`; null: somebody else's transaction. */
  transactionId: string | null;
  /** Null: not in a block yet. */
  txHash: Hex | null;
}

/** Money on its way from one chain to another. */
export interface Transfer {
  /** `xfr_…` */
  id: string;
  tenantId: string;
  environment: Environment;
  idempotencyKey: string;
  callId: string | null;
  traceId: string | null;
  kind: string;
  status: TransferStatus;
  /** CAIP-2. */
  fromChain: string;
  toChain: string;
  token: TokenSymbol;
  recipient: Hex;
  amount: Micro;
  /** Null: not known yet. */
  fee: Micro | null;
  received: Micro | null;
  receivedToken: TokenSymbol;
  steps: readonly TransferStep[];
  /** JSON that only its kind reads and writes. */
  detail: Readonly<Record<string, unknown>>;
  expectedBy: Temporal.Instant;
  /** Why it does not get on; null: it does. */
  waiting: string | null;
  /** Since its last step. */
  attempts: number;
  version: number;
  createdAt: Temporal.Instant;
}

export type NewTransfer = Omit<Transfer, "status" | "waiting" | "attempts" | "version" | "createdAt" | "traceId">;

/** Members that a step can change. */
export type TransferChange = Partial<
  Pick<Transfer, "fee" | "received" | "receivedToken" | "steps" | "detail" | "expectedBy" | "waiting">
>;

export const hasEnded = ({ status }: Pick<Transfer, "status">): boolean =>
  status === "completed" || status === "failed";

/** The id of the transfer that a chain transaction belongs to, by its idempotency key; see `keyOfStep`. */
export const readTransferId = (idempotencyKey: string): string | undefined =>
  /^xfr_[0-9A-Z]{26}(?=:)/.exec(idempotencyKey)?.[0];

/** The idempotency key of a transfer's chain transaction. `attempt` counts from one. */
export const keyOfStep = (transferId: string, step: string, attempt = 1): string =>
  attempt === 1 ? `${transferId}:${step}` : `${transferId}:${step}#${attempt}`;
