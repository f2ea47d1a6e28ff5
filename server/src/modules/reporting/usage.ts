import type { Micro } from "../../domain/money.ts";
import type { Environment } from "../../ports/identity.ts";

export interface UsageRecord {
  id: string;
  tool: string;
  surface: string;
  status: string;
  subject: string;
  keyId: string | null;
  listPriceMicroUsdc: Micro;
  discountPercent: number;
  priceMicroUsdc: Micro;
  traceId: string;
  idempotencyKey: string | null;
  latencyMs: number;
  createdAt: Temporal.Instant;
  /** The chain transaction that paid it. */
  settlementTx: string | null;
}

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "reporting.usageRecords": Usage;
  }
}

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "reporting.usage": Usage;
  }
}

/** From the first moment (inclusive) to the second (exclusive). */
interface Between {
  from: Temporal.Instant | undefined;
  to: Temporal.Instant | undefined;
}

/** Calls that have the same tool, key or caller. */
export interface UsageGroup {
  /** Null: calls without a key. */
  name: string | null;
  /** A key's name, if it is one's. */
  keyName: string | null;
  calls: bigint;
  priceMicro: Micro;
  lastAt: Temporal.Instant;
}

/** The calls of a key in one hour. */
interface KeyHour {
  keyId: string;
  beginsAt: Temporal.Instant;
  calls: bigint;
}

export type GroupedBy = "tool" | "key" | "person";

export interface Usage {
  /** Sums the newest `most` records since then, the most expensive group first. `counted`: how many there were. */
  group(
    tenantId: string,
    environment: Environment,
    asked: { by: GroupedBy; since: Temporal.Instant; most: number; groups: number },
  ): Promise<{ groups: readonly UsageGroup[]; counted: bigint }>;
  /** Newest first; `before` is the last id of the previous page. */
  list(
    tenantId: string,
    environment: Environment,
    page: {
      before: string | undefined;
      limit: number;
      tool: string | undefined;
      between?: Between;
      traceId?: string | undefined;
      /** True: calls by MCP; false: all others. */
      isMcp?: boolean | undefined;
      /** A run of a workflow. */
      runId?: string | undefined;
    },
  ): Promise<readonly UsageRecord[]>;
  /** The charged calls of each key by hour, among the newest `most` records since then. `counted`: how many there were. */
  countByKeyAndHour(
    tenantId: string,
    environment: Environment,
    asked: { since: Temporal.Instant; most: number },
  ): Promise<{ hours: readonly KeyHour[]; counted: bigint }>;
  /** When each of these tools was last called. */
  lastByTool(
    tenantId: string,
    environment: Environment,
    tools: readonly string[],
  ): Promise<ReadonlyMap<string, Temporal.Instant>>;
  totals(
    tenantId: string,
    environment: Environment,
    period: string,
  ): Promise<{ spentMicroUsdc: Micro; capMicroUsdc: Micro }>;
}
