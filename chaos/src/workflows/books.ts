import { z } from "zod";
import type { Deployment } from "../deployment.ts";

/** Our records of runs, read past the service. */

const Run = z.object({
  id: z.string(),
  state: z.string(),
  version: z.int(),
  /** The number of its booking's invoice; undefined in the result of runs without one. */
  invoice_failure: z.string().nullable(),
  /** A person, or the end of the time, has said no. */
  is_refused: z.boolean(),
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
const Micro = z.string().transform(BigInt);
const Booked = z.object({
  run_id: z.string(),
  trip_id: z.string(),
  order_id: z.string(),
  order_status: z.string().nullable(),
  /** The cost to its tenant, less refunds for the order; the escrow's payment for it comes back in addition. */
  cost: Micro,
});
const Reserved = z.object({ run_id: z.string(), booking_id: z.string(), state: z.string() });
const Invoiced = z.object({ run_id: z.string(), invoice_number: z.string() });
const Told = z.object({ trip_id: z.string(), steps: z.int(), told: z.int() });
const Paid = z.object({ asked: z.string() });
const Metered = z.object({ id: z.string(), idempotency_key: z.string() });

export interface RunBooks {
  runs: readonly z.infer<typeof Run>[];
  /** Calls only. */
  steps: readonly z.infer<typeof Step>[];
  /** Orders that calls of runs have booked. */
  booked: readonly z.infer<typeof Booked>[];
  /** The escrow's reservations for trips that runs book for. */
  reserved: readonly z.infer<typeof Reserved>[];
  /** Invoices of what runs have reserved. */
  invoiced: readonly z.infer<typeof Invoiced>[];
  /** How many steps a trip has had on the chain, and how many of them its record tells. */
  told: readonly z.infer<typeof Told>[];
  /** Reservations and trips' budgets that were carried out on the chain, by the call that asked for each: its tenant, tool and key. */
  paid: readonly z.infer<typeof Paid>[];
  /** Usage records of calls of runs. */
  metered: readonly z.infer<typeof Metered>[];
}

export async function readRunBooks(deployment: Pick<Deployment, "query">): Promise<RunBooks> {
  const read = async <Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> =>
    z.array(schema).parse(await deployment.query(text));
  return {
    runs: await read(
      Run,
      `select id, state, version, failure, result->>'invoiceFailure' as invoice_failure,
        exists (select from workflow_pause p where p.run_id = r.id and p.step_id = 'approval'
          and p.resolution->>'status' = 'rejected') as is_refused, exists (select from workflow_pause p where p.run_id = r.id and p.resolved_at is null)
        as has_open_pause from workflow_run r`,
    ),
    steps: await read(Step, "select run_id, step_id, state, tool, meter_id from workflow_step where tool is not null"),
    booked: await read(
      Booked,
      `select r.id as run_id, r.trip_id, b.order_id, b.order_status,
        ((coalesce(b.result->>'chargedUsdc', '0')::numeric + b.cover_charged_micro / 1000000.0
          + (select coalesce(sum((details->>'paidUsdc')::numeric), 0) from order_event e
            where e.network = b.network and e.order_id = b.order_id and e.kind = 'paid_by_escrow')
          - (select coalesce(sum((details->>'refundedUsdc')::numeric), 0) from order_event e
            where e.network = b.network and e.order_id = b.order_id and e.kind = 'refunded')) * 1000000)::bigint::text as cost
        from booking b join call c on c.id = b.call_id
          join workflow_run r on r.id = split_part(c.idempotency_key, ':', 1)
        where c.surface = 'workflow' and b.state = 'booked'`,
    ),
    reserved: await read(
      Reserved,
      // By the trip, so that one is seen, too, that no step of the run knows of.
      `select r.id as run_id, b.booking_id, b.state from workflow_run r
        join escrow_booking b on b.trip_id = lower(r.trip_id) and b.tenant_id = r.tenant_id and b.network = r.network
        where b.state <> 'failed'`,
    ),
    invoiced: await read(
      Invoiced,
      `select s.run_id, i.invoice_number from workflow_step s
        join booking_invoice i on i.kind = 'invoice' and i.booking_id = s.outcome->'result'->>'bookingId'
        where s.tool = 'reserve_booking' and s.state = 'done'`,
    ),
    told: await read(
      Told,
      `select trip_id, (select count(*)::int from escrow_step s where s.network = t.network and s.trip_id = t.trip_id) as steps,
        (select count(*)::int from trip_entry e where e.network = t.network and e.trip_id = t.trip_id
          and e.key like 'escrow:%') as told from trip t`,
    ),
    paid: await read(
      Paid,
      `select c.tool || ' by key ' || c.idempotency_key || ' of ' || c.tenant_id || ' for ' || c.subject as asked
        from chain_transaction x join call c on c.id = x.call_id
        where x.purpose in ('trip_prefund', 'escrow_booking') and x.state = 'confirmed' and x.step = 'carry_out'
          and c.tool in ('prefund_trip', 'reserve_booking') and c.idempotency_key is not null`,
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
