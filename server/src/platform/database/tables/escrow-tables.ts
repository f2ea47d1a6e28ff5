import type { ColumnType, Generated } from "kysely";
import type { Hex } from "../../../domain/tokens.ts";
import type { EscrowBookingState, EscrowBookingStep } from "../../../modules/escrow/escrow-bookings.ts";
import type { MailState, TripState, TripStep } from "../../../modules/escrow/trips.ts";
import type { ServiceTakeBehavior } from "../../../modules/pricing/pricing-policies.ts";
import type { Environment } from "../../../ports/identity.ts";

/** Written as ISO 8601 text, read as Temporal.Instant. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;
type OptionalTimestamp = ColumnType<Temporal.Instant | null, string | null | undefined, string | null>;

/** Written as JSON text. */
type OptionalJson = ColumnType<unknown, string | null | undefined, string | null>;

export interface TripTable {
  network: Environment;
  trip_id: Hex;
  tenant_id: string;
  user_id: string;
  escrow: Hex;
  funder: Hex;
  state: Generated<TripState>;
  budget_micro: bigint;
  free_micro: Generated<bigint>;
  held_micro: Generated<bigint>;
  promised_micro: Generated<bigint>;
  vendor_paid_micro: Generated<bigint>;
  markup_paid_micro: Generated<bigint>;
  service_fee_paid_micro: Generated<bigint>;
  action_fee_paid_micro: Generated<bigint>;
  refunded_micro: Generated<bigint>;
  expires_at: Timestamp;
  code_nonce: Hex;
  requires_code: boolean;
  wrong_codes: Generated<number>;
  guest_wallet: Hex | null;
  claimed_at: OptionalTimestamp;
  pending: OptionalJson;
  details: ColumnType<unknown, string, string>;
  encrypted_guest_email: string | null;
  mail: MailState;
  mail_attempts: Generated<number>;
  mail_due: OptionalTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface EscrowBookingTable {
  network: Environment;
  tenant_id: string;
  booking_id: Hex;
  trip_id: Hex;
  state: Generated<EscrowBookingState>;
  pending: OptionalJson;
  reserved_micro: bigint;
  vendor: Hex | null;
  vendor_amount_micro: Generated<bigint>;
  markup_micro: Generated<bigint>;
  service_fee_micro: Generated<bigint>;
  itinerary_hash: Hex | null;
  ticket_hash: Hex | null;
  details: ColumnType<unknown, string | undefined, string>;
  vendor_paid_micro: Generated<bigint>;
  fee_paid_micro: Generated<bigint>;
  refunded_micro: Generated<bigint>;
  waiting_micro: Generated<bigint>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface EscrowTables {
  trip: TripTable;
  escrow_booking: EscrowBookingTable;
  escrow_step: {
    id: Generated<bigint>;
    network: Environment;
    trip_id: Hex;
    /** Null: a step of the whole trip. */
    booking_id: Hex | null;
    step: TripStep | EscrowBookingStep;
    transaction_hash: Hex;
    at: Timestamp;
  };
  agent_action: {
    network: Environment;
    action_id: Hex;
    trip_id: Hex;
    action_type: string;
    fee_micro: bigint;
    transaction_hash: Hex;
    at: Timestamp;
  };
  pricing_policy: {
    tenant_id: string;
    network: Environment;
    version: number;
    markup_bps: number;
    floor_micro: bigint;
    ceiling_micro: bigint | null;
    service_take_behavior: ServiceTakeBehavior;
    activated_at: Timestamp;
    activated_by: string;
  };
}
