import type { ColumnType, Generated } from "kysely";
import type { Hex, TokenSymbol } from "../../../domain/tokens.ts";
import type { BookingState } from "../../../modules/bookings/bookings.ts";
import type { Environment } from "../../../ports/identity.ts";

/** Written as ISO 8601 text, read as Temporal.Instant. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;
type OptionalTimestamp = ColumnType<Temporal.Instant | null, string | null | undefined, string | null>;

export interface BookingTable {
  id: string;
  tenant_id: string;
  network: Environment;
  user_id: string;
  call_id: string;
  kind: "flight" | "stay";
  offer_id: string;
  state: BookingState;
  amount_micro: bigint;
  total_amount: string;
  total_currency: string;
  airline_credit_id: string | null;
  order_id: string | null;
  pnr: string | null;
  ticketing: "pending" | "ticketed" | null;
  result: ColumnType<unknown, string | null, string | null>;
  failure_code: string | null;
  payments: Generated<number>;
  worker_id: string | null;
  worker_seen_at: OptionalTimestamp;
  quiet_until: OptionalTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** What follows is of its order, once it is booked. */
  booked_at: OptionalTimestamp;
  order_status: Generated<"confirmed" | "cancelled">;
  order_total_amount: string | null;
  order_total_currency: string | null;
  order_documents: ColumnType<unknown, string | undefined, string>;
  order_slices: ColumnType<unknown, string | null | undefined, string | null>;
  order_schedule_changes: ColumnType<unknown, string | undefined, string>;
  order_read_at: OptionalTimestamp;
  order_check_at: OptionalTimestamp;
}

export type LedgerAccountKind =
  | "prefunded"
  | "held"
  | "outgoing"
  | "collection"
  | "collection_outgoing"
  | "escrow"
  | "external";
export type LedgerTransactionKind =
  | "deposit"
  | "hold"
  | "capture"
  | "release"
  | "send"
  | "take_back"
  | "refund"
  | "movement"
  | "adopt";

export interface BookingTables {
  booking: BookingTable;
  private_offer: { network: Environment; offer_id: string; tenant_id: string; expires_at: Timestamp };
  negotiated_rate: {
    network: Environment;
    negotiated_rate_id: string;
    tenant_id: string;
    created_at: Timestamp;
    deleted_at: OptionalTimestamp;
  };
  customer_lease: { network: Environment; email: string; holder: string; expires_at: Timestamp };
  customer_owner: { network: Environment; customer_user_id: string; tenant_id: string; user_id: string };
  ledger_account: {
    id: string;
    network: Environment;
    token: TokenSymbol;
    /** Null: the service's own account. */
    tenant_id: string | null;
    kind: LedgerAccountKind;
    balance_micro: Generated<bigint>;
  };
  ledger_transaction: {
    id: Generated<bigint>;
    reference: string;
    kind: LedgerTransactionKind;
    created_at: Timestamp;
    /** The event of the chain that it stands for. */
    transaction_hash: Hex | null;
    log_index: number | null;
    block_number: bigint | null;
  };
  ledger_entry: { transaction_id: bigint; account_id: string; amount_micro: bigint };
}
