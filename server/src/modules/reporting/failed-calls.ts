import type { FailedCall } from "../../kernel/contracts/failed-call.ts";
import type { Environment } from "../../ports/identity.ts";

export const FAILED_CALL_PREFIX = "fail_";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "reporting.failedCalls": FailedCalls;
  }
}

export interface StoredFailedCall extends FailedCall {
  id: string;
}

export interface FailedCallFilter {
  tool?: string | undefined;
  code?: string | undefined;
  traceId?: string | undefined;
  /** True: calls by MCP; false: all others but previews. */
  isMcp?: boolean | undefined;
  runId?: string | undefined;
  /** Inclusive. */
  from?: Temporal.Instant | undefined;
  /** Exclusive. */
  until?: Temporal.Instant | undefined;
}

export interface FailedCalls {
  /** Keeps the newest of each tenant and environment. May be repeated. */
  add(calls: readonly StoredFailedCall[]): Promise<void>;
  /** Newest first; `before` is the last id of the previous page. `keyName` is null if there is no such key any more. */
  list(
    tenantId: string,
    environment: Environment,
    page: FailedCallFilter & { before: string | undefined; limit: number },
  ): Promise<readonly ListedFailedCall[]>;
}

export interface ListedFailedCall extends Omit<StoredFailedCall, "tenantId" | "environment"> {
  keyName: string | null;
}
