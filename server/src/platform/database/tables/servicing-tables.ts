import type { ColumnType } from "kysely";
import type { ServicingKind, ServicingState } from "../../../modules/servicing/servicing-actions.ts";
import type { Environment } from "../../../ports/identity.ts";

/** Written as ISO 8601 text, read as Temporal.Instant. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;
type OptionalTimestamp = ColumnType<Temporal.Instant | null, string | null | undefined, string | null>;

export interface ServicingActionTable {
  id: string;
  tenant_id: string;
  network: Environment;
  call_id: string;
  kind: ServicingKind;
  /** The cancellation, change or quote that is confirmed. */
  subject_id: string;
  booking_id: string;
  order_id: string;
  state: ServicingState;
  payment_kind: "balance" | "wallet" | null;
  payment_micro: bigint | null;
  expected: ColumnType<Record<string, unknown>, string, string>;
  result: ColumnType<unknown, string | null | undefined, string | null>;
  failure_code: string | null;
  worker_id: string | null;
  worker_seen_at: OptionalTimestamp;
  quiet_until: OptionalTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ServicingTables {
  servicing_action: ServicingActionTable;
  change_offer: {
    network: Environment;
    change_offer_id: string;
    tenant_id: string;
    order_id: string;
    created_at: Timestamp;
  };
  stay_cancellation_quote: {
    id: string;
    tenant_id: string;
    network: Environment;
    stay_id: string;
    refund_amount: string;
    refund_currency: string;
    expires_at: OptionalTimestamp;
    created_at: Timestamp;
  };
}
