import type { ColumnType, Generated } from "kysely";
import type { Hex } from "../../../domain/tokens.ts";
import type { Feedback, RaterKind, ValidationState } from "../../../modules/reputation/reputation.ts";
import type { Environment } from "../../../ports/identity.ts";

/** Written as ISO 8601 text, read as Temporal.Instant. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;
type OptionalTimestamp = ColumnType<Temporal.Instant | null, string | null | undefined, string | null>;

export interface FeedbackTable {
  id: string;
  network: Environment;
  agent_id: string;
  tenant_id: string;
  rater_kind: RaterKind;
  user_id: string;
  scope: string;
  stars: number;
  tag: string;
  trip_id: Hex | null;
  booking_id: Hex | null;
  evidence_uri: string | null;
  feedback_hash: Hex;
  state: Generated<Feedback["state"]>;
  transaction_hash: Generated<Hex | null>;
  created_at: Timestamp;
  confirmed_at: OptionalTimestamp;
}

export interface ValidationTable {
  id: string;
  network: Environment;
  request_hash: Hex;
  tenant_id: string;
  agent_id: string;
  validator: Hex;
  tag: string;
  request_uri: string | null;
  state: Generated<ValidationState>;
  request_transaction_hash: Generated<Hex | null>;
  created_at: Timestamp;
  answer_id: Generated<string | null>;
  answer_tenant_id: Generated<string | null>;
  response: Generated<number | null>;
  response_uri: Generated<string | null>;
  response_hash: Generated<Hex | null>;
  answer_transaction_hash: Generated<Hex | null>;
  answered_at: OptionalTimestamp;
}

export interface ReputationTables {
  feedback: FeedbackTable;
  validation: ValidationTable;
}
