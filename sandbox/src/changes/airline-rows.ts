// Changes that the airline made to an order's schedule, and what was done about them.
import { toIso } from "../clock.ts";
import type { WireSlice } from "../seats/services.ts";
import type { Queryable } from "../storage/database.ts";

export type ActionTaken = "accepted" | "cancelled" | "changed";
export type AirlineChangeRow = {
  id: string;
  seq: string;
  order_id: string;
  added: WireSlice[];
  removed: WireSlice[];
  action_taken: ActionTaken | null;
  action_taken_ms: string | null;
  created_ms: string;
  updated_ms: string;
};

export function renderAirlineChange(row: AirlineChangeRow) {
  const iso = (ms: string | null) => (ms === null ? null : toIso(Number(ms)));
  // A cancelled flight leaves nothing that could be accepted.
  const actions = row.added.length === 0 ? ["cancel", "change", "update"] : ["accept", "cancel", "change", "update"];
  return {
    id: row.id,
    order_id: row.order_id,
    added: row.added,
    removed: row.removed,
    available_actions: row.action_taken === null ? actions : [],
    action_taken: row.action_taken,
    action_taken_at: iso(row.action_taken_ms),
    travel_agent_ticket: null,
    live_mode: false,
    created_at: iso(row.created_ms),
    updated_at: iso(row.updated_ms),
  };
}

/** The order shows its changes as they are now. */
export async function showOnOrder(tx: Queryable, orderId: string): Promise<void> {
  const { rows } = await tx.query<AirlineChangeRow>(
    "SELECT * FROM airline_initiated_changes WHERE order_id = $1 ORDER BY seq",
    [orderId],
  );
  await tx.query("UPDATE orders SET airline_changes = $2 WHERE id = $1", [
    orderId,
    JSON.stringify(rows.map(renderAirlineChange)),
  ]);
}

/** An order that is cancelled or changed by its owner has answered what was still open. */
export async function answerOpenChanges(
  tx: Queryable,
  orderId: string,
  action: ActionTaken,
  nowMs: number,
): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE airline_initiated_changes SET action_taken = $2, action_taken_ms = $3, updated_ms = $3
     WHERE order_id = $1 AND action_taken IS NULL`,
    [orderId, action, nowMs],
  );
  if (rowCount !== 0) await showOnOrder(tx, orderId);
}
