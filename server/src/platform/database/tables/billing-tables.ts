import type { ColumnType, Generated } from "kysely";

/** Written as ISO 8601 text, read as Temporal.Instant. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;

interface ServiceProcessTable {
  id: string;
  started_at: Generated<Timestamp>;
  seen_at: Generated<Timestamp>;
}

interface TenantSpendTable {
  tenant_id: string;
  period: string;
  spent_micro: Generated<bigint>;
}

interface CallTable {
  id: string;
  tenant_id: string;
  key_id: string;
  subject: string;
  tool: string;
  surface: string;
  period: string;
  list_price_micro: bigint;
  discount_percent: number;
  price_micro: bigint;
  usage_status: string;
  trace_id: string;
  idempotency_key: string | null;
  process_id: string;
  state: Generated<"reserved" | "captured" | "released" | "replaced">;
  effect: Generated<"none" | "open" | "done" | "failed">;
  /** JSON; as text, which keeps every character that JSON can say. */
  result: string | null;
  usage_id: string | null;
  created_at: Timestamp;
  settled_at: ColumnType<Temporal.Instant | null, string | null, string | null>;
}

interface UsageRecordTable {
  id: string;
  tenant_id: string | null;
  key_id: string | null;
  subject: string;
  tool: string;
  surface: string;
  list_price_micro: bigint;
  discount_percent: number;
  price_micro: bigint;
  status: string;
  trace_id: string;
  idempotency_key: string | null;
  call_id: string | null;
  latency_ms: number;
  created_at: Timestamp;
  /** Which payment it belongs to; null: none yet, or none is needed. */
  settlement_id: Generated<string | null>;
}

interface IdempotencyTable {
  tenant_id: string;
  subject: string;
  tool: string;
  key: string;
  request_hash: string;
  call_id: string;
  process_id: string;
  state: Generated<"running" | "done">;
  outcome: string | null;
  usage_id: string | null;
  price_micro: Generated<bigint>;
  created_at: Timestamp;
}

export interface BillingTables {
  service_process: ServiceProcessTable;
  tenant_spend: TenantSpendTable;
  call: CallTable;
  usage_record: UsageRecordTable;
  idempotency: IdempotencyTable;
}
