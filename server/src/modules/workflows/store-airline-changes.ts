import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { dueIfAny } from "../../platform/leased-queue/watch-queues.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "workflows.airlineChanges": ReturnType<typeof createAirlineChanges>;
  }
}

export interface UnansweredChange {
  tenantId: string;
  environment: Environment;
  /** The key that booked the order. */
  keyId: string;
  userId: string | null;
  orderId: string;
  changeId: string;
  tripId: string | null;
}

/** The runs' idempotency key, so that a change has one run however often it is heard of. */
export const runKey = (changeId: string): string => `airline_change:${changeId}`;

const KEY = "airline_change:";

/** Unanswered changes without a run; `booking`, `call` and `change` are their rows. */
const FROM_NEW = `
  from booking
  join call on call.id = booking.call_id and call.tenant_id = booking.tenant_id
  cross join lateral jsonb_array_elements(booking.order_schedule_changes) as change
  where booking.order_schedule_changes <> '[]'::jsonb and booking.state = 'booked'
    and booking.order_status = 'confirmed'
    and coalesce((change.value ->> 'detectedAt')::timestamptz, booking.updated_at) > now() - interval '7 days'
    and not exists (
      select 1 from workflow_run
      where workflow_run.tenant_id = booking.tenant_id and workflow_run.network = booking.network
        and workflow_run.idempotency_key = '${KEY}' || (change.value ->> 'id'))`;

export const NEW_AIRLINE_CHANGES = { name: "airline_change", earliest: dueIfAny(`select 1 ${FROM_NEW}`) };

export function createAirlineChanges(db: Queryable) {
  return {
    /** Changes by the airline that are unanswered and that no run has taken up, in the order of their ids, after this one. */
    async listNew(limit: number, after = ""): Promise<readonly UnansweredChange[]> {
      const rest: RawBuilder<unknown> = sql.raw(FROM_NEW);
      const { rows } = await sql<UnansweredChange>`
        select booking.tenant_id as "tenantId", booking.network as environment, call.key_id as "keyId",
          booking.user_id as "userId", booking.order_id as "orderId", change.value ->> 'id' as "changeId",
          (select escrow_booking.trip_id from escrow_booking
            where escrow_booking.tenant_id = booking.tenant_id and escrow_booking.network = booking.network
              and escrow_booking.itinerary_hash = booking.itinerary_hash limit 1) as "tripId"
        ${rest} and (change.value ->> 'id') collate "C" > ${after}
        order by (change.value ->> 'id') collate "C"
        limit ${limit}`.execute(db);
      return rows;
    },
  };
}
