import { type Kysely, sql } from "kysely";

const tables = [
  "agent_action",
  "approval",
  "audit_log",
  "booking",
  "booking_invoice",
  "call_spend",
  "call_spend_line",
  "chain_transaction",
  "escrow_booking",
  "escrow_step",
  "feedback",
  "idempotency",
  "ledger_transaction",
  "message",
  "order_event",
  "pause_reminder",
  "servicing_action",
  "shared_file",
  "stay_cancellation_quote",
  "trip",
  "trip_entry",
  "validation",
  "workflow_event",
  "workflow_pause",
  "workflow_step",
];

/** The trace of the call that created a row, so that one search finds all rows of a call. Null: no call did. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of tables) await sql`alter table ${sql.table(table)} add column trace_id text`.execute(db);
}
