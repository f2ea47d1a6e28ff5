import { z } from "zod";
import type { Deployment } from "../deployment.ts";

/** Our records of runs, read past the service. */

const Run = z.object({
  id: z.string(),
  state: z.string(),
  failure: z.object({ code: z.string(), notUndone: z.array(z.string()) }).nullable(),
  has_open_pause: z.boolean(),
});
const Step = z.object({
  run_id: z.string(),
  step_id: z.string(),
  state: z.string(),
  tool: z.string(),
  meter_id: z.string().nullable(),
});
const Booked = z.object({ run_id: z.string(), order_id: z.string(), order_status: z.string().nullable() });
const Reserved = z.object({ run_id: z.string(), booking_id: z.string(), state: z.string() });
const Metered = z.object({ id: z.string(), idempotency_key: z.string() });

export interface RunBooks {
  runs: readonly z.infer<typeof Run>[];
  /** Calls only. */
  steps: readonly z.infer<typeof Step>[];
  /** Orders that calls of runs have booked. */
  booked: readonly z.infer<typeof Booked>[];
  /** What runs have reserved in escrow. */
  reserved: readonly z.infer<typeof Reserved>[];
  /** Usage records of calls of runs. */
  metered: readonly z.infer<typeof Metered>[];
}

export async function readRunBooks(deployment: Pick<Deployment, "query">): Promise<RunBooks> {
  const read = async <Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> =>
    z.array(schema).parse(await deployment.query(text));
  return {
    runs: await read(
      Run,
      `select id, state, failure, exists (select from workflow_pause p where p.run_id = r.id and p.resolved_at is null)
        as has_open_pause from workflow_run r`,
    ),
    steps: await read(Step, "select run_id, step_id, state, tool, meter_id from workflow_step where tool is not null"),
    booked: await read(
      Booked,
      `select split_part(c.idempotency_key, ':', 1) as run_id, b.order_id, b.order_status
        from booking b join call c on c.id = b.call_id where c.surface = 'workflow' and b.state = 'booked'`,
    ),
    reserved: await read(
      Reserved,
      `select s.run_id, b.booking_id, b.state from workflow_step s
        join escrow_booking b on b.booking_id = s.outcome->'result'->>'bookingId'
        where s.tool = 'reserve_booking' and s.state = 'done'`,
    ),
    metered: await read(Metered, "select id, idempotency_key from usage_record where surface = 'workflow'"),
  };
}

/** Runs that somebody still works on, or that wait for what comes by itself. */
export async function readOpenRuns(deployment: Pick<Deployment, "query">): Promise<string[]> {
  const rows = await deployment.query(
    `select r.id || ' is ' || r.state as matter from workflow_run r
      left join workflow_pause p on p.run_id = r.id and p.resolved_at is null
      where r.state = 'running' or (r.state = 'paused' and p.decided_by = 'service' and p.event = 'order_ticketing')`,
  );
  return z
    .array(z.object({ matter: z.string() }))
    .parse(rows)
    .map(({ matter }) => matter);
}
