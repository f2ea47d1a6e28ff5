import type { ColumnType, Generated } from "kysely";
import type { OrderEventSource } from "../../../modules/orders/orders.ts";
import type { Environment } from "../../../ports/identity.ts";

/** Written as ISO 8601 text, read as Temporal.Instant. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;
type OptionalTimestamp = ColumnType<Temporal.Instant | null, string | null | undefined, string | null>;

export interface OrderTables {
  order_event: {
    id: Generated<bigint>;
    network: Environment;
    order_id: string;
    kind: string;
    key: string;
    source: OrderEventSource;
    details: ColumnType<Record<string, unknown>, string, never>;
    at: Timestamp;
  };
  webhook_event: {
    network: Environment;
    id: string;
    type: string;
    subject_id: string | null;
    order_id: string | null;
    booking_id: string | null;
    created_at: string | null;
    received_at: Timestamp;
    attempts: Generated<number>;
    next_at: Timestamp;
    last_reason: string | null;
    finished_at: OptionalTimestamp;
    outcome: string | null;
  };
  webhook_endpoint: {
    network: Environment;
    endpoint_id: string;
    url: string;
    encrypted_secret: string;
    updated_at: Timestamp;
  };
}
