import type { Issue } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { Environment } from "../../ports/identity.ts";

/** A tenant's call that was refused or failed. It holds nothing of the call's arguments. */
export interface FailedCall {
  tenantId: string;
  environment: Environment;
  keyId: string;
  /** Null: no tool has the name that was called. */
  tool: string | null;
  surface: string;
  code: string;
  /** Null: it cannot be told from the arguments. */
  detail: string | null;
  issuePaths: readonly Issue["path"][];
  traceId: string;
  /** The run of a workflow that made the call. */
  runId: string | null;
  /** The price after the discount, which was not paid. */
  price: Micro;
  at: Temporal.Instant;
}

/** Neither waits nor throws: a caller's answer does not depend on this record. */
export type RecordFailedCall = (call: FailedCall) => void;
