import type { CommonCode } from "./generated/tools.ts";

/** The answer of a call. A refusal is an answer like any other: check `ok`, then `problem.code`. */
export type Outcome<Result, Code extends string> = Success<Result> | Refusal<Code>;

export interface Success<Result> {
  readonly ok: true;
  readonly result: Result;
  /** Names the call in the service's logs. Empty on routes that need no key. */
  readonly traceId: string;
  /** The usage record, if the call has one. */
  readonly meterId: string | undefined;
  /** The price in micro-USDC. Undefined on routes, which cost nothing, and for calls that were paid with a wallet. */
  readonly priceMicroUsdc: string | undefined;
  /** An earlier call with the same idempotency key had this answer, and nothing was charged again. */
  readonly isReplayed: boolean;
  /** For a call that was paid with a wallet: who paid, how much, and the transaction that settled it. */
  readonly payment: Payment | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
}

export interface Payment {
  readonly payer: string;
  readonly amountUsdc: string;
  readonly settlementTx: string | null;
}

export interface Refusal<Code extends string> {
  readonly ok: false;
  readonly problem: Problem<Code>;
  readonly traceId: string;
  /** The problem as it was sent, with members that only this code has. Empty if the service did not answer. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly attempts: number;
}

/** Codes of the client itself: the service did not answer, or what answered cannot be trusted. */
export type ClientCode = "connection_failed" | "timed_out" | "unexpected_answer" | "signature_invalid";

/** A union over the codes, so that comparing `code` gives the members that this code has. */
export type Problem<Code extends string> = Code extends unknown ? ProblemWith<Code> : never;

type ProblemWith<Code extends string> = BaseProblem<Code> &
  (Code extends keyof MembersByCode ? MembersByCode[Code] : unknown);

interface BaseProblem<Code extends string> {
  readonly code: Code;
  /** The next step. */
  readonly detail: string;
  readonly title: string;
  /** The page about the code. */
  readonly type: string;
  /** 0 if the service did not answer. */
  readonly status: number;
  /** Whether the same call, sent again later, can succeed. */
  readonly retryable: boolean;
  readonly traceId: string;
}

export interface Issue {
  /** Where: the names of the members, with dots between them. */
  readonly path: string;
  readonly message: string;
}

interface Approval {
  /** For `readApproval`. Absent if the approval could not be requested yet. */
  readonly approvalId?: string;
  readonly approvalExpiresAt?: string;
}

/** The members that codes have beside the common ones. */
interface MembersByCode {
  invalid_input: { readonly issues: readonly Issue[] };
  missing_scope: { readonly scope: string };
  spend_limit_exceeded: { readonly limit: string; readonly limitOf: string };
  approval_required: Approval;
  approval_used: Approval;
  approval_expired: Approval;
  approval_price_changed: Approval;
  approval_offer_changed: Approval;
  approval_revoked: Approval;
  approval_rejected: Approval;
}

export type ToolAnswer<Result, OwnCode extends string> = Promise<Outcome<Result, OwnCode | CommonCode | ClientCode>>;

export type RouteAnswer<Result, Code extends string> = Promise<Outcome<Result, Code | ClientCode>>;

export interface RouteOptions {
  /** Ends the call and its repetitions. The promise is then rejected with the signal's reason, as with fetch. */
  readonly signal?: AbortSignal | undefined;
  /** For one attempt, in place of the client's own. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Names the request, so that it happens once. Default: a new random one, kept over repetitions. */
  readonly idempotencyKey?: string | undefined;
  /** Continues your trace (W3C trace context). */
  readonly traceparent?: string | undefined;
}

export interface ToolOptions extends RouteOptions {
  /** The user of the tenant for whom the call acts. Default: that of the client, else the key's service account. */
  readonly userId?: string | undefined;
}

/** An answer that is not JSON. */
export interface ReceivedFile {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A refusal as an error, for code that prefers exceptions: see `unwrap`. */
export class ServiceError<Code extends string = string> extends Error {
  readonly problem: Problem<Code>;
  readonly body: Readonly<Record<string, unknown>>;

  constructor({ problem, body }: Pick<Refusal<Code>, "problem" | "body">) {
    super(`${problem.code}: ${problem.detail}`);
    this.name = "ServiceError";
    this.problem = problem;
    this.body = body;
  }
}

/** The result of a successful call. Throws a `ServiceError` for a refusal. */
export async function unwrap<Result, Code extends string>(answer: Promise<Outcome<Result, Code>>): Promise<Result> {
  const outcome = await answer;
  if (!outcome.ok) throw new ServiceError(outcome);
  return outcome.result;
}
