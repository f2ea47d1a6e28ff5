import { z } from "zod";
import type { AirlineChange, FlightServicing } from "../../../ports/supplier/flight-servicing.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { WireSlice } from "../flights/map-slices.ts";
import { Instant, isSupplierId, Text } from "../wire.ts";

type AirlineChanges = Pick<FlightServicing, "getAirlineChange" | "acceptAirlineChange">;

const CHANGES = "/air/airline_initiated_changes";
const MOST_OF_ORDER = 200;

const WireAirlineChange = z.object({
  id: Text,
  order_id: Text,
  action_taken: z.enum(["accepted", "cancelled", "changed"]).nullish().catch("changed"),
  action_taken_at: Instant.nullish(),
  updated_at: Instant.nullish(),
  // All or none: an order is never described without some of its flights.
  removed: z.array(WireSlice),
  added: z.array(WireSlice),
});

/** Changes that the airline made itself. The supplier lists them by order only. */
export function createAirlineChanges(client: DuffelClient): AirlineChanges {
  return {
    async getAirlineChange(orderId, changeId, { signal } = {}) {
      if (!isSupplierId(orderId) || !isSupplierId(changeId)) throw failure("change_not_found");
      const changes = await client.readPages(
        { subject: "change", schema: WireAirlineChange, path: CHANGES, query: { order_id: orderId }, signal },
        MOST_OF_ORDER,
      );
      const found = changes.find(({ id, order_id }) => id === changeId && order_id === orderId);
      if (found === undefined) throw failure("change_not_found");
      return toAirlineChange(found);
    },

    async acceptAirlineChange(changeId) {
      if (!isSupplierId(changeId)) throw failure("change_not_found");
      const change = await client.commit({
        subject: "change_confirmation",
        schema: WireAirlineChange,
        path: `${CHANGES}/${encodeURIComponent(changeId)}/actions/accept`,
      });
      if (change.action_taken !== "accepted") throw failure("outcome_unknown");
      return toAirlineChange(change);
    },
  };
}

function toAirlineChange(change: z.infer<typeof WireAirlineChange>): AirlineChange {
  const { id, order_id: orderId, action_taken: action = null, removed, added } = change;
  const answeredAt = change.action_taken_at ?? change.updated_at ?? null;
  return { id, orderId, answer: action, answeredAt: action === null ? null : answeredAt, removed, added };
}
