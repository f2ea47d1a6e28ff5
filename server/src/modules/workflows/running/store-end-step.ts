import { type RawBuilder, sql } from "kysely";
import { insertTripEntry, type NewTripEntry } from "../../trip-record/index.ts";
import type { StepEnd } from "../runs.ts";

const TRIP = sql`select tenant_id, network, trip_id from mine`;

/**
 * Returns parts of a `with` clause that store the end of a step and its entry in the trip's record. They follow a part named
 * `mine`, which selects the run as `id`, `tenant_id`, `network` and `trip_id`, or nothing if another worker has it.
 */
export function endStep(ended: StepEnd | undefined, now: Temporal.Instant): RawBuilder<unknown> {
  if (ended === undefined) return sql`ended as (select 1), told as (select 1)`;
  const { stepId, state, outcome, meterId, priceMicro, entry } = ended;
  return sql`
    ended as (
      update workflow_step set state = ${state}, outcome = ${JSON.stringify(outcome)}::jsonb,
        meter_id = ${meterId ?? null}, price_micro = ${priceMicro ?? null}, ended_at = ${now.toString()}::timestamptz
      where run_id = (select id from mine) and step_id = ${stepId}
    ), told as (${entry === undefined ? sql`select 1` : insertTripEntry(TRIP, entry)})`;
}

/** An entry that follows that of the step: reading all of `told` makes PostgreSQL write it first. */
export function insertNextEntry(entry: NewTripEntry): RawBuilder<unknown> {
  return insertTripEntry(sql`${TRIP} where (select count(*) from told) >= 0`, entry);
}
