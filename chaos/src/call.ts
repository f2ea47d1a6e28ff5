export interface CallRequest {
  tool: string;
  args: Readonly<Record<string, unknown>>;
  /** A user of the tenant; undefined: the key's service account. */
  userId?: string | undefined;
  /** Idempotency-Key. */
  key?: string | undefined;
  /** Whether the history keeps the result; results of reads would fill it for nothing. */
  keepResult?: boolean;
}

export type Answer =
  | {
      kind: "ok";
      result: unknown;
      meterId: string | undefined;
      priceMicroUsdc: bigint | undefined;
      replayed: boolean;
      /** Whether `x-service-sig` is the tenant's signature of this very answer. */
      signed: boolean;
    }
  /** Answered with an error; `code` says which. `approvalId`: what the same call waits for, or was answered by. */
  | { kind: "refused"; code: string; retryable: boolean; approvalId?: string | undefined }
  /** The connection broke or nothing came in time: the caller knows nothing. */
  | { kind: "lost"; code: string };

/** Whether asking again can bring nothing else. A key that a read was run for too often is refused for a day, though `retryable`. */
export function isFinal(answer: Answer): boolean {
  return answer.kind === "ok" || (answer.kind === "refused" && (!answer.retryable || answer.code === "rate_limited"));
}
