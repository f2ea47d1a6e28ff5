import type { ColumnType, Generated } from "kysely";
import type { Hex } from "../../../domain/tokens.ts";
import type { PaymentState } from "../../../modules/payments/payments.ts";
import type { Environment } from "../../../ports/identity.ts";

/** Written as ISO 8601 text, read as Temporal.Instant. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;

/** A number of up to 78 digits, as text. */
type Numeric = string;

export interface PaymentTable {
  id: string;
  network: Environment;
  chain: string;
  asset: Hex;
  payer: Hex;
  nonce: Hex;
  pay_to: Hex;
  amount_micro: bigint;
  valid_after: Numeric;
  valid_before: Numeric;
  signature: Hex;
  max_timeout_seconds: number;
  token_name: string;
  token_version: string;
  request_hash: string;
  tool: string;
  tenant_id: string | null;
  key_id: string | null;
  subject: string;
  call_id: string;
  process_id: string;
  trace_id: string;
  list_price_micro: bigint;
  discount_percent: number;
  latency_ms: Generated<number>;
  state: Generated<PaymentState>;
  /** JSON; as text, which keeps every character that JSON can say. */
  result: string | null;
  usage_id: string | null;
  chain_transaction_id: string | null;
  transaction_hash: Hex | null;
  failure: string | null;
  looked_at: Timestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface PaymentTables {
  payment: PaymentTable;
  payment_payer: {
    network: Environment;
    asset: Hex;
    payer: Hex;
    open_micro: Generated<bigint>;
    receivables: Generated<number>;
    /** Claimed and earned ones. */
    under_way: Generated<number>;
    settled: Generated<number>;
  };
}
